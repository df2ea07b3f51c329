import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Aborted } from '../../../src/client/transport.ts'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { openTable } from '../../../src/reading/open-table.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { readTable, refusalOf } from '../../support/tables.ts'
import { odsFiles, rowsOf, xlsxOf } from '../../support/workbook.ts'
import { zipOf } from '../../support/zip.ts'

const odsRow = (cells: string, attributes = ''): string => `<table:table-row ${attributes}>${cells}</table:table-row>`
const odsOne = (attributes = ''): string =>
  `<table:table-cell office:value-type="float" office:value="1" ${attributes}/>`
const odsText = (text: string): string => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
const HEADER = odsRow(odsText('a') + odsText('b'))

/** Rows of the same cells: a few hundred bytes for any number of them. */
const repeatedRows = (columns: number, rows: number): string =>
  odsRow(odsOne(`table:number-columns-repeated="${columns}"`), `table:number-rows-repeated="${rows}"`)

describe('cells that repetition makes', () => {
  test.each([
    ['in rows and columns', HEADER + repeatedRows(16_384, 1_048_570)],
    ['in one row after another', HEADER + repeatedRows(16_384, 600) + repeatedRows(16_384, 600)],
    ['in columns', odsRow(odsOne('table:number-columns-repeated="16384"')).repeat(1100)],
  ])('are bounded: %s', async (_, rows) => {
    expect(await refusalOf(zipOf(odsFiles({ Sales: rows })))).toMatch(
      /^cannot read data\.bin: the sheet Sales repeats cells, which makes more than 16,777,216 of them up to row \d+; delete what is below and beside its table, and save it$/,
    )
  })

  test('are read up to a number that a table may have', async () => {
    const { rows } = await readTable(zipOf(odsFiles({ A: HEADER + repeatedRows(12, 20_000) })))
    expect(rows).toHaveLength(20_001)
    expect(rows.at(-1)).toEqual([20_001, ...Array.from({ length: 12 }, () => '1')])
  })

  test('of another sheet do not matter, which is listed with its size', async () => {
    const sheets = zipOf(odsFiles({ A: HEADER + odsRow(odsOne()), B: repeatedRows(16_384, 1_048_570) }))
    expect((await readTable(sheets, { sheets: ['A'] })).rows).toHaveLength(2)
    expect(await refusalOf(sheets)).toContain('2 (B, 1048570 rows of up to 16384 cells)')
  })
})

describe('texts that no cell has are refused:', () => {
  const long = 'x'.repeat(100_000)

  test.each<[what: string, content: () => Buffer, message: string]>([
    [
      'a shared one',
      () => xlsxOf({ sheets: { A: '' }, strings: [`<r><t>${long}</t></r>`.repeat(11)] }),
      'text 0 of the shared ones has a text of more than 1,048,576 characters',
    ],
    [
      'one of a cell',
      () => xlsxOf({ sheets: { A: `<row><c t="inlineStr"><is>${`<t>${long}</t>`.repeat(11)}</is></c></row>` } }),
      'row 1 of the sheet A has a text of more than 1,048,576 characters',
    ],
    [
      'blanks that are counted',
      () => zipOf(odsFiles({ A: odsRow(odsText('<text:s text:c="16384"/>'.repeat(70))) })),
      'row 1 of the sheet A has a text of more than 1,048,576 characters',
    ],
    [
      'the same one in all cells of a row',
      () => xlsxOf({ sheets: { A: `<row>${'<c t="s"><v>0</v></c>'.repeat(200)}</row>` }, strings: [`<t>${long}</t>`] }),
      'row 1 of the sheet A has more than 16,777,216 characters',
    ],
    [
      'a repeated one',
      () =>
        zipOf(
          odsFiles({
            A: odsRow(
              `<table:table-cell table:number-columns-repeated="200"><text:p>${long}</text:p></table:table-cell>`,
            ),
          }),
        ),
      'row 1 of the sheet A has more than 16,777,216 characters',
    ],
  ])('%s', async (_, content, message) => {
    expect(await refusalOf(content())).toContain(message)
  })
})

test('shared texts that memory does not hold are each read as they are', async () => {
  const long = Array<string>(17).fill(`<t>${'x'.repeat(1_000_000)}</t>`)
  const texts = Array.from({ length: 3000 }, (_, at) => `Café ${at}`)
  const rows = texts.map((_, at) => `<row><c t="s"><v>${long.length + at}</v></c></row>`)
  const content = xlsxOf({ sheets: { A: rows.join('') }, strings: [...long, ...texts.map((text) => `<t>${text}</t>`)] })
  expect((await readTable(content)).rows.map(([, cell]) => cell)).toEqual(texts)
})

test('merged ranges that overlap take no time', async () => {
  const rows = rowsOf([
    ['a', 'b'],
    ['x', 1],
    ['y', 2],
  ])
  const merged = '<mergeCell ref="A1:XFD1"/>'.repeat(50_000)
  const sheet = `<sheetData>${rows}</sheetData><mergeCells>${merged}</mergeCells>`
  expect((await readTable(xlsxOf({ sheets: { A: sheet } }))).rows).toHaveLength(3)
})

describe('reading can be stopped at any time', () => {
  const STYLED = `<row>${'<c s="1"/>'.repeat(16_384)}</row>`.repeat(350)

  test.each<[what: string, content: () => Buffer]>([
    ['among repeated rows', () => zipOf(odsFiles({ A: HEADER + repeatedRows(15, 1_000_000) }))],
    [
      'among repeated cells',
      () => zipOf(odsFiles({ A: odsRow(odsOne('table:number-columns-repeated="16384"')).repeat(1000) })),
    ],
    [
      'among shared texts',
      () =>
        xlsxOf({
          sheets: { A: rowsOf([['a'], [1]]) },
          strings: Array.from({ length: 1_000_000 }, (_, at) => `<t>${at}</t>`),
        }),
    ],
    ['among empty cells with a style', () => xlsxOf({ sheets: { A: STYLED } })],
    ['among those of several sheets', () => xlsxOf({ sheets: { A: STYLED, B: rowsOf([['a'], [1]]) } })],
  ])('%s', async (_, content) => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('data.bin'), content())
    const signal = AbortSignal.timeout(30)
    const opened = openTable(fileSource(folder.in('data.bin'), 'data.bin'), {}, folder.path, () => signal)
    await expect(opened).rejects.toThrow(new Aborted('stopped before anything was sent; run the same command again'))
  })
})
