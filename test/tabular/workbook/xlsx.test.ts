import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WorkbookWriter } from '@cj-tech-master/excelts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../support/documents.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readTable, refusalOf } from '../../support/tables.ts'
import { rowsOf, xlsxFiles, xlsxOf } from '../../support/workbook.ts'
import { zipOf } from '../../support/zip.ts'
import { runs } from '../../support/soak/tests.ts'

const fixture = (name: string): Buffer => readFileSync(join(ROOT, 'test', 'data', 'workbooks', name))

/** One row of cells in a sheet: the texts that its cells are read as. */
const cellsOf = async (
  cells: string,
  parts: { formats?: readonly (string | number)[]; strings?: readonly string[]; is1904?: boolean | undefined } = {},
): Promise<string[]> => {
  const { rows } = await readTable(
    xlsxOf({ ...parts, sheets: { A: `<row r="1">${cells}<c t="inlineStr"><is><t>end</t></is></c></row>` } }),
  )
  return (rows[0] ?? []).slice(1, -1).map(String)
}

describe('a number is read as it is stored', () => {
  test.each([
    ['0.1', '0.1'],
    ['12', '12'],
    ['-3.50', '-3.5'],
    ['0.30000000000000004', '0.3'],
    ['7.0000000000000007E-2', '0.07'],
    ['1234.5678', '1234.5678'],
    ['9.9999999999999995E-1', '1'],
    ['1E3', '1000'],
    ['1.5e-3', '0.0015'],
    ['9007199254740991', '9007199254740991'],
    ['12345678901234567890', '12345678901234600000'],
    ['-0', '0'],
    ['0', '0'],
    // A thousand and a bit, or a thousand times more: the last zero says which.
    ['1.234', '1.2340'],
    ['-12.345', '-12.3450'],
    ['0.125', '0.125'],
    ['1234.567', '1234.567'],
  ])('%s is %s', async (stored, text) => {
    expect(await cellsOf(`<c><v>${stored}</v></c>`)).toEqual([text])
  })
})

describe('the number format says what a number is', () => {
  test.each<[format: string | number, stored: string, text: string]>([
    [14, '46082', '2026-03-01'],
    [22, '46082.5', '2026-03-01 12:00:00'],
    [22, '46082', '2026-03-01'],
    [20, '0.3125', '07:30:00'],
    ['dd.mm.yyyy', '45351', '2024-02-29'],
    ['[$-407]d. mmmm yyyy;@', '46082', '2026-03-01'],
    ['yyyy"-"mm', '46082', '2026-03-01'],
    ['mmm', '46082', '2026-03-01'],
    ['[h]:mm', '1.5', '36:00:00'],
    ['yyyy-mm-dd hh:mm', '46082.6041666667', '2026-03-01 14:30:00'],
    // The second before midnight is not rounded to the next day, but half of a second is.
    ['yyyy-mm-dd hh:mm', '46082.999988425925', '2026-03-01 23:59:59'],
    ['yyyy-mm-dd hh:mm', '46082.9999999', '2026-03-02'],
    [14, '1', '1900-01-01'],
    [14, '59', '1900-02-28'],
    [14, '60', '1900-02-29'],
    [14, '61', '1900-03-01'],
    [14, '-1', '-1'],
    [9, '0.125', '12.5%'],
    [10, '0.07', '7%'],
    ['0.0%', '1', '100%'],
    ['0.0%', '0.12345', '12.3450%'],
    ['#,##0.00', '1234.5', '1234.5'],
    ['#,##0 "days"', '3', '3'],
    ['[Red]#,##0', '3', '3'],
    ['#,##0.00\\ [$€-407]', '3', '3'],
    ['0.0,,"M"', '1500000', '1500000'],
    ['0.0,,M', '1500000', '1500000'],
    ['_-* #,##0_d', '4', '4'],
    ['0.00E+00', '4', '4'],
    ['"TRUE";"TRUE";"FALSE"', '0', 'FALSE'],
  ])('%s of %s is %s', async (format, stored, text) => {
    expect(await cellsOf(`<c s="1"><v>${stored}</v></c>`, { formats: [format] })).toEqual([text])
  })

  test('and days may count from 1904', async () => {
    const parts = { formats: [14], is1904: true }
    expect(await cellsOf('<c s="1"><v>0</v></c><c s="1"><v>44620</v></c>', parts)).toEqual(['1904-01-01', '2026-03-01'])
    const usual = '<c s="1"><v>46082</v></c>'
    for (const is1904 of [false, undefined])
      expect(await cellsOf(usual, { formats: [14], is1904 })).toEqual(['2026-03-01'])
  })
})

