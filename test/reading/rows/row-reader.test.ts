import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatDay } from '../../../src/domain/day.ts'
import { formatDecimal } from '../../../src/domain/decimal.ts'
import { createBlock, pushRow } from '../../../src/blocks/block.ts'
import { lineOf } from '../../../src/blocks/packed-row.ts'
import { draftAt } from '../../../src/domain/entry-block.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { embeddedImporter, ID, type Importer } from '../../support/import.ts'
import { type ReadRows, readTable } from '../../support/rows.ts'

let importer: Importer
beforeAll(async () => {
  importer = await embeddedImporter()
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

const read = (lines: readonly string[], options?: Partial<ImportOptions>): Promise<ReadRows> =>
  readTable(
    importer.client,
    lines.map((line) => line.split(',')),
    options,
  )

/** The entries that rows came to, as they would be sent. */
const sent = ({ entries }: ReadRows): string[] =>
  entries.map((row) => {
    const block = createBlock(1)
    pushRow(block, row)
    const { user_id, kpi_id, entry_date, ...values } = draftAt(block, 0)
    const shown = Object.entries(values).map(
      ([name, value]) => `${name}=${typeof value === 'bigint' ? formatDecimal(value) : String(value)}`,
    )
    return [`${lineOf(row.line)}:`, user_id, kpi_id, formatDay(entry_date), ...shown].join(' ')
  })

const LONG = 'user,kpi,date,actual,target,notes'
const { ann, bob, sales, visits } = ID

describe('a row of a long file', () => {
  test.each<[name: string, row: string, entry: string, options?: Partial<ImportOptions>]>([
    [
      'with names',
      'Ann Lee,Visits,2026-01-31,1.5,20,fine',
      `${ann} ${visits} 2026-01-31 actual=1.5 target=20 notes=fine`,
    ],
    ['with ids', `${bob},${sales},2026-01-31,-1,,`, `${bob} ${sales} 2026-01-31 actual=-1`],
    ['with an e-mail address', 'BOB@example.com,sales,2026-01-31,0,,', `${bob} ${sales} 2026-01-31 actual=0`],
    ['with spaces around cells', ' bob , Sales , 2026-01-31 , 1 ,, x ', `${bob} ${sales} 2026-01-31 actual=1 notes=x`],
    ['with notes only', 'Bob,Sales,2026-01-31,,,x', `${bob} ${sales} 2026-01-31 notes=x`],
    ['with too few cells', 'Bob,Sales,2026-01-31,7', `${bob} ${sales} 2026-01-31 actual=7`],
    [
      'with empty cells that clear',
      'Bob,Sales,2026-01-31,7,,',
      `${bob} ${sales} 2026-01-31 actual=7 target=null notes=null`,
      { clearEmpty: true },
    ],
  ])('is an entry: %s', async (_, row, entry, options) => {
    expect(sent(await read([LONG, row], options))).toEqual([`2: ${entry}`])
  })

  test('without any value is no entry and no reject', async () => {
    const { entries, rejects, empty } = await read([LONG, 'Bob,Sales,2026-01-31,, ,', 'Bob,Sales,2026-01-31'])
    expect({ entries, rejects, empty }).toEqual({ entries: [], rejects: [], empty: 2 })
  })

  const NUMBER = 'must be a number'
  test.each<[row: string, reasons: string[]]>([
    [
      'Zed,Salez,2026-02-30,x,y,z',
      [
        'there is no user "Zed"',
        'there is no KPI "Salez"; did you mean "Sales"?',
        '"2026-02-30" is a date that does not exist',
        `actual "x" ${NUMBER}`,
        `target "y" ${NUMBER}`,
      ],
    ],
    [' ,,,1,,', ['the user is empty', 'the kpi is empty', 'the date is empty']],
    [
      '99,98,yesterday,1,,',
      ['there is no user "99"', 'there is no KPI "98"', '"yesterday" must be a date, YYYY-MM-DD'],
    ],
    ['Ann Lee,Closed,2026-01-01,1,,', ['KPI 3 (Closed) is inactive and takes no entries']],
    ['Bob,Visits,2026-01-01,1,,', ['KPI 2 (Visits) is not assigned to user 3 (Bob)']],
    [
      'Lou,Closed,1899-12-31,100000000000000,,',
      [
        '"1899-12-31" must be in the years 1900 to 2199',
        'user 4 (Lou) is locked',
        'KPI 3 (Closed) is inactive and takes no entries',
        'KPI 3 (Closed) is not assigned to user 4 (Lou)',
        'actual "100000000000000" must have at most 14 digits before the decimal point',
      ],
    ],
    ['Bob,Sales,2026-01-01,1,,x,y,z', ['the row has 8 cells, the header has 6']],
  ])('is rejected with all reasons at once: %s', async (row, reasons) => {
    const { entries, rejects } = await read([LONG, row])
    expect(entries).toEqual([])
    expect(rejects.map(([line, ...told]) => [line, told.toSorted()])).toEqual([[2, reasons.toSorted()]])
  })

  test('of a locked user is an entry, which may be stored just so', async () => {
    const { entries, rejects } = await read([LONG, 'Lou,Sales,2026-01-01,1,,'])
    expect([entries, rejects]).toMatchObject([[{ owner: 4, kpi: 1, actual: 1_0000n }], []])
  })

  test.each([
    ['too long', 'x'.repeat(501), 'has 501 characters, at most 500 are allowed'],
    ['a control character', 'a\u0007', 'has characters that text cannot hold, such as control characters'],
  ])('is rejected for notes that cannot be kept, and the reason names them: %s', async (_, notes, reason) => {
    const { entries, rejects } = await read([LONG, `Bob,Sales,2026-01-01,1,,${notes}`])
    expect(entries).toEqual([])
    expect(rejects).toEqual([[2, expect.stringMatching(new RegExp(`notes.*${reason}`))]])
  })

  test('is rejected for more than four decimals where that is strict, else rounded and counted', async () => {
    const lines = [LONG, 'Bob,Sales,2026-01-01,1.00005,,', 'Bob,Sales,2026-01-02,1.00000,-1.00005,']
    const lenient = await read(lines)
    expect(sent(lenient)).toEqual([
      `2: ${bob} ${sales} 2026-01-01 actual=1.0001`,
      `3: ${bob} ${sales} 2026-01-02 actual=1 target=-1.0001`,
    ])
    expect(lenient).toMatchObject({ rejects: [], rounded: 2 })
    expect(await read(lines, { strict: true })).toMatchObject({
      entries: [],
      rejects: [
        [2, 'actual "1.00005" has more than four decimals'],
        [3, 'target "-1.00005" has more than four decimals'],
      ],
      rounded: 0,
    })
  })
})

describe('constants', () => {
  test.each<[name: string, header: string, row: string, options: Partial<ImportOptions>]>([
    ['a user', 'kpi,date,actual', 'Sales,2026-01-31,1', { user: 'Bob' }],
    ['a KPI', 'user,date,actual', 'Bob,2026-01-31,1', { kpi: 'sales' }],
    ['a date', 'user,kpi,actual', 'Bob,Sales,1', { date: '2026-01-31' }],
    ['all', 'actual', '1', { user: '3', kpi: '1', date: ' 2026-01-31 ' }],
  ])('stand for a column: %s', async (_, header, row, options) => {
    expect(sent(await read([header, row], options))).toEqual([`2: ${bob} ${sales} 2026-01-31 actual=1`])
  })

  test.each<[options: Partial<ImportOptions>, message: string]>([
    [{ user: 'Bop' }, '--user: there is no user "Bop"; did you mean "Bob"?'],
    [{ kpi: '77' }, '--kpi: there is no KPI "77"'],
    [{ date: '2026-02-29' }, '--date: "2026-02-29" is a date that does not exist'],
  ])('that name nothing are refused: %o', async (options, message) => {
    const all = { user: 'Bob', kpi: 'Sales', date: '2026-01-01', ...options }
    await expect(read(['actual', '1'], all)).rejects.toMatchObject({ message })
  })
})

describe('a row of a wide file', () => {
  test('is an entry for each cell that holds a value', async () => {
    const byKpi = await read(['date,user,Sales,Visits', '2026-01-01,Ann Lee,1,', '2026-01-02,Ann Lee, 2 ,3'])
    expect(sent(byKpi)).toEqual([
      `2: ${ann} ${sales} 2026-01-01 actual=1`,
      `3: ${ann} ${sales} 2026-01-02 actual=2`,
      `3: ${ann} ${visits} 2026-01-02 actual=3`,
    ])
    expect(byKpi).toMatchObject({ rejects: [], empty: 1 })
    const byUser = await read(['date,Ann Lee,Bob', '2026-01-01,1,2'], { kpi: 'Sales' })
    expect(sent(byUser)).toEqual([`2: ${ann} ${sales} 2026-01-01 actual=1`, `2: ${bob} ${sales} 2026-01-01 actual=2`])
  })

  test('is loaded as far as it is good; the reasons name the columns', async () => {
    const read1 = await read(['date,user,Sales,Visits', '2026-01-01,Ann Lee,x,2', '2026-01-01,Bob,1,2'])
    expect(sent(read1)).toEqual([`2: ${ann} ${visits} 2026-01-01 actual=2`, `3: ${bob} ${sales} 2026-01-01 actual=1`])
    expect(read1.rejects).toEqual([
      [2, 'Sales "x" must be a number'],
      [3, 'KPI 2 (Visits) is not assigned to user 3 (Bob)'],
    ])
  })

  test('that names nobody, or no day, is rejected as a whole, with its bad cells', async () => {
    const { entries, rejects } = await read(['date,user,Sales,Visits', '2026-02-30,Zed,1,x', '2026-01-01,Bob,1,2,3'])
    expect(entries).toEqual([])
    expect(rejects).toEqual([
      [2, 'there is no user "Zed"', '"2026-02-30" is a date that does not exist', 'Visits "x" must be a number'],
      [3, 'the row has 5 cells, the header has 4'],
    ])
  })

  const NO_WEEK = '"W53 2023" is a date that does not exist, or not in the years 1900 to 2199'
  test.each<[name: string, rows: string[], entries: string[], rejects: ReadRows['rejects'], empty: number]>([
    ['is rejected', ['2023,Bob,1,999'], [`2: ${bob} ${sales} 2023-12-25 actual=1`], [[2, NO_WEEK]], 0],
    ['is rejected with what else is wrong', ['2023,Bob,,x'], [], [[2, 'W53 "x" must be a number', NO_WEEK]], 1],
    ['is rejected with its row', ['2023,Zed,,9'], [], [[2, 'there is no user "Zed"', NO_WEEK]], 1],
    ['is only counted if it is empty', ['2023,Bob,1,'], [`2: ${bob} ${sales} 2023-12-25 actual=1`], [], 1],
    ['is read in a year that has it', ['2020,Bob,,9'], [`2: ${bob} ${sales} 2020-12-28 actual=9`], [], 1],
  ])('with a value of a week that the year does not have, which %s', async (_, rows, entries, rejects, empty) => {
    const options = { kpi: 'Sales', dateFormat: 'YYYY' }
    const found = await read(['year,user,W52,W53', ...rows], options)
    expect([sent(found), found.rejects, found.empty]).toEqual([entries, rejects, empty])
  })

  test('that clears is rejected as a whole for a week that the year does not have', async () => {
    const options = { kpi: 'Sales', dateFormat: 'YYYY', clearEmpty: true }
    const found = await read(['year,user,W52,W53', '2023,Bob,1,9', '2023,Ann Lee,1,'], options)
    expect(sent(found)).toEqual([`3: ${ann} ${sales} 2023-12-25 actual=1`])
    expect([found.rejects, found.empty]).toEqual([[[2, NO_WEEK]], 1])
  })

  test('clears with its empty cells where they are to clear', async () => {
    const { entries } = await read(['date,user,Sales', '2026-01-01,Bob,'], { clearEmpty: true })
    expect(sent({ entries } as ReadRows)).toEqual([`2: ${bob} ${sales} 2026-01-01 actual=null`])
  })
})
