import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waysIn } from '../support/advice.ts'
import { ROOT } from '../support/documents.ts'
import { allOf, errorOf, type Ran } from '../support/kpi.ts'
import { rowsOf } from '../support/public-files/bytes.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const importFile = (file: string, args: readonly string[]): Promise<Ran> => {
  copyFileSync(join(ROOT, 'test/data/cases', file), user.folder.in(file))
  return user.kpi('entries', 'import', user.folder.in(file), '--create-missing', '-o', 'json', ...args)
}

/** Returns all entries as `owner kpi date actual`, in order. */
const stored = async (): Promise<string[]> => {
  const ran = await user.kpi('entries', 'export', '--from', '1900-01-01', '--to', '2199-12-31', '--names', '--quiet')
  const [header = [], ...rows] = rowsOf(ran.stdout)
  const cell = (row: readonly string[], name: string): string => row[header.indexOf(name)] ?? ''
  return rows
    .map((row) => [
      cell(row, 'source_id') || cell(row, 'user'),
      ...['kpi', 'date', 'actual'].map((one) => cell(row, one)),
    ])
    .map((row) => row.join(' '))
    .toSorted()
}

/** Returns the notes of a run, one a line. */
const notesIn = ({ stderr }: Ran): string => (JSON.parse(stderr) as { notes: string[] }).notes.join('\n')

/** A way out of a stop, as it is pasted, and the entries that it leads to. */
type Way = readonly [flags: string, entries: readonly string[]]

/** A file of a public report of another tool, the flags that it is imported with, and what is right. */
type Case = {
  readonly file: string
  readonly flags?: readonly string[]
  /** The entries, where the file is read; with what is said of rows that are rejected. */
  readonly entries?: readonly string[]
  readonly rejects?: readonly string[]
  /** Parts of what is said where the file stops, and the ways out that are advised. */
  readonly stop?: readonly string[]
  readonly ways?: readonly Way[]
}

const MONTHS_READ =
  'de fr es it pt nl sv da no fi pl cs sk hu ro sl bg ru uk sr el tr et lv lt id ms vi th ja ko zh ar he hi ca is'
/** Holds the value of each language: the number of its row. */
const ORDINAL = new Map(
  'de fr es it pt nl sv da no fi pl cs sk hu ro hr sl bg ru uk sr el tr et lv lt id ms vi th ja ko zh ar he fa hi ca is'
    .split(' ')
    .map((language, at) => [language, at + 1]),
)

/** What two heading rows of regions and KPIs say of two months. */
const GRID = [
  'North Sales 2026-01-01 1',
  'North Sales 2026-02-01 5',
  'North Visits 2026-01-01 2',
  'North Visits 2026-02-01 6',
  'South Sales 2026-01-01 3',
  'South Sales 2026-02-01 7',
  'South Visits 2026-01-01 4',
  'South Visits 2026-02-01 8',
]

