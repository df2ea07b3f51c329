import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../support/documents.ts'
import { readTable, refusalOf } from '../../support/tables.ts'
import { odsFiles } from '../../support/workbook.ts'
import { zipOf } from '../../support/zip.ts'

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
    [
      'an error that says so by its type alone',
      odsCell('calcext:value-type="error" office:value-type="float" office:value="0"', 'FEHLER'),
      ['FEHLER'],
    ],
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
    [
      'a number that is shown with a #',
      odsCell('table:formula="of:=A1" office:value-type="float" office:value="12"', '#12'),
      ['12'],
    ],
    ['an empty text of a formula', odsCell('table:formula="of:=A1" office:value-type="string"'), ['']],
    ['a number of which only its text is there', odsCell('office:value-type="float"', '1,50'), ['1,50']],
    ['a type without a value', odsCell('office:value-type="float"'), ['']],
    ['no truth value', odsCell('office:value-type="boolean" office:boolean-value="1"'), ['1']],
  ])('%s', async (_, cell, texts) => {
    const { rows } = await readTable(zipOf(odsFiles({ A: odsRow(cell + END) })))
    expect(rows).toEqual([[1, ...texts, 'end']])
  })

  test.each([
    ['float', 'office:value="0"', '#DIV/0!'],
    ['currency', 'office:value="0" office:currency="EUR"', '#BEZUG!'],
    ['percentage', 'office:value="0"', 'Err:502'],
    ['date', 'office:date-value="1899-12-30"', '#VALUE!'],
    ['boolean', 'office:boolean-value="false"', '#NAME?'],
    ['string', 'office:string-value=""', '#N/A'],
    ['string', '', '#¡REF!'],
  ])('of the type %s (%s) that shows %s is an error', async (type, value, shown) => {
    const cell = odsCell(`table:formula="of:=A1" office:value-type="${type}" ${value}`, shown)
    const { rows } = await readTable(zipOf(odsFiles({ A: odsRow(cell + END) })))
    expect(rows).toEqual([[1, shown, 'end']])
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
    '',
    ...['float', 'currency', 'percentage', 'date', 'time', 'boolean'].map((type) => `office:value-type="${type}"`),
  ])('is named if it is a formula without a value: %s', async (type) => {
    expect(await refusalOf(zipOf(odsFiles({ A: odsRow(odsCell(`table:formula="of:=1" ${type}`)) })))).toMatch(
      /cell A1 of the sheet A is a formula, and its value is not in the file/,
    )
  })

  test.each([
    [
      'beyond the rows that a sheet has',
      odsFiles({ A: odsRow(END, 'table:number-rows-repeated="1048576"') + odsRow(END) }),
      /the sheet A has more than 1,048,576 rows, the most that a sheet may have; split it into several sheets, or save it as CSV$/,
    ],
    [
      'beyond the columns that a table has',
      odsFiles({ A: odsRow(END + '<table:table-cell table:number-columns-repeated="16383"/>' + END) }),
      /row 1 of the sheet A has more than 16,384 cells, the most columns that a table may have; delete what is not needed of it, or save the sheet in parts$/,
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
