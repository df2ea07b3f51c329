import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../support/documents.ts'
import { refusalOf } from '../../support/tables.ts'
import { rowsOf, xlsxFiles, xlsxOf } from '../../support/workbook.ts'
import { zipOf } from '../../support/zip.ts'

const fixture = (name: string): Buffer => readFileSync(join(ROOT, 'test', 'data', 'workbooks', name))

const NO_VALUE =
  'cannot read data.bin: cell B2 of the sheet A is a formula, and its value is not in the file; open the workbook in a spreadsheet program and save it'

const withXml = (path: string, change: (text: string) => string): Buffer => {
  const files = xlsxFiles({ sheets: { A: rowsOf([['a'], [1]]) } })
  return zipOf({ ...files, [path]: change(files[path] ?? '') })
}

describe('it is said why a workbook cannot be read:', () => {
  test.each<[what: string, content: () => Buffer, message: string | RegExp]>([
    ['a formula without value', () => xlsxOf({ sheets: { A: '<row r="2"><c r="B2"><f>A1</f></c></row>' } }), NO_VALUE],
    [
      'a formula with an empty one',
      () => xlsxOf({ sheets: { A: '<row r="2"><c r="B2"><f>A1</f><v/></c></row>' } }),
      NO_VALUE,
    ],
    [
      'the old format',
      () => fixture('libreoffice.xls'),
      /the old format \(\.xls\); open it .* save it as \.xlsx or as CSV$/,
    ],
    [
      'a password',
      () =>
        Buffer.concat([
          Buffer.from('d0cf11e0a1b11ae1', 'hex'),
          Buffer.alloc(70_000),
          Buffer.from('EncryptedPackage', 'utf16le'),
        ]),
      /protected by a password; remove it \(in Excel: .*\), or save the sheet as CSV$/,
    ],
    [
      'a binary workbook',
      () => zipOf({ '[Content_Types].xml': '', 'xl/workbook.bin': '' }),
      /binary workbook \(\.xlsb\)/,
    ],
    [
      'a letter',
      () => zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<a/>' }),
      /no workbook; save its table as/,
    ],
    [
      'a DOCTYPE',
      () =>
        withXml('xl/workbook.xml', (text) =>
          text.replace('<workbook ', '<!DOCTYPE workbook [<!ENTITY a "b">]><workbook '),
        ),
      /xl\/workbook\.xml in it is damaged: it has a DOCTYPE/,
    ],
    [
      'an entity',
      () => withXml('xl/worksheets/sheet1.xml', (text) => text.replace('<t>a', '<t>&a;')),
      /the sheet A in it is damaged: .*entity/,
    ],
    [
      'XML that ends early',
      () => withXml('xl/worksheets/sheet1.xml', (text) => text.slice(0, -20)),
      /the sheet A in it is damaged: /,
    ],
    [
      'rows in another order',
      () => xlsxOf({ sheets: { A: '<row r="2"/><row r="1"/>' } }),
      /the rows of the sheet A are not in order after 2; open the workbook in a spreadsheet program and save it$/,
    ],
    [
      'a truth value that is none',
      () => xlsxOf({ sheets: { A: '<row><c r="C1" t="b"><v>2</v></c></row>' } }),
      /cell C1 of the sheet A is no truth value: "2"; open the workbook/,
    ],
    [
      'a column that no sheet has',
      () => xlsxOf({ sheets: { A: '<row><c r="ZZZ1"><v>7</v></c></row>' } }),
      /row 1 of the sheet A has more than 16,384 cells, the most columns that a table may have; delete what is not needed of it, or save the sheet in parts$/,
    ],
    [
      'a cell at no place',
      () => xlsxOf({ sheets: { A: '<row><c r="here"><v>7</v></c></row>' } }),
      /the sheet A has a cell at here, which is no place; open the workbook in a spreadsheet program and save it$/,
    ],
    [
      'a row that no sheet has',
      () => xlsxOf({ sheets: { A: '<row r="1048577"><c><v>7</v></c></row>' } }),
      /the sheet A has more than 1,048,576 rows, the most that a sheet may have; split it into several sheets, or save it as CSV$/,
    ],
    ['no sheet', () => xlsxOf({ sheets: {} }), 'cannot read data.bin: the workbook has no sheet with cells'],
    [
      'an archive that is cut off',
      () => xlsxOf({ sheets: { A: '' } }).subarray(0, -30),
      /its zip archive is damaged, or was cut off; get the complete file$/,
    ],
  ])('%s', async (_, content, message) => {
    expect(await refusalOf(content())).toMatch(message)
  })

  test.each(['7', '1', '-1', '0.0', '1e0', '0x0', '', 'Berlin'])('a text at "%s", where none is', async (place) => {
    const cell = `<row><c t="s"><v>${place}</v></c></row>`
    expect(await refusalOf(xlsxOf({ sheets: { A: cell }, strings: ['<t>Berlin</t>'] }))).toBe(
      `cannot read data.bin: cell A1 of the sheet A refers to a text that is not there: "${place}"; open the workbook in a spreadsheet program, put it right, and save it`,
    )
  })

  test('one sheet that unpacks to far more than a table has', async () => {
    const bomb = ' '.repeat(80 * 1024 * 1024)
    expect(await refusalOf(withXml('xl/worksheets/sheet1.xml', (text) => text + bomb))).toMatch(
      /"xl\/worksheets\/sheet1\.xml" unpacks to [\d,]+ bytes, more than 200 times its packed size, more than a table plausibly has; unpack it first and look at it, or save the sheet of a workbook as CSV$/,
    )
  })
})
