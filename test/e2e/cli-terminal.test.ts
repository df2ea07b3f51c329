import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { KPI, runKpi, type Running, startProgram } from '../support/process.ts'
import { some } from '../support/soak/tests.ts'

/** `script` of util-linux runs a command at a terminal of its own. */
const HAS_SCRIPT = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false

let home: Folder
beforeAll(async () => {
  home = temporaryFolder()
  await runKpi(home, ['kpis', 'create', '--name', 'Revenue of all shops together', '--frequency', 'D'])
})
afterAll(() => {
  home[Symbol.dispose]()
})

/** Runs a command line at a terminal of so many columns; its exit code is the last thing that is said. */
const atTerminal = (line: string, columns: number, env: Record<string, string> = {}): Running => {
  const command = `stty cols ${columns} rows 24; ${KPI.map((word) => `'${word}'`).join(' ')} ${line}; echo "code $?"`
  return startProgram(home, ['script', '-qec', command, '/dev/null'], { TERM: 'xterm', SHELL: '/bin/bash', ...env })
}
const printed = async (line: string, columns: number, env?: Record<string, string>): Promise<string> => {
  const { child, says } = atTerminal(line, columns, env)
  await says(/code \d+/)
  child.stdin.end()
  return (await says(/^[^]*code \d+/))[0].replaceAll('\r', '')
}
const ESCAPE = '\u001b['

