import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

/* Files of an account that has its KPIs and people already, so that an import creates nothing. */

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  for (const name of ['Sales', 'Visits']) await user.kpi('kpis', 'create', '--name', name, '--frequency', 'D')
  await user.kpi('users', 'create', '--first-name', 'Ann', '--email', 'ann@example.com')
})
afterEach(() => user[Symbol.asyncDispose]())

const write = (name: string, text: string): void => writeFileSync(user.folder.in(name), text)

/** Imports files; only that lets a run end with 0 whose people have the KPIs not yet. */
const importFiles = (files: readonly string[], ...args: string[]): Promise<Ran> =>
  user.kpi('entries', 'import', ...files, '--create-assignments', '--quiet', '-o', 'csv', ...args)

/** Returns all entries as `date actual`, in order. */
const stored = async (): Promise<string[]> => {
  const { stdout } = await user.kpi('entries', 'list', '--from', '2026-01-01', '--to', '2026-12-31', '-o', 'json')
  const rows = JSON.parse(stdout) as { entry_date: string; actual: number }[]
  return rows.map(({ entry_date, actual }) => `${entry_date} ${actual}`).toSorted()
}

test('a column of truth values is left out with a note beside columns of KPIs', async () => {
  write('shops.csv', 'date,user,Sales,Open\n2026-04-01,Ann,10,true\n2026-04-02,Ann,20,false\n')
  const ran = await user.kpi('entries', 'import', 'shops.csv', '--create-assignments')
  expect([ran.code, await stored()]).toEqual([0, ['2026-04-01 10', '2026-04-02 20']])
  expect(ran.stderr).toContain('columns left out: Open, which holds truth values (--booleans numbers')
})

test.each<[why: string, header: string, cell: string]>([
  ['nothing else names a KPI', 'date,user,Open', 'true'],
  ['a number stands further down', 'date,user,Sales,Open', '17'],
])('a column of truth values stops the import where %s', async (_, header, last) => {
  const row = (cell: string): string => ['2026-04-01', 'Ann', ...(header.includes('Sales') ? ['1'] : []), cell].join()
  write('shops.csv', [header, ...Array.from({ length: 600 }, () => row('true')), row(last), ''].join('\n'))
  const ran = await importFiles(['shops.csv'], '--on-duplicate', 'sum')
  expect([ran.code, await stored()]).toEqual([1, []])
  expect(ran.stderr).toContain('"Open"')
})

test('flags may name columns that only some of several files have', async () => {
  write('one.csv', 'timestamp,user,Sales,Region\n2026-04-01,Ann,10,North\n')
  write('two.csv', 'date,user,Sales\n2026-04-02,Ann,20\n')
  write('three.csv', 'year,month,user,Sales\n2026,5,Ann,30\n')
  const flags = ['--ignore', 'Region', '--map', 'date=timestamp']
  const ran = await user.kpi('entries', 'import', 'one.csv', 'two.csv', '--create-assignments', ...flags)
  expect([ran.code, await stored()]).toEqual([0, ['2026-04-01 10', '2026-04-02 20']])
  expect(ran.stderr).toContain('read without --map date=timestamp, as two.csv has no column "timestamp"\n')
  const columns = ['--columns', 'date,user,Sales,year,month', '--map', 'date=year+month', '--period-dates', 'first']
  expect((await importFiles(['two.csv', 'three.csv'], ...columns)).code).toBe(0)
  expect(await stored()).toEqual(['2026-04-01 10', '2026-04-02 20', '2026-05-01 30'])
})

test('a column that none of several files has is named for each', async () => {
  write('one.csv', 'timestamp,user,Sales,Region\n2026-04-01,Ann,10,North\n')
  write('two.csv', 'date,user,Sales\n2026-04-02,Ann,20\n')
  const ran = await importFiles(['one.csv', 'two.csv'], '--ignore', 'Regoin', '--map', 'date=timestmap')
  expect([ran.code, await stored()]).toEqual([1, []])
  for (const says of ['date: there is no column "timestmap"', 'ignore: there is no column "Regoin"'])
    expect(ran.stderr.split(says)).toHaveLength(3)
})

test('the only column of dates without a name is the date', async () => {
  write('data.csv', ',user,Sales\n2026-04-01,Ann,10\n2026-04-02,Ann,20\n')
  expect((await importFiles(['data.csv'])).code).toBe(0)
  expect(await stored()).toEqual(['2026-04-01 10', '2026-04-02 20'])
  const ran = await importFiles(['data.csv'], '--map', 'date=1')
  expect(ran.stderr).toContain('date: there is no column "1"; there are #1, user, Sales\n')
})

test.each<[why: string, text: string, says: string, flags: string[]]>([
  [
    'seconds since 1970',
    'timestamp,user,Sales\n1775001600,Ann,10\n',
    '"timestamp" holds numbers that look like seconds since 1970: --map date=timestamp --date-format UNIX',
    ['--map', 'date=timestamp', '--date-format', 'UNIX'],
  ],
  [
    'milliseconds within a day, below no name',
    ',user,Sales\n1775001600123,Ann,10\n',
    'column 1, which has no name, holds numbers that look like seconds since 1970: --map "date=#1" --date-format UNIX --time drop',
    ['--map', 'date=#1', '--date-format', 'UNIX', '--time', 'drop'],
  ],
  [
    'dates below another name',
    'when,user,Sales\n2026-04-01,Ann,10\n',
    '"when" holds dates: --map date=when',
    ['--map', 'date=when'],
  ],
  [
    'dates in two columns',
    'when,made,user,kpi,actual\n2026-04-01,2026-04-02,Ann,Sales,10\n',
    '"when" holds dates: --map date=when; "made" holds dates: --map date=made',
    ['--map', 'date=when'],
  ],
])('where no column is the date, what looks like it is shown with all flags: %s', async (_, text, says, flags) => {
  write('data.csv', text)
  const ran = await importFiles(['data.csv'])
  expect([ran.code, ran.stderr.split('\n').slice(1).join('\n')]).toEqual([
    1,
    `  date: no column is the date; give one with --map date=COLUMN or --date; ${says}\n`,
  ])
  expect([(await importFiles(['data.csv'], ...flags)).code, await stored()]).toEqual([0, ['2026-04-01 10']])
})