const CASES: readonly Case[] = [
  { file: 'two-row-header-dates-down.csv', entries: GRID },
  {
    file: 'two-rows-of-names.csv',
    stop: ['two rows name the columns: "North", "South" above "Sales", "Visits", and nothing says which are the KPIs'],
    ways: [
      ['--upper-row items', GRID],
      ['--upper-row kpis', GRID.map((one) => one.replace(/^(\w+) (\w+)/, '$2 $1')).toSorted()],
    ],
  },
  { file: 'two-rows-kpis-above.csv', entries: GRID },
  {
    file: 'two-rows-of-names.csv',
    flags: ['--source', 'North', '--ignore', '#4,#5', '--frequency', 'M'],
    entries: GRID.filter((one) => one.startsWith('North')),
  },
  {
    file: 'iso-week-dates.csv',
    entries: ['A Sales 2026-02-23 10', 'A Sales 2026-02-24 20', 'A Sales 2026-03-01 30'],
  },
  { file: 'formula-without-quotes.csv', entries: ['A Sales 2026-03-01 10', 'B, C Sales 2026-03-02 20'] },
  { file: 'r-row-names.csv', entries: ['A Sales 2026-03-01 1.5', 'B Sales 2026-03-02 2.5'] },
  {
    file: 'r-names-of-stores.csv',
    stop: [
      'r-names-of-stores.csv have 3 cells and the header 2: if their first cells, such as "North" and "South", are names',
    ],
    ways: [['--row-names store', ['North Sales 2026-03-01 1.5', 'South Sales 2026-03-02 2.5']]],
  },
  {
    file: 'truth-values.csv',
    stop: ['Open: holds truth values, such as "TRUE" on line 2, and no numbers'],
    ways: [['--booleans numbers', ['A Open 2026-03-01 1', 'A Open 2026-03-02 0', 'A Open 2026-03-03 1']]],
  },
  {
    file: 'truth-values-beside-numbers.csv',
    entries: ['A Sales 2026-03-01 3', 'A Sales 2026-03-02 4'],
  },
  {
    file: 'truth-values-beside-numbers.csv',
    flags: ['--booleans', 'numbers'],
    entries: ['A Offen 2026-03-01 1', 'A Offen 2026-03-02 0', 'A Sales 2026-03-01 3', 'A Sales 2026-03-02 4'],
  },
  {
    file: 'unnamed-date-column.csv',
    flags: ['--source', 'X'],
    entries: ['X Sales 2026-03-01 1', 'X Visits 2026-03-01 2', 'X Sales 2026-03-02 3', 'X Visits 2026-03-02 4'],
  },
  { file: 'formula-quoted.csv', entries: ['A Sales 2026-03-01 10', 'A Sales 2026-03-02 20'] },
  {
    file: 'wrong-weekday.csv',
    flags: ['--frequency', 'D'],
    entries: ['A Sales 2026-01-05 10'],
    rejects: ['"Tue 2026-01-07" names another day of the week: 2026-01-07 is a Wednesday'],
  },
  { file: 'dates-with-apostrophes.csv', entries: ['A Sales 2026-03-01 5', 'A Sales 2026-03-02 6'] },
  { file: 'neutralised-minus.csv', entries: ['A Delta 2026-03-01 -75.63', 'A Delta 2026-03-02 20'] },
  {
    file: 'epoch.csv',
    stop: ['Date: "1772323200" on line 2 looks like a count of seconds since 1970'],
    ways: [['--date-format UNIX', ['A Sales 2026-03-01 10', 'A Sales 2026-03-02 20']]],
  },
  {
    file: 'epoch-with-times.csv',
    stop: ['Date: has times of day, such as "1772326801" on line 2, which looks like a count of seconds since 1970'],
    ways: [['--date-format UNIX --time drop', ['A Sales 2026-03-01 10', 'A Sales 2026-03-02 20']]],
  },
  {
    file: 'format-suggestion.csv',
    flags: ['--frequency', 'D'],
    stop: ['"03/10/2026" on line 3 (DD/MM/YYYY or MM/DD/YYYY)', '--date-format YYYY-MM-DD'],
    ways: [
      [
        '--date-format YYYY-MM-DD|DD/MM/YYYY',
        ['A Sales 2026-03-01 10', 'A Sales 2026-10-03 20', 'A Sales 2026-03-12 30'],
      ],
      [
        '--date-format YYYY-MM-DD|MM/DD/YYYY',
        ['A Sales 2026-03-01 10', 'A Sales 2026-03-10 20', 'A Sales 2026-03-12 30'],
      ],
    ],
  },
  {
    file: 'index-column-is-kpi.csv',
    stop: ['Unnamed: 0: holds whole numbers, and is named for ids'],
    ways: [['--ignore Unnamed: 0', ['A Sales 2026-03-01 1.5', 'B Sales 2026-03-02 2.5']]],
  },
  {
    file: 'sheetjs-seconds-before-midnight.xlsx',
    stop: ['Date: has only times within a minute of midnight, such as "2021-12-19 23:59:32" on line 2'],
    ways: [
      ['--time round', ['A Sales 2021-12-20 1', 'A Sales 2021-12-21 2']],
      ['--time drop', ['A Sales 2021-12-19 1', 'A Sales 2021-12-20 2']],
    ],
  },
  {
    file: 'week-beginning-sunday.csv',
    stop: ['Sales: is weekly, and all its dates are Sundays, such as 2026-03-01 on line 2'],
    ways: [
      ['--period-dates as-is', ['A Sales 2026-03-01 10', 'A Sales 2026-03-08 20', 'A Sales 2026-03-15 30']],
      ['--period-dates next', ['A Sales 2026-03-02 10', 'A Sales 2026-03-09 20', 'A Sales 2026-03-16 30']],
    ],
  },
  {
    file: 'month-names.csv',
    flags: ['--date-format', 'MMMM YYYY'],
    entries: MONTHS_READ.split(' ').map((language) => `${language} Sales 2025-10-01 ${ORDINAL.get(language)}`),
    rejects: ['"listopad 2025" names a month that is another one in another language', '"مهر 2025" must be a date'],
  },
  {
    file: 'weekday-before-date.csv',
    entries: ['A Sales 2026-03-01 10', 'A Sales 2026-03-02 20'],
  },
]

test.each(CASES.filter(({ entries }) => entries))('$file is read as it is meant', async (one) => {
  const { file, flags = [], entries = [], rejects = [] } = one
  const ran = await importFile(file, flags)
  expect([ran.code, ran.stderr]).toEqual([rejects.length > 0 ? 3 : 0, expect.any(String)])
  for (const part of rejects) expect(notesIn(ran)).toContain(part)
  expect(await stored()).toEqual(entries.toSorted())
})

describe.each(CASES.filter(({ stop }) => stop))('$file stops', ({ file, flags = [], stop = [], ways = [] }) => {
  test('and says why', async () => {
    const ran = await importFile(file, flags)
    expect(ran.code).toBe(1)
    for (const part of stop) expect(allOf(errorOf(ran))).toContain(part)
    expect(await stored()).toEqual([])
  })

  test.each(ways)('and is read with %s, as it advises', async (way, expected) => {
    const advised = waysIn(`${allOf(errorOf(await importFile(file, flags)))} `)
    const pasted = advised.find((words) => words.join(' ') === way)
    expect(advised.map((words) => words.join(' '))).toContain(way)
    const ran = await importFile(file, [...flags, ...(pasted ?? [])])
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)])
    expect(await stored()).toEqual(expected.toSorted())
  })
})
