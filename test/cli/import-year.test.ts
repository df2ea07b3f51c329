import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { waysIn } from '../support/advice.ts'
import { allOf, errorOf } from '../support/kpi.ts'
import { rowsOf } from '../support/public-files/bytes.ts'
import { embeddedUser, type User } from '../support/user.ts'
import { xlsxOf } from '../support/workbook.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const load = (file: string, ...args: readonly string[]) =>
  user.kpi('entries', 'import', user.folder.in(file), '--create-missing', '-o', 'json', ...args)

/** Returns all entries as `owner kpi date actual`, in order. */
const stored = async (): Promise<string[]> => {
  const ran = await user.kpi('entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--names', '--quiet')
  const [, ...rows] = rowsOf(ran.stdout)
  return rows.map(([person, item, kpi, date, actual]) => [item || person, kpi, date, actual].join(' ')).toSorted()
}

/** A sheet of three months of a store. */
const sheet = (rows: readonly string[]): string =>
  rows
    .map((row) => row.split(',').map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`))
    .map((cells) => `<row>${cells.join('')}</row>`)
    .join('')

const MONTHS = ['Filiale,Jan,Feb,Mrz', 'Nord,1,2,3']
const WIDE = ['Nord Umsatz 2026-01-01 1', 'Nord Umsatz 2026-02-01 2', 'Nord Umsatz 2026-03-01 3']
const LONG = ['Nord Umsatz 2026-01-01 1', 'Nord Umsatz 2026-02-01 2']

/** A file without the year in its dates, how its flags go, what names the year, and the entries. */
const CASES: readonly (readonly [
  what: string,
  file: string,
  content: string | Buffer,
  flags: readonly string[],
  named: string,
  entries: readonly string[],
])[] = [
  [
    'a title',
    'a.csv',
    `Umsatz 2026,,,\n${MONTHS.join('\n')}\n`,
    ['--kpi', 'Umsatz'],
    'line 1 says "Umsatz 2026"',
    WIDE,
  ],
  ['its name', 'a_2026.csv', `${MONTHS.join('\n')}\n`, ['--kpi', 'Umsatz'], 'the file is called "a_2026.csv"', WIDE],
  [
    'its sheet',
    'a.xlsx',
    xlsxOf({ sheets: { 2025: sheet(MONTHS), 2026: sheet(MONTHS) } }),
    ['--kpi', 'Umsatz', '--sheet', '2026'],
    'the sheet is called "2026"',
    WIDE,
  ],
  [
    'a title above months in rows',
    'b.csv',
    'Plan 2026;;\nFiliale;Monat;Umsatz\nNord;Januar;1\nNord;Februar;2\n',
    [],
    'line 1 says "Plan 2026"',
    LONG,
  ],
  [
    'its name, with numbers of months in rows',
    'b2026.csv',
    'Filiale;Monat;Umsatz\nNord;1;1\nNord;2;2\n',
    [],
    'the file is called "b2026.csv"',
    LONG,
  ],
]

test.each(CASES)('a year that only %s names is asked for, and is imported as it is advised', async (...one) => {
  const [, file, content, flags, named, entries] = one
  writeFileSync(user.folder.in(file), content)
  const asked = await load(file, ...flags)
  const text = allOf(errorOf(asked))
  expect([asked.code, text]).toEqual([1, expect.stringContaining(`no year; it may be 2026, as ${named}: --year 2026`)])
  expect(await stored()).toEqual([])
  const ways = waysIn(`${text} `).map((words) => words.join(' '))
  expect(ways).toContain('--year 2026')
  expect(await load(file, ...flags, '--year', '2026')).toMatchObject({ code: 0 })
  expect(await stored()).toEqual(entries)
  const again = await load(file, ...flags, '--year', '2026')
  expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, unchanged: entries.length })
})

test('another year than the file names is imported with a warning', async () => {
  writeFileSync(user.folder.in('a2025.csv'), `${MONTHS.join('\n')}\n`)
  const ran = await load('a2025.csv', '--kpi', 'Umsatz', '--year', '2026')
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringContaining('dates without a year are of 2026, as --year says, and the file is called "a2025.csv"'),
  ])
  expect(await stored()).toEqual(WIDE)
})

test('months that go on in the next year are refused with a line for each part, which imports it', async () => {
  writeFileSync(user.folder.in('fy.csv'), 'Filiale,Nov,Dez,Jan,Feb\nNord,1,2,3,4\n')
  const flags = ['--kpi', 'Umsatz']
  const ran = await load('fy.csv', ...flags, '--year', '2025')
  expect([ran.code, errorOf(ran).message]).toEqual([1, expect.stringContaining('the header does not say')])
  expect(ran.stderr).toContain(
    '\\"Dez\\" and \\"Jan\\" lie in two years, and --year 2025 is one: import each part by itself, with --year 2025 --ignore Jan,Feb and with --year 2026 --ignore Nov,Dez, or write the year into each heading',
  )
  expect(await load('fy.csv', ...flags, '--year', '2025', '--ignore', 'Jan,Feb')).toMatchObject({ code: 0 })
  expect(await load('fy.csv', ...flags, '--year', '2026', '--ignore', 'Nov,Dez')).toMatchObject({ code: 0 })
  expect(await stored()).toEqual([
    'Nord Umsatz 2025-11-01 1',
    'Nord Umsatz 2025-12-01 2',
    'Nord Umsatz 2026-01-01 3',
    'Nord Umsatz 2026-02-01 4',
  ])
})

test.each(['Mrz,Feb,Jan', 'Dez,Nov,Okt', 'Jan,Mrz,Feb', 'Jan,Feb,Nov,Dez'])(
  'months of one year are imported in any order: %s',
  async (months) => {
    const columns = months.split(',')
    writeFileSync(user.folder.in('m.csv'), `Filiale,${months}\nNord,${columns.map((_, at) => at).join(',')}\n`)
    expect(await load('m.csv', '--kpi', 'Umsatz', '--year', '2025')).toMatchObject({ code: 0 })
    expect(await stored()).toHaveLength(columns.length)
  },
)

test.each(['Filiale,date,actual\nNord,2026-01-01,1\nNord,2026-01-02,1\n', 'Filiale,Jan 2026,Feb 2026\nNord,1,2\n'])(
  'a year that no date needs is a note that says so: %j',
  async (content) => {
    writeFileSync(user.folder.in('sales_2026.csv'), content)
    const ran = await load('sales_2026.csv', '--kpi', 'Umsatz', '--year', '2025')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('--year 2025 changes nothing: no date of this file is without a year')
    expect(ran.stderr).not.toContain('dates without a year are of 2025')
  },
)

test('a date format says nothing of the year, and a mapping keeps none', async () => {
  writeFileSync(user.folder.in('c2026.csv'), 'Filiale;Monat;Umsatz\nNord;Januar;1\nNord;Februar;2\n')
  const asked = await load('c2026.csv', '--date-format', 'MMM YYYY')
  expect([asked.code, allOf(errorOf(asked))]).toEqual([1, expect.stringContaining('--year 2026')])
  expect(await load('c2026.csv', '--year', '2026', '--save-mapping', 'months')).toMatchObject({ code: 0 })
  writeFileSync(user.folder.in('c2027.csv'), 'Filiale;Monat;Umsatz\nNord;Januar;8\n')
  const next = await load('c2027.csv', '--mapping', 'months')
  expect([next.code, allOf(errorOf(next))]).toEqual([1, expect.stringContaining('it may be 2027')])
  expect(await load('c2027.csv', '--mapping', 'months', '--year', '2027')).toMatchObject({ code: 0 })
  expect(await stored()).toContain('Nord Umsatz 2027-01-01 8')
})

test('a year that is none is refused before the file is read', async () => {
  const ran = await load('nothing.csv', '--year', '26')
  expect([ran.code, allOf(errorOf(ran))]).toEqual([
    2,
    expect.stringContaining('--year 26 is not a year from 1900 to 2199'),
  ])
})
