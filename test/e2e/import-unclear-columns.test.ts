import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(() => user[Symbol.asyncDispose]())

/** Imports a file into a new account, as far as showing what would be created. */
const preview = (rows: readonly string[], ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), `${rows.join('\n')}\n`)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '--dry-run', '-o', 'csv', ...args)
}

/** Returns why a file is not imported. */
const refusal = async (rows: readonly string[], ...args: string[]): Promise<string> => {
  const ran = await preview(rows, ...args)
  expect(ran.code).toBe(1)
  return ran.stderr
}

describe('the unit of values', () => {
  test.each<[name: string, rows: string[], unit: string]>([
    [
      'is that of a column of currencies',
      ['Store,Date,Sales,Currency', 'A,2026-03,5,EUR', 'B,2026-03,7,EUR'],
      'unit EUR: "EUR" on line 2',
    ],
    [
      'is that of a column of units, for each KPI',
      ['Store,KPI,Date,Value,Unit', 'A,Weight,2026-03,5,kg', 'A,Sales,2026-03,7,kEUR'],
      'unit kEUR: "kEUR" on line 3',
    ],
    ['keeps its factor', ['Store,Month,Sales (Mio. €)', 'A,2026-03,1'], 'unit Mio. €: its name says so'],
    [
      'is the currency of a name, not its sign',
      ['Store,Month,Sales (USD)', 'A,2026-03,$5'],
      'unit USD: its name says so',
    ],
    [
      'is the currency of a column, not its sign',
      ['Store,Month,Sales,Currency', 'A,2026-03,$5,CAD'],
      'unit CAD: "CAD" on line 2',
    ],
  ])('%s', async (_name, rows, unit) => {
    const ran = await preview(rows)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(unit)
  })

  test.each<[name: string, rows: string[], says: string]>([
    [
      'differs between rows',
      ['Store,Date,Sales,Currency', 'A,2026-03,5,EUR', 'B,2026-03,7,USD'],
      'Currency: says that values of one KPI have different units: "EUR" on line 2, "USD" on line 3; import each from a file of its own, or make a KPI for each with --map kpi=Currency,actual=Sales --map-kpi "EUR=Sales EUR,USD=Sales USD"; --ignore Currency takes the numbers as they are',
    ],
    [
      'differs between rows of one KPI',
      ['Store,KPI,Date,Value,Unit', 'A,Sales,2026-03,5,EUR', 'B,Sales,2026-03,7,kg', 'B,Size,2026-03,7,m²'],
      'Unit: says that values of one KPI have different units: "EUR" on line 2, "kg" on line 3; import each from a file of its own, or make a KPI for each with --map kpi=KPI+Unit; --ignore Unit takes the numbers as they are',
    ],
    [
      'differs far below',
      [
        'Store,Date,Sales,Currency',
        ...Array.from({ length: 1200 }, (_, at) => `S${at},2026-03,5,EUR`),
        'B,2026-03,7,USD',
      ],
      '"EUR" on line 2, "USD" on line 1202',
    ],
    [
      'is another one by the name',
      ['Store,Month,Sales (EUR)', 'A,2026-03,$5.00', 'B,2026-03,$7.00'],
      'Sales (EUR): is in EUR by its name, and "$5.00" on line 2 says otherwise: write the same unit everywhere, or say which it is: --unit NAME, or --map-kpi "Sales (EUR)=NAME" for a name without a unit',
    ],
    [
      'is another one by a column',
      ['Store,Month,Sales,Currency', 'A,2026-03,$5.00,EUR'],
      'Sales: has values in different units, "EUR" on line 2 and "$5.00" on line 2: write',
    ],
  ])('%s, which stops the import', async (_name, rows, says) => {
    expect(await refusal(rows)).toContain(says)
  })

  test('differs, and flags settle it', async () => {
    const rows = ['Store,Date,Sales,Currency', 'A,2026-03,5,EUR', 'B,2026-03,7,USD']
    const named = await preview(rows, '--map', 'kpi=Currency,actual=Sales', '--map-kpi', 'EUR=Sales EUR,USD=Sales USD')
    expect(named.stderr).toContain('KPI "Sales USD": unit USD: its name says so')
    expect((await preview(rows, '--ignore', 'Currency')).stderr).toContain('unit Number')
    const priced = ['Store,Month,Sales (EUR)', 'A,2026-03,$5.00']
    expect((await preview(priced, '--map-kpi', 'Sales (EUR)=Sales')).stderr).toContain('KPI "Sales": monthly')
    expect((await preview(priced, '--unit', 'Currency')).stderr).toContain('unit Currency: --unit')
  })
})

/** Returns rows of many stores, each with a text in the last column, and one row with another. */
const longFile = (header: string, text: string, last: string): string[] => [
  `Store,Month,Visits,${header}`,
  ...Array.from({ length: 1200 }, (_, at) => `S${at},2026-03,${(at * at) % 1009},${text}`),
  `Z,2026-03,4,${last}`,
]
/** Returns the same in a file of few rows. */
const shortFile = (header: string, text: string, last: string): string[] => [
  `Store,Month,Visits,${header}`,
  `A,2026-03,5,${text}`,
  `Z,2026-03,4,${last}`,
]

