import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../../support/documents.ts'
import { readTable, refusalOf } from '../../../support/tables.ts'
import { odsFiles, rowsOf, type XlsxParts, xlsxOf } from '../../../support/workbook.ts'
import { zipOf } from '../../../support/zip.ts'

const SALES = rowsOf([
  ['user', 'actual'],
  ['Ann', 1],
])
const VISITS = rowsOf([
  ['user', 'actual'],
  ['Bob', 2],
  ['Cem', 3],
])
const ANN = [
  [1, 'user', 'actual'],
  [2, 'Ann', '1'],
]

const book = (sheets: Record<string, string>, others: Partial<XlsxParts> = {}): Buffer => xlsxOf({ sheets, ...others })

describe('the sheet that is read', () => {
  test.each<[what: string, content: Buffer, sheet: string | undefined, evidence: string, found: string]>([
    ['is the only one', book({ Sales: SALES }), undefined, 'the only one', 'Sales (1 of 1)'],
    [
      'is the only one with rows',
      book({ A: '', Sales: SALES, B: '' }),
      undefined,
      'the only one that holds rows',
      'Sales (2 of 3)',
    ],
    ['is named', book({ Visits: VISITS, Sales: SALES }), 'Sales', '--sheet Sales', 'Sales (2 of 2)'],
    ['is named in other letters', book({ Visits: VISITS, Sales: SALES }), ' sales', '--sheet  sales', 'Sales (2 of 2)'],
    ['is numbered', book({ Visits: VISITS, Sales: SALES }), '2', '--sheet 2', 'Sales (2 of 2)'],
    [
      'is the one with exactly this name',
      book({ SALES: VISITS, Sales: SALES }),
      'Sales',
      '--sheet Sales',
      'Sales (2 of 2)',
    ],
    ['has the name and the number', book({ 1: SALES, 2: VISITS }), '1', '--sheet 1', '1 (1 of 2)'],
    [
      'is hidden, if that is asked for',
      book({ Visits: VISITS, Sales: SALES }, { hidden: ['Sales'] }),
      '2',
      '--sheet 2',
      'Sales (2 of 2)',
    ],
  ])('%s', async (_, content, sheet, evidence, found) => {
    const { rows, reading } = await readTable(content, { sheet })
    expect(rows).toEqual(ANN)
    expect(reading.findings).toContainEqual({ topic: 'sheet', found, evidence })
  })

  test.each<[what: string, content: Buffer, sheet: string | undefined, message: string]>([
    [
      'may be either of two',
      book({ Sales: SALES, Notes: '', Visits: VISITS }, { hidden: ['Visits'] }),
      undefined,
      'cannot read data.bin: several of its sheets hold rows: 1 (Sales, 2 rows of up to 2 cells), 3 (Visits, 3 rows of up to 2 cells, hidden); say which with --sheet NAME or its number',
    ],
    [
      'is not there',
      book({ Sales: SALES, Visits: VISITS }),
      'Costs',
      'cannot read data.bin: it has no sheet "Costs"; its sheets are 1 (Sales), 2 (Visits)',
    ],
    [
      'has the name of one and the number of another',
      book({ 2: SALES, Visits: VISITS }),
      '2',
      'cannot read data.bin: --sheet 2 may be the sheet 1 (2) or the sheet 2 (Visits); say --sheet 1, or "Visits"',
    ],
  ])('%s', async (_, content, sheet, message) => {
    expect(await refusalOf(content, { sheet })).toBe(message)
  })

  test('is listed among others of which one has formulas without values', async () => {
    const formula = '<row><c><f>A1</f></c></row>'
    expect(await refusalOf(book({ Sales: SALES, Sums: formula }))).toContain('2 (Sums, 1 rows of up to 1 cells)')
    expect((await readTable(book({ Sales: SALES, Sums: formula }), { sheet: 'Sales' })).rows).toEqual(ANN)
    const row = '<table:table-row><table:table-cell table:formula="of:=1"/></table:table-row>'
    const text = '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>'
    const files = zipOf(odsFiles({ A: text + text, B: row }))
    expect(await refusalOf(files)).toContain('1 (A, 2 rows of up to 1 cells), 2 (B, 1 rows of up to 1 cells)')
    expect((await readTable(files, { sheet: 'A' })).rows).toHaveLength(2)
  })

  test('is of workbooks alone, unless a mapping names it', async () => {
    const text = 'a,b\n1,2\n'
    expect(await refusalOf(text, { sheet: '1' })).toBe(
      'cannot read data.bin: it is no workbook, so it has no sheet; leave out --sheet',
    )
    expect((await readTable(text, { sheet: '1', isSheetSaved: true })).rows).toHaveLength(2)
  })
})

const merged = (rows: string, ...ranges: string[]): string =>
  `<sheetData>${rows}</sheetData><mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`

