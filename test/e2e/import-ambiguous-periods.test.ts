import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

let folder: ReturnType<typeof temporaryFolder>
let kpi: ReturnType<typeof shellIn>
beforeEach(() => {
  folder = temporaryFolder()
  kpi = shellIn({ home: folder.path })
})
afterEach(() => {
  folder[Symbol.dispose]()
})

const importLines = (lines: readonly string[], ...flags: readonly string[]): Promise<Ran> => {
  writeFileSync(folder.in('data.csv'), `${lines.join('\n')}\n`)
  return kpi('entries', 'import', 'data.csv', '--create-missing', '-o', 'csv', '--quiet', ...flags)
}

/** What is stored, as item, date and actual. */
const stored = async (): Promise<string[]> => {
  const { stdout } = await kpi('entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--names', '--quiet')
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','))
    .map(([, item, , date, actual]) => `${item} ${date} ${actual}`)
    .toSorted()
}

describe('a file that can be read in two ways stops, and the flag that is named settles it', () => {
  test.each<[lines: string[], flags: string[], message: string, settling: string[], entries: string[]]>([
    [
      ['Store,Year,Jan,Q2,2024', 'Lake,2024,1,2,5'],
      ['--kpi', 'Rev'],
      'has dates in several formats: "Jan"',
      ['--ignore', '2024,Q2'],
      ['Lake 2024-01-01 1'],
    ],
    [
      ['Store,Year,Jan,Feb,Mar,Q1', 'Lake,2024,1,2,3,6', 'Hill,2024,1,2,3,6'],
      ['--kpi', 'Rev'],
      'has dates in several formats: "Jan"',
      ['--ignore', 'Jan,Feb,Mar'],
      ['Hill 2024-01-01 6', 'Lake 2024-01-01 6'],
    ],
    [
      ['Store,KPI,Jan-24,Feb-24,2024', 'Lake,Rev,1,2,3'],
      [],
      'has dates in several formats: "2024" (YYYY), "Jan-24"',
      ['--ignore', '2024', '--date-format', 'MMM-YY'],
      ['Lake 2024-01-01 1', 'Lake 2024-02-01 2'],
    ],
    [
      ['Store,KPI,2024W01,2024W02,2024W53', 'Lake,Rev,1,2,3'],
      [],
      '"2024W53" is a date that does not exist',
      ['--ignore', '2024W53'],
      ['Lake 2024-01-01 1', 'Lake 2024-01-08 2'],
    ],
    [
      ['Store,Quarter,Rev', 'Lake,2024-01,1', 'Lake,2024-04,2'],
      [],
      '"2024-04" on line 3 is 2024-10-01 (YYYY-Q) or 2024-04-01 (YYYY-MM)',
      ['--date-format', 'YYYY-MM'],
      ['Lake 2024-01-01 1', 'Lake 2024-04-01 2'],
    ],
    [
      ['Store,Date,Rev', 'Lake,202401,1', 'Lake,202402,2'],
      [],
      'say how dates are written: --date-format YYYYMM or --date-format YYYYWW',
      ['--date-format', 'YYYYMM'],
      ['Lake 2024-01-01 1', 'Lake 2024-02-01 2'],
    ],
    [
      ['Store,Date,Rev', 'Lake,1Q24,1', 'Lake,2Q24,2'],
      [],
      '--date-format "Q[Q]YY"',
      ['--date-format', 'Q[Q]YY'],
      ['Lake 2024-01-01 1', 'Lake 2024-04-01 2'],
    ],
  ])('%j %j', async (lines, flags, message, settling, entries) => {
    expect(await importLines(lines, ...flags)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message) as unknown,
    })
    expect(await stored()).toEqual([])
    expect(await importLines(lines, ...flags, ...settling)).toMatchObject({ code: 0 })
    expect(await stored()).toEqual(entries)
  })
})

test.each<[lines: string[], entries: string[]]>([
  [
    ['Store;Week;Rev', 'Lake;2024-01;1', 'Lake;2024-09;3'],
    ['Lake 2024-01-01 1', 'Lake 2024-02-26 3'],
  ],
  [
    ['Store;Quartal;Rev', 'Lake;2023-4;1', 'Lake;2024-1;2'],
    ['Lake 2023-10-01 1', 'Lake 2024-01-01 2'],
  ],
])('the name of a column says whether numbers are weeks or quarters: %j', async (lines, entries) => {
  expect(await importLines(lines)).toMatchObject({ code: 0 })
  expect(await stored()).toEqual(entries)
})

test('a value in a week that the year does not have is a reject, which the corrected rejects file imports', async () => {
  const ran = await importLines(['Store,Year,W52,W53', 'Lake,2023,1,999', 'Hill,2023,2,'], '--kpi', 'Rev')
  expect(ran.code).toBe(3)
  expect(ran.stdout).toMatch(/^[^\n]*\n2,2,0,0,0,0,1,0,1,/)
  expect(await stored()).toEqual(['Hill 2023-12-25 2', 'Lake 2023-12-25 1'])
  const rejects = readFileSync(folder.in('data.rejects.csv'), 'utf8')
  expect(rejects).toContain('Lake,2023,,999,2,"""W53 2023"" is a date that does not exist')
  writeFileSync(folder.in('mended.csv'), rejects.replace('2023', '2020'))
  const flags = ['--kpi', 'Rev', '--date-format', 'YYYY']
  expect(await kpi('entries', 'import', 'mended.csv', '--create-missing', '--quiet', ...flags)).toMatchObject({
    code: 0,
  })
  expect(await stored()).toContain('Lake 2020-12-28 999')
})