describe('what only later rows show of a column', () => {
  test.each<[name: string, header: string, text: string, last: string, says: string]>([
    ['texts below nothing', 'Remark', '', 'storm', 'columns left out: Remark'],
    ['texts below nothing, under a name for notes', 'Note', '', 'storm', 'columns left out: Note'],
    ['numbers below nothing', 'Stock', '', '7', 'KPI "Stock"'],
    ['nothing at all', 'Stock', '', '', 'to create: 1 KPI,'],
    ['units below nothing', 'Unit', '', 'kg', 'columns left out: Unit'],
  ])('%s count as in a short file', async (_name, header, text, last, says) => {
    for (const rows of [shortFile(header, text, last), longFile(header, text, last)]) {
      const ran = await preview(rows)
      expect(ran.code).toBe(0)
      expect(ran.stderr).toContain(says)
      expect(ran.stdout).not.toContain('reject')
    }
  })

  test.each<[name: string, header: string, text: string, last: string, says: string]>([
    ['a text below numbers', 'Stock', '7.5', 'x', 'Stock: has numbers, and other texts such as "x" on line'],
    ['a number below texts', 'Remark', 'fine', '7', 'Remark: has numbers, '],
    ['ids below nothing', 'Order no', '', '7', 'Order no: holds whole numbers, and is named for ids'],
    [
      'quantities below nothing',
      'Weight',
      '',
      '7 kg',
      'Weight: has numbers with units or scales, such as "7 kg" on line',
    ],
  ])('%s stop the import as in a short file', async (_name, header, text, last, says) => {
    expect(await refusal(shortFile(header, text, last))).toContain(says)
    const long = await refusal(longFile(header, text, last))
    expect(long).toContain(says)
    const explained = await user.kpi('entries', 'import', 'data.csv', '--create-missing', '--explain', '-o', 'csv')
    expect(explained.stderr).toContain(says)
  })
})

test('one bad cell in the only column of numbers is named, and each flag that is named settles it', async () => {
  const rows = ['Store,Date,Sales', 'A,2026-03-01,5', 'A,2026-03-02,$ -', 'A,2026-03-03,6']
  expect(await refusal(rows)).toContain('Sales: has numbers, and other texts such as "$ -" on line 3')
  expect(await preview(rows, '--missing', '"$ -"')).toMatchObject({ code: 0 })
  const rejecting = await preview(rows, '--map-kpi', 'Sales=Sales')
  expect(rejecting.stdout.match(/,reject,/g)).toHaveLength(1)
  expect(rejecting.stderr).toContain('KPI "Sales"')
  const constant = await preview(rows, '--kpi', 'Turnover', '--map', 'actual=Sales')
  expect(constant.stdout.match(/,reject,/g)).toHaveLength(1)
})

describe('columns of items, one of which is named as ids are', () => {
  const flags = ['--kpi', 'Energy use', '--as', 'items', '--frequency', 'D']

  test('are read where the names are codes, as those of countries are', async () => {
    const ran = await preview(['Date,NO,ES,DE', '2026-03-01,5.5,6,7'], ...flags)
    expect([ran.code, ran.stdout.match(/,create,/g)?.length]).toEqual([0, 3])
  })

  test.each<[header: string, cells: string, name: string]>([
    ['Date,NO,ES,DE', '5,6,7', 'NO'],
    ['Date,EUR,USD,PLZ', '5.5,6.5,10115', 'PLZ'],
  ])('stop where %s has whole numbers, which may be ids', async (header, cells, name) => {
    expect(await refusal([header, `2026-03-01,${cells}`], ...flags)).toContain(`${name}: holds whole numbers`)
  })

  test('stop otherwise, until --columns says that it is read', async () => {
    const rows = ['Date,No,North,South', '2026-03-01,5,6,7']
    expect(await refusal(rows, ...flags)).toContain(
      'No: holds whole numbers, and is named for ids: --ignore No leaves the column out, --columns Date,No,North,South reads it as a breakdown item',
    )
    const ran = await preview(rows, ...flags, '--columns', 'Date,No,North,South')
    expect([ran.code, ran.stdout.match(/,create,/g)?.length]).toEqual([0, 3])
  })
})

describe('a column with the name of a total', () => {
  const rows = ['Store,Month,total', 'A,2026-03,5', 'B,2026-03,6']

  test('stops the import, and names three ways out', async () => {
    expect(await refusal(rows)).toContain(
      'total: would be a new KPI, and looks like a total or an average: --ignore total leaves its column out; --map-kpi total=NAME imports it as the KPI of that name; --ignore-rows none imports it',
    )
  })

  test.each<[flags: string[], says: string]>([
    [['--map-kpi', 'total=Sales'], 'KPI "Sales"'],
    [['--ignore-rows', 'none'], 'KPI "total"'],
  ])('is imported with %j', async (flags, says) => {
    const ran = await preview(rows, ...flags)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(says)
  })

  test('is left out with --ignore, beside another', async () => {
    const both = ['Store,Month,Visits,total', 'A,2026-03,5,1', 'B,2026-03,6,2']
    expect(await refusal(both)).toContain('--map-kpi total=NAME')
    expect(await preview(both, '--ignore', 'total')).toMatchObject({ code: 0 })
  })
})