describe('a cell is read by its type', () => {
  test.each([
    ['a shared text', '<c t="s"><v>0</v></c>', 'Müller & Söhne'],
    ['rich text without its phonetic hints', '<c t="s"><v>1</v></c>', 'Net sales'],
    ['an escaped character', '<c t="s"><v>2</v></c>', 'a\rb'],
    ['rich text of its own', '<c t="inlineStr"><is><r><t>Net</t></r><r><t> sales</t></r></is></c>', 'Net sales'],
    ['true', '<c t="b"><v>1</v></c>', 'TRUE'],
    ['false', '<c t="b"><v>0</v></c>', 'FALSE'],
    ['an error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['a date of ISO 8601', '<c t="d"><v>2026-03-01T14:30:00</v></c>', '2026-03-01 14:30:00'],
    ['a formula by its number', '<c><f>A1+1</f><v>3</v></c>', '3'],
    ['a formula by its text', '<c t="str"><f>A1</f><v>x</v></c>', 'x'],
    ['a formula by its empty text', '<c t="str"><f>A1</f><v></v></c>', ''],
    ['a formula by its error', '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['nothing', '<c s="0"/>', ''],
  ])('%s', async (_, cell, text) => {
    const strings = [
      '<t>Müller &amp; Söhne</t>',
      '<r><rPr><b/></rPr><t>Net</t></r><r><t xml:space="preserve"> sales</t></r><rPh sb="0" eb="1"><t>ねっと</t></rPh>',
      '<t>a_x000D_b</t>',
    ]
    expect(await cellsOf(cell, { strings })).toEqual([text])
  })

  test.each([
    ...['s', 'b', 'e', 'str', 'n', 'd', 'inlineStr'].map((type) => `<c t="${type}"/>`),
    '<c t="inlineStr"><is/></c>',
    '<c><v/></c>',
    '<c t="d"><v/></c>',
    '<c t="str"><v/></c>',
  ])('%s is empty', async (cell) => {
    expect(await cellsOf(cell, { strings: ['<t>Berlin</t>'] })).toEqual([''])
  })

  test.each([
    ['beside its text', '<c t="inlineStr"><v>5</v><is><t>five</t></is></c>', 'five'],
    ['where a text should be', '<c t="inlineStr"><v>five</v></c>', 'five'],
    ['and a text of its own where a number should be', '<c><f>A1</f><is><t>five</t></is></c>', 'five'],
    ['between blanks', '<c t="s"><v> 0 </v></c>', 'Berlin'],
  ])('a value %s', async (_, cell, text) => {
    expect(await cellsOf(cell, { strings: ['<t>Berlin</t>'] })).toEqual([text])
  })
})

test('shared texts of any size are found, beyond some of them in a file', async () => {
  const texts = Array.from({ length: 1200 }, (_, at) => `${at} ${'é'.repeat(16_000)}`)
  const cells = [0, 1199, 700, 1100, 1].map((at) => `<row><c t="s"><v>${at}</v></c></row>`).join('')
  const strings = texts.map((text) => `<t>${text}</t>`)
  const { rows } = await readTable(xlsxOf({ sheets: { A: cells }, strings }), { skipLines: 0 })
  expect(rows.map(([, text]) => text)).toEqual([0, 1199, 700, 1100, 1].map((at) => texts[at]))
  const missing = xlsxOf({ sheets: { A: '<row><c t="s"><v>1200</v></c></row>' }, strings })
  expect(await refusalOf(missing)).toContain('cell A1 of the sheet A refers to a text that is not there: "1200"')
})

test('rows have the numbers that they have in the sheet, and blank ones are left out', async () => {
  const sheet =
    '<row r="3"><c r="B3"><v>1</v></c><c r="D3"><v>2</v></c></row><row r="5"><c r="A5"/></row><row r="9"><c r="A9"><v>3</v></c></row>'
  const { rows } = await readTable(xlsxOf({ sheets: { A: sheet } }))
  expect(rows).toEqual([
    [3, '', '1', '', '2'],
    [9, '3'],
  ])
})

test('prefixes, other paths and upper case of a workbook are as its program likes', async () => {
  const files = xlsxFiles({
    sheets: {
      A: rowsOf([
        ['a', 'b'],
        [1, 2],
      ]),
    },
  })
  const sheet = (files['xl/worksheets/sheet1.xml'] ?? '')
    .replaceAll(/<(\/?)(\w)/g, '<$1x:$2')
    .replace('xmlns=', 'xmlns:x=')
  const { 'xl/worksheets/sheet1.xml': _, ...others } = files
  const { rows } = await readTable(zipOf({ ...others, 'xl/Worksheets/Sheet1.xml': sheet }))
  expect(rows).toEqual([
    [1, 'a', 'b'],
    [2, '1', '2'],
  ])
})

test('a workbook that our own exports are written with is read as it was meant', async () => {
  using folder = temporaryFolder()
  const writer = new WorkbookWriter({ filename: folder.in('a.xlsx'), useStyles: true, useSharedStrings: true })
  const sheet = writer.addWorksheet('Sales')
  sheet.addRow(['date', 'actual', 'share', 'note']).commit()
  const row = sheet.addRow([new Date('2026-03-01T00:00:00Z'), 0.1 + 0.2, 0.125, 'a & b'])
  row.getCell(1).numFmt = 'dd/mm/yyyy'
  row.getCell(3).numFmt = '0.0%'
  row.commit()
  await writer.commit()
  expect((await readTable(readFileSync(folder.in('a.xlsx')))).rows).toEqual([
    [1, 'date', 'actual', 'share', 'note'],
    [2, '2026-03-01', '0.3', '12.5%', 'a & b'],
  ])
})

test('any texts come through a workbook as they are', async () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\r'))
  const rows = fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(rows, async (written) => {
      using folder = temporaryFolder()
      const writer = new WorkbookWriter({ filename: folder.in('a.xlsx'), useSharedStrings: written.length % 2 === 0 })
      const sheet = writer.addWorksheet('A')
      sheet.addRow(['first']).commit()
      for (const cells of written) sheet.addRow(cells).commit()
      await writer.commit()
      const read = await readTable(readFileSync(folder.in('a.xlsx')), { skipLines: 0 })
      const byLine = new Map(read.rows.map(([line, ...cells]) => [line, cells]))
      for (const [at, cells] of written.entries()) {
        const got = byLine.get(at + 2) ?? []
        expect(cells.map((_, place) => got[place] ?? '').map((text) => text.trim())).toEqual(
          cells.map((text) => text.trim()),
        )
      }
    }),
    { numRuns: runs(15, 500) },
  )
})

const LIBREOFFICE = [
  [1, 'Tag', 'Zeit', 'Zahl', 'Quote', 'Umsatz', 'Formel', 'Ja', 'Text', 'Uhr'],
  [2, '2026-03-01', '2026-03-01 14:30:00', '0.1', '12.5%', '1234.5', '0.3', 'TRUE', 'Müller & Söhne', '07:30:00'],
  [5, '2024-02-29', '', '1.2340', '7%', '#N/A', '0.333333333333333', 'a\nb  c', 'a\nb  c'],
  [6, '', '', '12345678901234'],
]

test.each(['libreoffice.xlsx', 'libreoffice.ods'])('%s is read as LibreOffice shows it', async (name) => {
  const { rows, reading } = await readTable(fixture(name))
  expect(rows).toEqual(LIBREOFFICE)
  expect(reading.cellsOf).toBe('workbook')
  expect(reading.findings).toContainEqual({
    topic: 'merged cells',
    found: 'A5:A6',
    evidence: 'only the first cell has the value',
  })
})
