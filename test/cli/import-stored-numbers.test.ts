import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'
import { odsFiles, rowsOf, xlsxOf } from '../support/workbook.ts'
import { zipOf } from '../support/zip.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(() => user[Symbol.asyncDispose]())

/** Cells of one column: numbers are stored as such, and texts as texts. */
type Cells = readonly (string | number)[]

/** The days of January; the fifth row has none. */
const dayOf = (at: number): string => (at === 4 ? 'never' : `2026-01-${String(at + 1).padStart(2, '0')}`)

const xlsxColumn = (cells: Cells): Buffer =>
  xlsxOf({ sheets: { A: rowsOf([['date', 'actual'], ...cells.map((cell, at) => [dayOf(at), cell])]) } })

const odsCell = (cell: string | number): string =>
  typeof cell === 'number'
    ? `<table:table-cell office:value-type="float" office:value="${cell}"/>`
    : `<table:table-cell office:value-type="string"><text:p>${cell}</text:p></table:table-cell>`

const odsColumn = (cells: Cells): Buffer => {
  const rows = [['date', 'actual'], ...cells.map((cell, at) => [dayOf(at), cell])]
  return zipOf(
    odsFiles({ A: rows.map((row) => `<table:table-row>${row.map(odsCell).join('')}</table:table-row>`).join('') }),
  )
}

const FORMATS: readonly (readonly [name: string, columnOf: (cells: Cells) => Buffer])[] = [
  ['data.xlsx', xlsxColumn],
  ['data.ods', odsColumn],
]

const importOf = (...args: readonly string[]): ReturnType<User['kpi']> =>
  user.kpi('entries', 'import', ...args, '--user', 'Ann Lee', '--kpi', 'Visits')

/** The values of January by their days. */
const stored = async (): Promise<string[]> => {
  const range = ['--from', '2026-01-01', '--to', '2026-01-31']
  const entries = jsonOf(await user.kpi('entries', 'list', '--kpi', 'Visits', ...range, '-o', 'json')) as {
    actual: number
  }[]
  return entries.map(({ actual }) => String(actual))
}

describe.each(FORMATS)('a column of %s with numbers and texts', (name, columnOf) => {
  const write = (cells: Cells): void => writeFileSync(user.folder.in(name), columnOf(cells))

  test.each<[what: string, cells: Cells]>([
    ['a decimal point', [1.5, '1.234', '2.345']],
    ['a decimal comma', [1.5, '1,234']],
    ['the point of a number that could be in thousands', ['1.234', 1.234]],
  ])('stops if nothing but the numbers shows how the texts are written: %s', async (_, cells) => {
    write(cells)
    const { code, stderr } = await importOf(name)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /actual: "1[.,]234" on line \d is 1\.?234 \(with a decimal point\) or 1\.?234 \(with a decimal comma\), and no other cell shows which; say it: --decimal \. or --decimal ,/,
    )
  })

  test.each<[what: string, cells: Cells, flags: readonly string[], values: readonly string[]]>([
    ['as a text shows it', [1.5, '1.234', '1.234,50', 2.25], [], ['1.5', '1234', '1234.5', '2.25']],
    ['as a text after numbers shows it', [1.234, 12.345, '0,5'], [], ['1.234', '12.345', '0.5']],
    ['as the user says: a comma', [1.5, '1.234'], ['--decimal', ','], ['1.5', '1234']],
    ['as the user says: a point', [1.5, '1.234', 7], ['--decimal', '.'], ['1.5', '1.234', '7']],
    ['by whole numbers', [1.5, '12', 3], [], ['1.5', '12', '3']],
    ['in many digits', [1234567.891, 0.00004, '1,5'], [], ['1234567.891', '0', '1.5']],
  ])('is read %s', async (_, cells, flags, values) => {
    write(cells)
    expect((await importOf(name, ...flags)).code).toBe(0)
    expect(await stored()).toEqual(values)
  })

  test('has rejects in which the numbers are written like the texts', async () => {
    write([1.5, '0,5', 2, '1.234', 2.345])
    const ran = await importOf(name)
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('--decimal ,')])
    const rejects = readFileSync(user.folder.in('data.rejects.csv'), 'utf8')
    expect(rejects).toContain('never,"2,3450",6,')
    writeFileSync(user.folder.in('data.rejects.csv'), rejects.replace('never', '2026-01-05'))
    expect((await importOf('data.rejects.csv', '--decimal', ',')).code).toBe(0)
    expect(await stored()).toEqual(['1.5', '0.5', '2', '1234', '2.345'])
  })

  test('is explained by its texts, or as numbers', async () => {
    const formatOf = async (cells: Cells): Promise<unknown> => {
      write(cells)
      const found = jsonOf(await importOf(name, '--explain', '-o', 'json')) as { topic: string }[]
      return found.find(({ topic }) => topic === 'format of actual')
    }
    const topic = 'format of actual'
    expect(await formatOf([1.5, 2])).toEqual({ topic, found: 'stored as numbers', evidence: '"1.5" on line 2' })
    expect(await formatOf([1.5, '2,5'])).toEqual({ topic, found: 'a decimal comma', evidence: '"2,5" on line 3' })
    expect(await formatOf([1, 2])).toEqual({ topic, found: 'whole numbers', evidence: 'no cell has decimals' })
  })
})

test('a wide workbook has numbers and texts beside each other', async () => {
  const sheet = rowsOf([
    ['date', 'Visits'],
    ['2026-01-01', 1.5],
    ['2026-01-02', '1.234,5'],
  ])
  writeFileSync(user.folder.in('wide.xlsx'), xlsxOf({ sheets: { A: sheet } }))
  expect((await user.kpi('entries', 'import', 'wide.xlsx', '--user', 'Ann Lee')).code).toBe(0)
  expect(await stored()).toEqual(['1.5', '1234.5'])
})

test('numbers of a database show nothing of its texts', async () => {
  const database = new DatabaseSync(user.folder.in('shop.sqlite'))
  database.exec(`CREATE TABLE counts (date, actual);
    INSERT INTO counts VALUES ('2026-01-01', 1.5), ('2026-01-02', '1.234')`)
  database.close()
  const query = ['--sql', 'select * from counts', '--from-db', 'shop.sqlite']
  expect((await importOf(...query)).stderr).toContain('say it: --decimal . or --decimal ,')
  expect((await importOf(...query, '--decimal', ',')).code).toBe(0)
  expect(await stored()).toEqual(['1.5', '1234'])
})