describe('merged cells', () => {
  test('are repeated in the header rows, and only there', async () => {
    const rows = rowsOf([
      ['Report', '', '', '', ''],
      ['Region', 'Revenue', '', 'Visits', ''],
      ['', '2026-01', '2026-02', '2026-01', '2026-02'],
      ['North', 1, 2, 3, 4],
      ['South', 5, '', 7, 8],
      ['East', 5, 6, 7, 8],
    ])
    const sheet = merged(rows, 'A1:E1', 'A2:A3', 'B2:C2', 'D2:E2', 'B5:C5')
    const { rows: read, reading } = await readTable(book({ A: sheet }))
    expect(read[0]).toEqual([3, 'Region', '2026-01', '2026-02', '2026-01', '2026-02'])
    expect(read[2]).toEqual([5, 'South', '5', '', '7', '8'])
    expect(reading.findings?.filter(({ topic }) => topic === 'merged cells')).toEqual([
      { topic: 'merged cells', found: 'A2:A3, B2:C2, D2:E2', evidence: 'repeated, as they are in the header' },
      { topic: 'merged cells', found: 'B5:C5', evidence: 'only the first cell has the value' },
    ])
  })

  test('are repeated in a single header row', async () => {
    const rows = rowsOf([
      ['user', 'Revenue', '', 'Visits'],
      ['Ann', 1, 2, 3],
      ['Bob', 4, 5, 6],
    ])
    const { rows: read } = await readTable(book({ A: merged(rows, 'B1:C1') }))
    expect(read[0]).toEqual([1, 'user', 'Revenue', 'Revenue', 'Visits'])
  })

  test('of a title do not make it a header', async () => {
    const rows = rowsOf([
      ['All sales', '', ''],
      ['user', 'date', 'actual'],
      ['Ann', '2026-03-01', 1],
      ['Bob', '2026-03-02', 2],
    ])
    const { rows: read } = await readTable(book({ A: merged(rows, 'A1:C1') }))
    expect(read[0]).toEqual([2, 'user', 'date', 'actual'])
  })
})

const odsCell = (attributes: string, text = ''): string =>
  `<table:table-cell ${attributes}>${text === '' ? '' : `<text:p>${text}</text:p>`}</table:table-cell>`
const odsRow = (cells: string, attributes = ''): string => `<table:table-row ${attributes}>${cells}</table:table-row>`
const END = odsCell('office:value-type="string"', 'end')

describe('a cell of an OpenDocument spreadsheet', () => {
  test.each([
    ['a number', odsCell('office:value-type="float" office:value="0.30000000000000004"', '0.3'), ['0.3']],
    ['a share', odsCell('office:value-type="percentage" office:value="0.125"', '13%'), ['12.5%']],
    [
      'money',
      odsCell('office:value-type="currency" office:currency="EUR" office:value="1234.5"', '1.234,50 €'),
      ['1234.5'],
    ],
    ['a day', odsCell('office:value-type="date" office:date-value="2026-03-01"', '1.3.26'), ['2026-03-01']],
    [
      'a moment',
      odsCell('office:value-type="date" office:date-value="2026-03-01T14:30:00.5"'),
      ['2026-03-01 14:30:00'],
    ],
    ['midnight', odsCell('office:value-type="date" office:date-value="2026-03-01T00:00:00"'), ['2026-03-01']],
    ['a time', odsCell('office:value-type="time" office:time-value="PT36H05M00S"'), ['36:05:00']],
    ['true', odsCell('office:value-type="boolean" office:boolean-value="true"', 'WAHR'), ['TRUE']],
    [
      'a text in parts',
      odsCell(
        'office:value-type="string"',
        'a<text:s text:c="2"/><text:span>b<text:a>c</text:a></text:span><text:tab/>d',
      ),
      ['a  bc\td'],
    ],
    [
      'a text with a comment',
      odsCell('office:value-type="string"', 'a<office:annotation><text:p>who says so?</text:p></office:annotation>'),
      ['a'],
    ],
    [
      'the same thrice',
      odsCell('table:number-columns-repeated="3" office:value-type="float" office:value="1"'),
      ['1', '1', '1'],
    ],
    ['nothing, thrice', odsCell('table:number-columns-repeated="3"'), ['', '', '']],
    [
      'an error',
      odsCell(
        'table:formula="of:=1/0" office:value-type="string" office:string-value="" calcext:value-type="error"',
        '#DIV/0!',
      ),
      ['#DIV/0!'],
    ],
  ])('%s', async (_, cell, texts) => {
    const { rows } = await readTable(zipOf(odsFiles({ A: odsRow(cell + END) })))
    expect(rows).toEqual([[1, ...texts, 'end']])
  })

  test('counts in rows that are repeated, of which a million blank ones take no time', async () => {
    const blank = odsRow(odsCell('table:number-columns-repeated="1024"'), 'table:number-rows-repeated="1000000"')
    const rows = odsRow(END, 'table:number-rows-repeated="2"') + blank + odsRow(END)
    const { rows: read } = await readTable(zipOf(odsFiles({ A: rows, B: '' })))
    expect(read).toEqual([
      [1, 'end'],
      [2, 'end'],
      [1_000_003, 'end'],
    ])
  })

  test.each([
    [
      'without a value',
      odsFiles({ A: odsRow(odsCell('table:formula="of:=1"')) }),
      /cell A1 of the sheet A is a formula, and its value is not in the file/,
    ],
    [
      'beyond the rows that a sheet has',
      odsFiles({ A: odsRow(END, 'table:number-rows-repeated="1048576"') + odsRow(END) }),
      /the sheet A has more than 1048576 rows$/,
    ],
    [
      'behind a password',
      {
        ...odsFiles({ A: '' }),
        'META-INF/manifest.xml':
          '<manifest:manifest xmlns:manifest="urn:m"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
      },
      /protected by a password; save it without one/,
    ],
    ['of a letter', { ...odsFiles({ A: '' }), mimetype: 'application/vnd.oasis.opendocument.text' }, /no workbook/],
  ])('%s', async (_, files, message) => {
    expect(await refusalOf(zipOf(files))).toMatch(message)
  })
})

test('a password of LibreOffice is recognized', async () => {
  const content = readFileSync(join(ROOT, 'test', 'data', 'workbooks', 'password.ods'))
  expect(await refusalOf(content)).toMatch(/protected by a password; save it without one/)
})
