import { Workbook } from '@cj-tech-master/excelts'
import { describe, expect, test } from 'vitest'
import type { AnyRecord } from '../../src/domain/schema.ts'
import { reportRow } from '../../src/domain/resources/report-row.ts'
import { numberFormat, workbookFile } from '../../src/export/report/workbook.ts'

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

const cellsOf = async (rows: readonly AnyRecord[]) => {
  const parts = (async function* () {
    yield rows
  })()
  const columns = reportRow.brief
  const bytes = Buffer.concat(
    await Array.fromAsync(workbookFile({ columns, parts }, { title: 'Report', made: new Date(0) })),
  )
  const book = new Workbook()
  await book.xlsx.load(bytes)
  const sheet = book.worksheets[0]
  if (!sheet) throw new Error('there is no sheet')
  return {
    sheet,
    cell: (name: string, row = 2) => sheet.getCell(row, columns.findIndex((one) => one.name === name) + 1),
  }
}

describe('a workbook', () => {
  test('has typed cells in the format of their unit, below a header that stays in view', async () => {
    const { sheet, cell } = await cellsOf([ROW])
    expect(cell('kpiName', 1).value).toBe('kpiName')
    expect(cell('kpiName', 1).font?.bold).toBe(true)
    expect(sheet.views[0]).toMatchObject({ state: 'frozen', ySplit: 1 })
    expect(sheet.autoFilter).toBe(`A1:${cell('notes').address}`)
    expect(cell('kpiName').value).toBe('=1+1')
    expect([cell('actual').value, cell('actual').numFmt]).toEqual([12.5, '"£ "0.00'])
    expect(cell('entryDate').value).toEqual(new Date('2024-10-04T00:00:00Z'))
    expect(cell('entryDate').numFmt).toBe('yyyy-mm-dd')
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

  test('of no rows has its header', async () => {
    const { cell } = await cellsOf([])
    expect(cell('kpiName', 1).value).toBe('kpiName')
  })
})

test.each([
  ['#', '0'],
  ['#.00', '0.00'],
  ['£ #.00', '"£ "0.00'],
  ['#.00%', '0.00"%"'],
  ['#,##0.00', '#,##0.00'],
  ['"#.0', '""\\"""0.0'],
  ['#.##', 'General'],
  ['units', 'General'],
])('the pattern %s is the number format %s', (pattern, format) => {
  expect(numberFormat(pattern)).toBe(format)
})
