import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

/** What is stored, as date and actual. */
const stored = async (): Promise<string[]> => {
  const { stdout } = await kpi('entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--names', '--quiet')
  const rows = stdout.trim().split('\n').slice(1)
  return rows.map((row) => row.split(',').slice(3, 5).join(' ')).toSorted()
}

test.each<[what: string, lines: string[], flags: string[], entries: string[]]>([
  [
    'Russian dates',
    ['Store,Date,Rev', 'Центр,3 мая 2026 г.,1', 'Центр,4 МАЯ 2026,2'],
    [],
    ['2026-05-03 1', '2026-05-04 2'],
  ],
  [
    'Polish months, of which two are Croatian ones',
    ['Store,Date,Rev', 'Rynek,lip 2026,1', 'Rynek,sie 2026,2', 'Rynek,lis 2026,3'],
    [],
    ['2026-07-01 1', '2026-08-01 2', '2026-11-01 3'],
  ],
  [
    'a year and a month in a column each',
    ['Store,Year,Month,Rev', 'Rynek,2026,lip,1', 'Rynek,2026,sierpień,2'],
    ['--map', 'date=Year+Month'],
    ['2026-07-01 1', '2026-08-01 2'],
  ],
  [
    'Hungarian months as columns',
    ['Store,KPI,2026. április,2026. május', 'Pest,Forgalom,1,2'],
    [],
    ['2026-04-01 1', '2026-05-01 2'],
  ],
  ['Arabic digits', ['Store,Date,Rev', 'أ,٣ مارس ٢٠٢٦,1'], ['--frequency', 'D'], ['2026-03-03 1']],
])('a file with %s is read', async (_, lines, flags, entries) => {
  const { code, stderr } = await importLines(lines, ...flags)
  expect([code, stderr]).toEqual([0, ''])
  expect(await stored()).toEqual(entries)
})

test('a month that is another one in another language is asked about, and a mapping keeps what was said', async () => {
  const lines = ['Store,Month,Rev', 'Lake,listopad 2026,1']
  const asked = await importLines(lines)
  expect([asked.code, asked.stderr]).toEqual([
    1,
    expect.stringContaining(
      '"listopad 2026" on line 2 is 2026-11-01 (MMM YYYY@cs) or 2026-10-01 (MMM YYYY@hr), as its month has the name of another one in another language; say which: --date-format "MMM YYYY@cs" or --date-format "MMM YYYY@hr"',
    ),
  ])
  expect(await stored()).toEqual([])
  await importLines(lines, '--date-format', 'MMM YYYY@hr', '--save-mapping', 'sales')
  expect(await stored()).toEqual(['2026-10-01 1'])
  await importLines(['Store,Month,Rev', 'Lake,lip 2026,2'], '--mapping', 'sales')
  expect(await stored()).toEqual(['2026-06-01 2', '2026-10-01 1'])
})

test.each([
  ['MMM YYYY@xx', '"xx" is not a language whose months are known; write its code, such as MMM YYYY@pl'],
  ['DD.MM.YYYY@pl', '"DD.MM.YYYY@pl" has a language, and no name of a month (MMM)'],
])('a format for a language that is none is refused: %s', async (format, says) => {
  const { code, stderr } = await importLines(['Store,Month,Rev', 'Lake,2026-01-01,1'], '--date-format', format)
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
})

test('years of other calendars are rejected with what to write', async () => {
  const { code } = await importLines(
    ['Store,Date,Rev', 'Lake,3 มีนาคม 2569,1', 'Lake,4 มีนาคม 2026,2'],
    '--frequency',
    'D',
  )
  expect(code).toBe(3)
  expect(readFileSync(folder.in('data.rejects.csv'), 'utf8')).toContain(
    '3 มีนาคม 2569"" has a year of the Thai calendar: write the year of the Gregorian one, 2026',
  )
  expect(await stored()).toEqual(['2026-03-04 2'])
})
