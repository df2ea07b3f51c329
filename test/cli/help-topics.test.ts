import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseRelativeDays, RELATIVE_WORDS } from '../../src/cli/args/relative-dates.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { FORMATS } from '../../src/cli/output/print.ts'
import { CIVIL_CALENDAR } from '../../src/domain/period.ts'
import { ALL_SETTINGS } from '../../src/cli/target/settings.ts'
import { FILE_FORMATS } from '../../src/export/report/formats.ts'
import { ROOT } from '../support/documents.ts'
import { shellIn } from '../support/kpi.ts'

const shell = shellIn({ home: '/nowhere' })

const help = async (topic: string): Promise<string> => {
  const { code, stdout, stderr } = await shell('help', topic)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe('kpi help', () => {
  test('lists its topics with the commands', async () => {
    expect((await shell('--help')).stdout).toContain(
      'kpi help TOPIC                        environment, formats, dates, exit-codes\n',
    )
  })

  test('exit-codes are those of the program and of the README', async () => {
    const text = await help('exit-codes')
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').replaceAll('`', '')
    for (const code of Object.values(EXIT)) {
      const [, meaning = ''] = new RegExp(`^ {2}${code} +(.+)$`, 'm').exec(text) ?? []
      expect(meaning).not.toBe('')
      expect(readme).toMatch(
        new RegExp(String.raw`\| ${code} +\| ${meaning.replaceAll(/[.*+?()[\]]/g, String.raw`\$&`)} +\|`),
      )
    }
  })

  test('environment has each variable, and each field of the project file', async () => {
    const text = await help('environment')
    for (const { sources } of ALL_SETTINGS)
      for (const name of sources.variables ?? []) expect(text).toMatch(new RegExp(`(?:^|[ ,])${name}(?:,| |$)`, 'm'))
    expect(text).toMatch(/^ {2}time_zone /m)
  })

  test('formats has each format and ending', async () => {
    const text = await help('formats')
    for (const format of FORMATS) expect(text).toMatch(new RegExp(`^  ${format} `, 'm'))
    for (const format of FILE_FORMATS) expect(text).toMatch(new RegExp(`^  \\..* ${format}$`, 'm'))
  })

  test('dates shows words that are read', async () => {
    const text = await help('dates')
    const [, days = ''] = /Days and periods:\n([^]*?)\n\n/.exec(text) ?? []
    const shown = days.split('\n').flatMap((line) => line.trim().split(/ {2,}/)[0]?.split(', ') ?? [])
    expect(shown.length).toBeGreaterThan(8)
    for (const word of [...shown, ...RELATIVE_WORDS])
      expect(parseRelativeDays(word, { today: 20_000, calendar: CIVIL_CALENDAR }).to).toBeTypeOf('number')
    for (const word of RELATIVE_WORDS) expect(text).toContain(word)
  })

  test('takes flags beside a topic', async () => {
    const text = await help('dates')
    expect((await shell('help', '--no-pager', 'dates')).stdout).toBe(text)
    expect((await shell('help', 'dates', '--no-pager')).stdout).toBe(text)
  })

  test('is completed with its topics', async () => {
    const { stdout } = await shell('__complete', '=zsh', 'help', 'e')
    expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['entries', 'environment', 'exit-codes', ''])
  })

  test('refuses a word that is neither a topic nor a command', async () => {
    expect(await shell('help', 'colours')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'colours'") as string,
    })
  })
})

test('kpi version has the versions of the program, Node.js and the store', async () => {
  const { code, stdout } = await shell('version', '-o', 'json', '-q')
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { kpi: manifest.version, node: expect.any(String) as string, store: expect.any(Number) as number },
  ])
})

test('-q is --quiet', async () => {
  const line = ['check', '--from', '2020-01-01', '--to', '2020-01-01', '--only', 'missed'] as const
  const { dispose, kpi } = await import('../support/folder.ts').then(({ temporaryFolder }) => {
    const folder = temporaryFolder()
    return { dispose: () => folder[Symbol.dispose](), kpi: shellIn({ home: folder.path }) }
  })
  try {
    expect((await kpi(...line)).stderr).not.toBe('')
    expect((await kpi(...line, '-q')).stderr).toBe('')
    expect((await kpi('-q', ...line)).stderr).toBe('')
  } finally {
    dispose()
  }
})

describe('kpi run --schema', () => {
  test('prints the schema of jobs', async () => {
    const { code, stdout } = await shell('run', '--schema')
    expect([code, stdout]).toEqual([0, readFileSync(join(ROOT, 'docs', 'job-schema.json'), 'utf8')])
  })

  test.each([
    [['run'], 'kpi run: name the file of the job, such as: kpi run nightly.yaml --dry-run\n'],
    [['run', '--schema', 'job.yaml'], 'kpi run: --schema runs no job; leave out job.yaml, or --schema\n'],
  ])('%j is refused', async (line, stderr) => {
    expect(await shell(...line)).toEqual({ code: 2, stdout: '', stderr })
  })
})

describe('an error about a line that cannot be read begins with the command', () => {
  test.each([
    [['entries', 'import', 'x.csv', '--foo'], "kpi entries import: unknown option '--foo'; "],
    [['users', 'lst'], "kpi users: unknown command 'lst' (Did you mean list?); "],
    [['usres'], "kpi: unknown command 'usres' (Did you mean users?); "],
    [['plan'], "kpi plan: missing required argument 'file' ("],
    [['kpis', 'list', 'extra'], 'kpi kpis list: extra is too much: '],
    [['users', 'hand-over', 'Ann'], "kpi users hand-over: required option '--to <user>' not specified"],
    [['report', '--from'], "kpi report: option '--from <day>' argument missing"],
    [
      ['report', '--compare', 'x'],
      "kpi report: option '--compare <with>' argument 'x' is invalid. Allowed choices are ",
    ],
    [['check', '--users', '--kpis', 'x'], 'kpi check: --users takes --kpis for its value'],
  ])('%j', async (line, stderr) => {
    const ran = await shell(...line)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain(stderr)
    expect(ran.stderr.indexOf(stderr)).toBe(ran.stderr.startsWith('Usage') ? ran.stderr.indexOf('\nkpi') + 1 : 0)
  })
})
