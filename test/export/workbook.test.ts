import { Workbook } from '@cj-tech-master/excelts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { day } from '../support/calendar.ts'
import { displayed } from '../support/displayed.ts'
import type { AnyRecord } from '../../src/domain/schema.ts'
import { reportRow } from '../../src/domain/resources/report-row.ts'
import { withHeads } from '../../src/cli/commands/report/readable-columns.ts'
import { exactNumber } from '../../src/domain/decimal.ts'
import { formatByPattern, readNumberPattern } from '../../src/domain/number-pattern.ts'
import { CIVIL_CALENDAR, type Frequency } from '../../src/domain/period.ts'
import { numberFormat, periodFormat } from '../../src/export/report/number-format.ts'
import { workbookFile } from '../../src/export/report/workbook.ts'

const ROW: AnyRecord = {
  kpiId: 1,
  kpiName: '=1+1',
  itemId: 2,
  itemName: 'Ann',
  labelFormat: '£ #.00',
  entryDate: 20_000,
  actual: 12_5000n,
  target: null,
  notes: ' a\nb\u0001<&>" ',
}

const cellsOf = async (
  rows: readonly AnyRecord[],
  about: { sheetName: string; title?: string[] } = { sheetName: 'Report' },
) => {
  const parts = (async function* () {
    yield rows
  })()
  const columns = withHeads(reportRow.brief, { calendar: () => CIVIL_CALENDAR, rounds: true })
  const bytes = Buffer.concat(await Array.fromAsync(workbookFile({ columns, parts }, { ...about, made: new Date(0) })))
  const book = new Workbook()
  await book.xlsx.load(bytes)
  const sheet = book.worksheets[0]
  if (!sheet) throw new Error('there is no sheet')
  return {
    sheet,
    cell: (name: string, row = about.title ? 5 : 2) =>
      sheet.getCell(row, columns.findIndex((one) => one.name === name) + 1),
  }
}

describe('a workbook', () => {
  test('has typed cells in the format of their unit, below a header that stays in view', async () => {
    const { sheet, cell } = await cellsOf([ROW])
    expect(cell('kpi', 1).value).toBe('kpi')
    expect(cell('kpi', 1).font?.bold).toBe(true)
    expect(sheet.views[0]).toMatchObject({ state: 'frozen', ySplit: 1 })
    expect(sheet.autoFilter).toBe(`A1:${cell('notes').address}`)
    expect(cell('kpi').value).toBe('=1+1')
    expect([cell('actual').value, cell('actual').numFmt]).toEqual([12.5, '"£ "0.00'])
    expect(cell('period').value).toEqual(new Date('2024-10-04T00:00:00Z'))
    expect(cell('period').numFmt).toBe('yyyy-mm-dd')
    expect(cell('target').value).toBeNull()
    expect(cell('notes').value).toBe(' a\nb<&>" ')
  })

  test('holds a number with more digits than a double as a text', async () => {
    const { cell } = await cellsOf([{ ...ROW, actual: 12_3456_7890_1234_5678n }])
    expect(cell('actual').value).toBe('12345678901234.5678')
  })

  test('is refused where a text is longer than a cell can be', async () => {
    expect((await cellsOf([{ ...ROW, notes: 'x'.repeat(32_767) }])).cell('notes').value).toHaveLength(32_767)
    await expect(cellsOf([{ ...ROW, notes: 'x'.repeat(32_768) }])).rejects.toThrow('notes has 32768 characters')
  })

  test('has a title and what it is about above its header, and a sheet that is called so', async () => {
    const { sheet, cell } = await cellsOf([ROW], {
      sheetName: "'Sales: [Q3/Q4] of the whole of the north'",
      title: ['Sales', 'Q3'],
    })
    expect([1, 2, 3].map((row) => sheet.getCell(row, 1).value)).toEqual(['Sales', 'Q3', null])
    expect(sheet.getCell(1, 1).font?.bold).toBe(true)
    expect(cell('kpi', 4).value).toBe('kpi')
    expect([cell('actual').value, cell('actual').numFmt]).toEqual([12.5, '"£ "0.00'])
    expect(sheet.views[0]).toMatchObject({ state: 'frozen', ySplit: 4 })
    expect(sheet.autoFilter).toBe('A4:F5')
    expect(sheet.name).toBe('Sales   Q3 Q4  of the whole of')
  })

  test('of no rows has its header', async () => {
    const { cell } = await cellsOf([])
    expect(cell('kpi', 1).value).toBe('kpi')
  })
})

test.each<[pattern: string, value: bigint, format: string]>([
  ['#', 5_0000n, '0'],
  ['#.00', 5_0000n, '0.00'],
  ['£ #.00', 5_0000n, '"£ "0.00'],
  ['#.00%', 5_0000n, '0.00"%"'],
  ['#,##0.00', 5_0000n, '#,##0.00'],
  ['"#.0', 5_0000n, '""\\"""0.0'],
  ['#.##', 5_0000n, '0'],
  ['#.##', 5_2500n, '0.00'],
  ['units', 5_1250n, '0.000'],
])('the pattern %s of %s is the number format %s', (pattern, value, format) => {
  expect(numberFormat(value, readNumberPattern(pattern))).toBe(format)
})

test('a number format shows what people read elsewhere', () => {
  const patterns = fc.constantFrom('#', '#.00', '£ #.00', '#.00%', '#,##0.0#', '"#.0', '#.##', 'units', '€-#,##0 x')
  fc.assert(
    fc.property(patterns, fc.bigInt(-(10n ** 15n), 10n ** 15n), fc.boolean(), (text, value, isSigned) => {
      const pattern = readNumberPattern(text)
      const number = exactNumber(value)
      fc.pre(number !== undefined)
      const plus = isSigned && value > 0n ? '+' : ''
      expect(displayed(number, numberFormat(value, pattern, isSigned))).toBe(plus + formatByPattern(value, pattern))
    }),
  )
})

test.each<[frequency: Frequency, start: string, month: number, format: string]>([
  ['D', '2026-10-05', 1, 'yyyy-mm-dd'],
  ['W', '2026-10-05', 1, 'yyyy-mm-dd'],
  ['M', '2026-10-01', 1, 'yyyy-mm'],
  ['Q', '2026-10-01', 1, 'yyyy"-Q4"'],
  ['Q', '2026-10-01', 4, 'yyyy"-Q3"'],
  ['Q', '2027-01-01', 4, 'yyyy-mm-dd" (2026-Q4)"'],
  ['Y', '2026-04-01', 4, 'yyyy'],
])(
  'a period of %s from %s on, in a year that begins in month %i, is formatted by %s',
  (frequency, start, month, format) => {
    expect(periodFormat(frequency, day(start), { ...CIVIL_CALENDAR, fiscal_year_start: month })).toBe(format)
  },
)
