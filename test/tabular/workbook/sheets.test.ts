import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openTables } from '../../../src/reading/open-table.ts'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readTable, refusalOf } from '../../support/tables.ts'
import { odsFiles, rowsOf, type XlsxParts, xlsxOf } from '../../support/workbook.ts'
import { zipOf } from '../../support/zip.ts'

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
    const { rows, reading } = await readTable(content, { sheets: sheet === undefined ? [] : [sheet] })
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
    expect(await refusalOf(content, { sheets: sheet === undefined ? [] : [sheet] })).toBe(message)
  })

  test('and others are read where several are asked for, each once and under its own name', async () => {
    using folder = temporaryFolder()
    const names = ['Cover', 'Jan', 'Feb', '.Q', 'Lists', 'One row']
    const rows: Record<string, string> = { Cover: rowsOf([['Sales'], ['2026']]), 'One row': rowsOf([['a', 'b']]) }
    const sheets = Object.fromEntries(names.map((name) => [name, rows[name] ?? SALES]))
    writeFileSync(folder.in('b.xlsx'), book(sheets, { hidden: ['Lists'] }))
    const read = async (...asked: string[]): Promise<readonly string[]> => {
      const notes: string[] = []
      const place = { folder: folder.path, onNote: (text: string) => void notes.push(text) }
      const tables = await openTables(fileSource(folder.in('b.xlsx'), 'b.xlsx'), { sheets: asked }, place)
      for (const table of tables) table.close()
      return [...tables.map(({ name }) => name), ...notes]
    }
    expect(await read('*')).toEqual([
      'b.xlsx, sheet Jan',
      'b.xlsx, sheet Feb',
      'b.xlsx, sheet .Q',
      'b.xlsx: left out 3 sheets: 1 (Cover, no table), 5 (Lists, hidden), 6 (One row, no table); --sheet NAME reads one of them',
    ])
    expect(await read('feb', 'Lists', '?A?')).toEqual(['b.xlsx, sheet Feb', 'b.xlsx, sheet Lists', 'b.xlsx, sheet Jan'])
    expect(await read('Jan', '2')).toEqual(['b.xlsx, sheet Jan'])
    expect(await read('Jan')).toEqual(['b.xlsx'])
    await expect(read('X*')).rejects.toThrow(
      'cannot read b.xlsx: it has no sheet like "X*"; its sheets are 1 (Cover), 2 (Jan), 3 (Feb), 4 (.Q), 5 (Lists), 6 (One row)',
    )
    await expect(read('Cov*', 'L*')).rejects.toThrow(
      'cannot read b.xlsx: none of the sheets that are meant is a table to import: 1 (Cover, no table), 5 (Lists, hidden)',
    )
    await expect(read('Jan', 'Mai')).rejects.toThrow('it has no sheet "Mai"')
  })

  test('is listed among others of which one has formulas without values', async () => {
    const formula = '<row><c><f>A1</f></c></row>'
    expect(await refusalOf(book({ Sales: SALES, Sums: formula }))).toContain('2 (Sums, 1 row of up to 1 cell)')
    expect((await readTable(book({ Sales: SALES, Sums: formula }), { sheets: ['Sales'] })).rows).toEqual(ANN)
    const row = '<table:table-row><table:table-cell table:formula="of:=1"/></table:table-row>'
    const text = '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>'
    const files = zipOf(odsFiles({ A: text + text, B: row }))
    expect(await refusalOf(files)).toContain('1 (A, 2 rows of up to 1 cell), 2 (B, 1 row of up to 1 cell)')
    expect((await readTable(files, { sheets: ['A'] })).rows).toHaveLength(2)
  })

  test('is of workbooks alone, unless a mapping names it', async () => {
    const text = 'a,b\n1,2\n'
    expect(await refusalOf(text, { sheets: ['1'] })).toBe(
      'cannot read data.bin: it is no workbook, so it has no sheet; leave out --sheet',
    )
    expect((await readTable(text, { sheets: ['1'], isSheetSaved: true })).rows).toHaveLength(2)
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