describe.runIf(HAS_SCRIPT)('at a terminal', () => {
  test('a table fits its width, with a bold header', async () => {
    const text = await printed('kpis list', 72)
    expect(text).toContain(`${ESCAPE}1mname`)
    const lines = stripVTControlCharacters(text).split('\n')
    expect(lines.filter((line) => line.length > 72)).toEqual([])
    expect(lines[2]).toContain('…')
  })

  test.each(
    some(2, [
      ['kpis list --no-color', {}],
      ['kpis list', { NO_COLOR: '1' }],
      ['kpis list', { TERM: 'dumb' }],
      ['kpis list -o json', {}],
    ]),
  )('%s with %j has no colour', async (line, env: Record<string, string>) => {
    expect(await printed(line, 100, env)).not.toContain(ESCAPE)
  })

  test('that does not know its width nothing is cut', async () => {
    const text = await printed('kpis list --columns name,created_at', 0)
    expect(text).toContain('Revenue of all shops together  20')
  })

  test('that does not know its width an import ends, too', async () => {
    writeFileSync(home.in('data.csv'), 'user,kpi,date,actual\nadmin@localhost,1,2026-01-01,5\n')
    const text = await printed('entries import data.csv --create-assignments -o csv', 0)
    expect(stripVTControlCharacters(text)).toMatch(/^1,1,0,0,0,0,0,0,0,1,0,0,\d+,0,0,[\d.]+,,\S+\ncode 0$/m)
  })

  test.each([
    ['n\r', 'nothing was done', 1],
    ['\u0003', 'interrupted', 130],
    ['\u0004', 'interrupted', 130],
    ['y\r', 'deleted category 2', 0],
  ])('a delete is asked for, and %j answers it', async (answer, said, code) => {
    await runKpi(home, ['categories', 'update', '1', '--sort-order', '1'])
    if (code === 1) await runKpi(home, ['categories', 'create', '--name', 'Spare'])
    const { child, says } = atTerminal('categories delete 2', 100)
    await says(/delete category 2, Spare\?.*\(y\/N\)/)
    child.stdin.write(answer)
    const [text, ended] = await says(/^[^]*code (\d+)/)
    child.stdin.end()
    expect(text).toContain(said)
    expect(ended).toBe(String(code))
  })

  test('a token is asked for, not shown, and kept where only its owner can read it', async () => {
    const { child, says } = atTerminal(
      'profiles add acme --base-url https://acme.example.com/api --login ann@example.com --no-check',
      200,
    )
    await says(/Account token/)
    child.stdin.write('kpi_token_hunter2\r')
    await says(/added profile acme[^]*code 0/)
    child.stdin.end()
    const path = home.in('.config/kpi/secrets/acme')
    expect(readFileSync(path, 'utf8')).toBe('kpi_token_hunter2\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await says(/^[^]*code 0/))[0]).not.toContain('hunter2')
  })
})

/** Returns the lines that a terminal shows, each after it was cleared for the last time. */
const shownLines = (text: string): string[] =>
  text.split('\n').map((line) => stripVTControlCharacters(line.split(`${ESCAPE}0K`).at(-1) ?? ''))

describe.runIf(HAS_SCRIPT)('a note while the progress is shown', () => {
  test.each([
    ['kpis import', 'Name,Frequency,Shelf\nNet sales,D,1\n'],
    ['entries import --create-assignments', 'user,kpi,date,actual,Shelf\nadmin@localhost,1,2026-02-01,5,x\n'],
  ])('stands on a line of its own: kpi %s', async (command, rows) => {
    writeFileSync(home.in('titled.csv'), `Key figures 2026\n\n${rows}`)
    const lines = shownLines(await printed(`${command} titled.csv`, 100))
    expect(lines).toContain('line 1 is above the header, and left out: "Key figures 2026"')
    expect(lines).toContainEqual(expect.stringMatching(/^columns left out: Shelf/))
    expect(lines.filter((line) => line.includes('reading'))).toEqual([])
  })
})

describe.runIf(HAS_SCRIPT)('what is longer than the screen', () => {
  beforeAll(async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `1,1,2024-${at < 20 ? '01' : '02'}-${(at % 20) + 1},${at}`)
    writeFileSync(home.in('many.csv'), ['user,kpi,date,actual', ...rows].join('\n'))
    await runKpi(home, ['entries', 'import', 'many.csv', '--create-assignments'])
  })

  test.each(
    some(4, [
      ['kpis list --help', { KPI_PAGER: 'cat -n' }, true],
      ['kpis list --help', { PAGER: 'cat -n' }, true],
      ['kpis list --help --no-pager', { PAGER: 'cat -n' }, false],
      ['kpis list --help', { PAGER: 'cat -n', TERM: 'dumb' }, false],
      ['kpis list --help', { PAGER: '' }, false],
      ['kpis list --help | cat', { PAGER: 'cat -n' }, false],
      ['kpis list --help', { PAGER: 'there-is-no-such-pager' }, false],
      ['kpis list -o csv', { PAGER: 'cat -n' }, false],
      ['entries list --from 2020-01-01 --no-color', { PAGER: 'cat -n' }, true],
    ]),
  )('goes to a pager: %s with %j is %j', async (line, env, isPaged) => {
    const text = await printed(line, 80, env)
    expect(text).toContain('code 0')
    expect(/^ {5}1\t/m.test(text)).toBe(isPaged)
  })

  test.each([
    ['false', 'false'],
    ['sh -c "exit 3"', 'sh -c "exit 3"'],
    ['head -c 1 >/dev/null; exit 2', 'head -c 1 >/dev/null; exit 2'],
  ])('is printed whole where the pager fails: %s', async (pager, named) => {
    const text = await printed('help', 80, { PAGER: pager })
    expect(text).toContain('Usage: kpi')
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`the pager "${named}" ended with `)
    expect(text).toContain('code 0')
  })

  test('is printed once where the pager shows all and then fails', async () => {
    const text = await printed('help', 80, { PAGER: 'cat -n; exit 3' })
    expect(text.match(/Usage: kpi/g)).toHaveLength(1)
    expect(text).toContain('code 0')
  })

  test('goes to a pager whose words are in quotes', async () => {
    const text = await printed('help', 80, { PAGER: `sed "s/^/| a  b /"` })
    expect(text).toMatch(/^\| a {2}b .*Usage: kpi/m)
  })

  test('ends quietly when the reader leaves the pager', async () => {
    const text = await printed('entries list --from 2020-01-01', 80, { PAGER: 'head -2' })
    expect(stripVTControlCharacters(text).split('\n').length).toBeLessThan(8)
    expect(text).toMatch(/code 0/)
    expect(text).not.toContain('kpi:')
  })
})
