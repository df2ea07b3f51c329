import { Workbook } from '@cj-tech-master/excelts'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatByPattern, PLAIN_SIGNS, readNumberPattern } from '../../src/domain/number-pattern.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await user.kpi(
    'kpis',
    'create',
    '--name',
    'Cases',
    '--frequency',
    'daily',
    '--unit',
    'Number',
    '--target-default',
    '2000000',
  )
  await user.kpi('users', 'create', '--email', 'ann@example.com', '--first-name', 'Ann', '--last-name', 'Lee')
  writeFileSync(user.folder.in('data.csv'), 'Date,Actual\n2026-02-01,1759128\n2026-02-02,1760211\n2026-02-03,950\n')
  const flags = ['--user', 'ann@example.com', '--kpi', 'Cases', '--create-assignments']
  const { code, stderr } = await user.kpi('entries', 'import', 'data.csv', ...flags)
  if (code !== 0) throw new Error(stderr)
})
afterAll(() => user[Symbol.asyncDispose]())

const RANGE = ['--from', '2026-02-01', '--to', '2026-02-02']
const report = (...flags: string[]) => user.kpi('report', ...RANGE, ...flags)

describe('what is only for reading has its thousands in groups, in pipes too', () => {
  test.each<[what: string, flags: string[], shown: string[]]>([
    ['the overview', [], ['1,760,211', '2,000,000', '+1,083']],
    ['the overview in Markdown', ['-o', 'markdown'], ['| 1,760,211 |', '| 2,000,000 |']],
    ['an answer', ['--by', 'month'], ['3,519,339']],
    ['an answer in Markdown', ['--group-by', 'kpi', '-o', 'markdown'], ['| 3,519,339 |']],
    ['a comparison', ['--compare', 'previous'], ['1,759,128', '+1,083']],
    ['a pivot', ['--pivot', 'period'], ['1,759,128', '1,760,211']],
  ])('%s', async (_, flags, shown) => {
    const { stdout } = await report(...flags)
    for (const text of shown) expect(stdout).toContain(text)
  })

  test.each([
    ['de_DE.UTF-8', '1.760.211'],
    ['fr_FR.UTF-8', '1\u202f760\u202f211'],
    ['en_IN.UTF-8', '17,60,211'],
    ['C', '1,760,211'],
  ])('at a terminal in %s as %s', async (LANG, shown) => {
    const ran = await user.kpiIn({ terminal: 160, env: { LANG } }, 'report', ...RANGE, '--no-color')
    expect(ran.stdout).toContain(shown)
    // Numbers end at the same place, under the end of their head.
    const [, head = '', line = ''] = ran.stdout.split('\n')
    expect(line.indexOf(shown) + shown.length).toBe(head.indexOf('actual') + 'actual'.length)
  })
})

/** What a file has of a report, whatever the language of the terminal is. */
const exported = async (name: string, ...flags: string[]): Promise<string> => {
  const given = { terminal: 160, env: { LANG: 'de_DE.UTF-8' } }
  const ran = await user.kpiIn(given, 'report', 'export', ...RANGE, ...flags, '--force', '--to-file', name)
  if (ran.code !== 0) throw new Error(ran.stderr)
  return user.folder.in(name)
}

describe('a file of a report that people read has its thousands in groups', () => {
  test.each<[flags: string[], value: bigint]>([
    [[], 1759128_0000n],
    [['--by', 'month'], 3519339_0000n],
    [['--group-by', 'kpi'], 3519339_0000n],
    [['--pivot', 'period'], 1759128_0000n],
    [['--columns', 'kpi,actual'], 1759128_0000n],
  ])('%j', async (flags, value) => {
    const shown = formatByPattern(value, readNumberPattern('#'), PLAIN_SIGNS)
    expect(readFileSync(await exported('r.md', ...flags), 'utf8')).toContain(`| ${shown} |`)
    // The charts of a page have no table.
    const page = readFileSync(await exported('r.html', ...flags), 'utf8')
    expect(page.includes(`<td class="number">${shown}</td>`)).toBe(flags.length > 0)
    const book = new Workbook()
    await book.xlsx.load(readFileSync(await exported('r.xlsx', ...flags)))
    const cells = book.worksheets[0]?.getRow(2).values
    const at = Array.isArray(cells) ? cells.indexOf(Number(value / 10_000n)) : -1
    expect(book.worksheets[0]?.getCell(2, at).numFmt).toBe('#,##0')
    expect(readFileSync(await exported('r.csv', ...flags), 'utf8')).toContain(`,${value / 10_000n}`)
  })

  test('on standard output as at the terminal, in its language', async () => {
    for (const [given, shown] of [
      [{ terminal: 160, env: { LANG: 'de_DE.UTF-8' } }, '3.519.339'],
      [{ env: { LANG: 'de_DE.UTF-8' } }, '3,519,339'],
    ] as const)
      for (const line of [['report'], ['report', 'export']]) {
        const ran = await user.kpiIn(given, ...line, ...RANGE, '--by', 'month', '-o', 'markdown')
        expect(ran.stdout).toContain(`| ${shown} |`)
      }
  })

  test('also rows in Markdown, which are the same in both ways', async () => {
    const { stdout } = await report('--rows', '-o', 'markdown')
    expect(stdout).toContain('| 1,760,211 |')
    expect(readFileSync(await exported('r.md'), 'utf8')).toBe(stdout)
  })
})

describe('what programs read has none', () => {
  test.each([
    ['csv', ['-o', 'csv']],
    ['json', ['-o', 'json']],
    ['ndjson', ['-o', 'ndjson']],
    ['yaml', ['-o', 'yaml']],
    ['answers as csv', ['--by', 'month', '-o', 'csv']],
    ['answers as json', ['--group-by', 'kpi', '-o', 'json']],
    ['pivots as csv', ['--pivot', 'period', '-o', 'csv']],
    ['rows', ['--rows']],
  ])('%s', async (_, flags) => {
    for (const env of [{}, { LANG: 'de_DE.UTF-8' }]) {
      const { stdout } = await user.kpiIn({ env }, 'report', ...RANGE, ...flags)
      expect(stdout).toMatch(/1760211|3519339/)
      expect(stdout).not.toMatch(/\d[.,'\u00a0\u202f]\d{3}(?!\d)/)
    }
  })
})
