import { odsFiles, rowsOf, xlsxFiles } from '../workbook.ts'
import { type Parts, type Member, zipMembers } from './packed.ts'
import { range, type HostileFile } from './hostile-file.ts'

const SHEET = 'xl/worksheets/sheet1.xml'
const STRINGS = 'xl/sharedStrings.xml'
const STYLES = 'xl/styles.xml'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const HEADER = ['user', 'kpi', 'date', 'actual'] as const
const ROW = ['admin@localhost', 'Sales', '2026-01-05', 7] as const

/** A workbook of which some files are others. */
const workbookWith = (files: Readonly<Record<string, Parts | string>>, sheet = rowsOf([HEADER, ROW])): Buffer => {
  const all: Record<string, Parts | string> = {
    ...xlsxFiles({ sheets: { A: sheet }, strings: ['<t>a</t>'] }),
    ...files,
  }
  return zipMembers(
    Object.entries(all).map(([path, content]): Member => ({
      path,
      parts: typeof content === 'string' ? [[content, 1]] : content,
    })),
  )
}

const sheetOf = (...rows: Parts): Parts => [
  [`<worksheet xmlns="${MAIN}"><sheetData>`, 1],
  ...rows,
  ['</sheetData></worksheet>', 1],
]

/** A sheet that goes on behind its rows. */
const sheetAnd = (rows: string, ...rest: Parts): Parts => [
  [`<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData>`, 1],
  ...rest,
  ['</worksheet>', 1],
]

const stringsOf = (...texts: Parts): Parts => [[`<sst xmlns="${MAIN}">`, 1], ...texts, ['</sst>', 1]]

const stylesOf = (formats: Parts, xfs: Parts): Parts => [
  [`<styleSheet xmlns="${MAIN}"><numFmts>`, 1],
  ...formats,
  ['</numFmts><cellXfs><xf numFmtId="0"/>', 1],
  ...xfs,
  ['</cellXfs></styleSheet>', 1],
]

const xlsx = (name: string, make: () => Buffer, args: readonly string[] = []): HostileFile => ({
  name: `workbook: ${name}`,
  file: 'data.xlsx',
  make,
  args,
})

const styledRow =
  rowsOf([HEADER]) +
  `<row><c t="inlineStr"><is><t>admin@localhost</t></is></c><c t="inlineStr"><is><t>Sales</t></is></c><c t="inlineStr"><is><t>2026-01-05</t></is></c><c s="1"><v>7</v></c></row>`
const withFormat = (code: string): Buffer =>
  workbookWith(
    { [STYLES]: stylesOf([[`<numFmt numFmtId="164" formatCode="${code}"/>`, 1]], [['<xf numFmtId="164"/>', 1]]) },
    styledRow,
  )

const letters = (column: number): string =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : '') + String.fromCharCode(65 + (column % 26))
const merges = (count: number, refOf: (at: number) => string): Parts => [
  [`<mergeCells>${range(count, (at) => `<mergeCell ref="${refOf(at)}"/>`)}</mergeCells>`, 1],
]
const headerOf = (count: number, nameOf: (at: number) => string): string =>
  `<row r="1">${range(count, (at) => `<c t="inlineStr"><is><t>${nameOf(at)}</t></is></c>`)}</row>`
const wideHeader = (count: number, nameOf: (at: number) => string): string =>
  headerOf(count, (at) => (at === 0 ? 'user' : at === 1 ? 'date' : nameOf(at)))
const wideRow = (count: number): string =>
  `<row r="2"><c t="inlineStr"><is><t>admin@localhost</t></is></c><c t="inlineStr"><is><t>2026-01-05</t></is></c>${range(count - 2, (at) => `<c><v>${at}</v></c>`)}</row>`

const manySheets = (count: number, entriesOf: (at: number) => string): Buffer => {
  const files = xlsxFiles({ sheets: { A: rowsOf([HEADER, ROW]) } })
  return workbookWith({
    ...files,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="r"><sheets>${range(count, (at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="${entriesOf(at)}"/>`)}</sheets></workbook>`,
  })
}

const XLSX: readonly HostileFile[] = [
  xlsx('a number format of 600 KB of brackets', () => withFormat('['.repeat(600_000))),
  xlsx('a number format of 600 KB of brackets with letters', () => withFormat('[a'.repeat(300_000))),
  xlsx('a number format of 600 KB of quotes', () => withFormat('&quot;'.repeat(600_001))),
  xlsx('a number format of 600 KB of escapes', () => withFormat('\\_*'.repeat(200_000))),
  xlsx('a number format of 600 KB of currencies', () => withFormat('[$a'.repeat(200_000))),
  xlsx('a number format of 600 KB of letters', () => withFormat('am/p'.repeat(150_000))),
  xlsx('65,000 number formats of 255 characters', () =>
    workbookWith(
      {
        [STYLES]: stylesOf(
          [[range(65_000, (at) => `<numFmt numFmtId="${164 + at}" formatCode="${'[$a'.repeat(80)}${at}"/>`), 1]],
          [[range(65_000, (at) => `<xf numFmtId="${164 + at}"/>`), 1]],
        ),
      },
      styledRow,
    ),
  ),
  xlsx('1,000,000 styles', () =>
    workbookWith(
      {
        [STYLES]: stylesOf(
          [['<numFmt numFmtId="164" formatCode="[$EUR] 0.00 &quot;x&quot;"/>', 1]],
          [['<xf numFmtId="164"/>'.repeat(1000), 1000]],
        ),
      },
      styledRow,
    ),
  ),
  xlsx('20,000,000 styles', () =>
    workbookWith(
      {
        [STYLES]: stylesOf(
          [[`<numFmt numFmtId="164" formatCode="${'[$EUR] 0.00 '.repeat(20)}"/>`, 1]],
          [['<xf numFmtId="164"/>'.repeat(500), 40_000]],
        ),
      },
      styledRow,
    ),
  ),
  xlsx('17,000,000 shared strings', () => workbookWith({ [STRINGS]: stringsOf(['<si/>'.repeat(1700), 10_000]) })),
  xlsx('16,000,000 shared strings of a letter', () =>
    workbookWith({ [STRINGS]: stringsOf(['<si><t>a</t></si>'.repeat(500), 32_000]) }),
  ),
  xlsx('shared strings of 1 MB each', () =>
    workbookWith({ [STRINGS]: stringsOf([`<si><t>${'a'.repeat(1_000_000)}</t></si>`, 3000]) }),
  ),
  xlsx('a shared string of 1,000,000 runs', () =>
    workbookWith({ [STRINGS]: stringsOf(['<si>', 1], ['<r><t>a</t></r>'.repeat(1000), 1000], ['</si>', 1]) }),
  ),
  xlsx('an inline string of 1,000,000 runs', () =>
    workbookWith({
      [SHEET]: sheetOf(
        ['<row><c t="inlineStr"><is>', 1],
        ['<r><t>a</t></r>'.repeat(1000), 1000],
        ['</is></c></row>', 1],
      ),
    }),
  ),
  xlsx('an inline string of 10,000,000 empty runs', () =>
    workbookWith({
      [SHEET]: sheetOf(['<row><c t="inlineStr"><is>', 1], ['<r><t/></r>'.repeat(1000), 10_000], ['</is></c></row>', 1]),
    }),
  ),
  xlsx('100,000 sheets', () => manySheets(100_000, () => 'r1')),
  xlsx('60,000 sheets and relations', () => {
    const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    return workbookWith({
      'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="r"><sheets>${range(60_000, (at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="r${at}"/>`)}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${range(60_000, (at) => `<Relationship Id="r${at}" Type="${relation}/worksheet" Target="worksheets/sheet1.xml"/>`)}</Relationships>`,
    })
  }),
  xlsx('3,000 sheets with rows', () => {
    const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    const sheets = Object.fromEntries(
      Array.from({ length: 3000 }, (_, at) => [`xl/worksheets/s${at}.xml`, sheetOf([rowsOf([HEADER, ROW]), 1])]),
    )
    return workbookWith({
      'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="r"><sheets>${range(3000, (at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="r${at}"/>`)}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${range(3000, (at) => `<Relationship Id="r${at}" Type="${relation}/worksheet" Target="worksheets/s${at}.xml"/>`)}</Relationships>`,
      ...sheets,
    })
  }),
  xlsx('relations in a loop', () => {
    const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    return workbookWith({
      '_rels/.rels': `<Relationships><Relationship Id="r1" Type="${relation}/officeDocument" Target="_rels/.rels"/></Relationships>`,
      '_rels/_rels/.rels.rels': `<Relationships><Relationship Id="r1" Type="${relation}/worksheet" Target=".rels"/></Relationships>`,
    })
  }),
  xlsx('200,000 relations', () =>
    workbookWith({
      '_rels/.rels': [
        ['<Relationships>', 1],
        [range(1000, (at) => `<Relationship Id="r${at}" Type="a/theme" Target="${'../'.repeat(20)}x"/>`), 200],
        ['</Relationships>', 1],
      ],
    }),
  ),
  xlsx('16,384 merged cells of a header row', () =>
    workbookWith({
      [SHEET]: sheetAnd(
        wideHeader(16_384, (at) => `N${at}`) + wideRow(16_384),
        ...merges(16_384, (at) => `${letters(at)}1:${letters(at)}1`),
      ),
    }),
  ),
  xlsx('8,192 pairs of merged cells over two header rows', () =>
    workbookWith({
      [SHEET]: sheetAnd(
        `<row r="1">${range(8192, (at) => `<c t="inlineStr"><is><t>Group ${at}</t></is></c><c/>`)}</row>` +
          headerOf(16_384, (at) => (at === 0 ? 'user' : at === 1 ? 'date' : `N${at % 2}`)).replace('r="1"', 'r="2"') +
          wideRow(16_384).replace('r="2"', 'r="3"'),
        ...merges(8192, (at) => `${letters(at * 2)}1:${letters(at * 2 + 1)}1`),
      ),
    }),
  ),
  xlsx('100,000 merged cells that overlap', () =>
    workbookWith({ [SHEET]: sheetAnd(rowsOf([HEADER, ROW]), ...merges(100_000, () => 'A1:XFD1048576')) }),
  ),
  xlsx('100,000 merged columns', () =>
    workbookWith({ [SHEET]: sheetAnd(rowsOf([HEADER, ROW]), ...merges(100_000, (at) => `A${at + 1}:D${at + 1}`)) }),
  ),
  xlsx('5,000,000 merged cells', () =>
    workbookWith({
      [SHEET]: sheetAnd(
        rowsOf([HEADER, ROW]),
        ['<mergeCells>', 1],
        ['<mergeCell ref="A1:D1"/>'.repeat(500), 10_000],
        ['</mergeCells>', 1],
      ),
    }),
  ),
  xlsx('one cell at XFD1048576', () =>
    workbookWith({ [SHEET]: sheetOf(['<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>', 1]) }),
  ),
  xlsx('a header, and one cell at XFD1048576', () =>
    workbookWith({
      [SHEET]: sheetOf([rowsOf([HEADER, ROW]) + '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row>', 1]),
    }),
  ),
  xlsx('a far cell in each of 20,000 rows', () =>
    workbookWith({
      [SHEET]: sheetOf([
        rowsOf([HEADER, ROW]) + range(20_000, (at) => `<row r="${at + 3}"><c r="XFD${at + 3}"><v>7</v></c></row>`),
        1,
      ]),
    }),
  ),
  xlsx('a far cell in each of 1,000,000 rows', () =>
    workbookWith({
      [SHEET]: sheetOf([rowsOf([HEADER, ROW]), 1], ['<row><c r="XFD1"><v>7</v></c></row>'.repeat(200), 5000]),
    }),
  ),
  xlsx('rows in descending order', () =>
    workbookWith({ [SHEET]: sheetOf([range(100_000, (at) => `<row r="${200_000 - at}"><c><v>1</v></c></row>`), 1]) }),
  ),
  xlsx('one row 1,000,000 times', () =>
    workbookWith({ [SHEET]: sheetOf(['<row r="1"><c><v>1</v></c></row>'.repeat(1000), 1000]) }),
  ),
  xlsx('one cell 20,000,000 times', () =>
    workbookWith({
      [SHEET]: sheetOf(['<row r="1">', 1], ['<c r="A1"><v>1</v></c>'.repeat(400), 50_000], ['</row>', 1]),
    }),
  ),
  xlsx('20,000,000 empty rows without numbers', () =>
    workbookWith({ [SHEET]: sheetOf(['<row></row>'.repeat(1000), 20_000]) }),
  ),
  xlsx('1,048,575 rows of data', () =>
    workbookWith({ [SHEET]: sheetOf([rowsOf([HEADER]), 1], [rowsOf(Array.from({ length: 75 }, () => ROW)), 13_981]) }),
  ),
  xlsx('a dimension of all cells', () =>
    workbookWith({
      [SHEET]: [
        [
          `<worksheet xmlns="${MAIN}"><dimension ref="A1:XFD1048576"/><sheetData>${rowsOf([HEADER, ROW])}</sheetData></worksheet>`,
          1,
        ],
      ],
    }),
  ),
  xlsx('16,384 columns with names', () =>
    workbookWith({ [SHEET]: sheetOf([wideHeader(16_384, (at) => `N${at}`) + wideRow(16_384), 1]) }),
  ),
  xlsx(
    '16,384 columns with names, to be created',
    () => workbookWith({ [SHEET]: sheetOf([wideHeader(16_384, (at) => `N${at}`) + wideRow(16_384), 1]) }),
    ['--create-missing', '--frequency', 'D', '--unit', 'x'],
  ),
  xlsx('16,384 columns of dates', () =>
    workbookWith({
      [SHEET]: sheetOf([
        wideHeader(16_384, (at) => new Date(86_400_000 * at).toISOString().slice(0, 10)).replace('>date<', '>kpi<') +
          wideRow(16_384).replace('2026-01-05', 'Sales'),
        1,
      ]),
    }),
  ),
  xlsx('20,000 columns', () => workbookWith({ [SHEET]: sheetOf([wideHeader(20_000, (at) => `N${at}`), 1]) })),
  xlsx('a sheet of 60 MB of blanks', () => workbookWith({ [SHEET]: sheetOf([' '.repeat(60_000), 1000]) })),
  xlsx('a sheet of 1.6 GB of blanks', () => workbookWith({ [SHEET]: sheetOf([' '.repeat(12_000), 140_000]) })),
  xlsx('elements 1,000,000 deep', () => workbookWith({ [SHEET]: sheetOf(['<a>'.repeat(1000), 1000]) })),
  xlsx('an attribute of 60 MB', () =>
    workbookWith({ [SHEET]: sheetOf(['<row a="', 1], ['a'.repeat(60_000), 1000], ['"/>', 1]) }),
  ),
  xlsx('an element of 100,000 attributes', () =>
    workbookWith({ [SHEET]: sheetOf([`<row ${range(100_000, (at) => ` a${at}="1"`)}/>`, 1]) }),
  ),
  xlsx('an element of 1,000,000 attributes', () =>
    workbookWith({ [SHEET]: sheetOf([`<row ${range(1_000_000, (at) => ` a${at}="1"`)}/>`, 1]) }),
  ),
  xlsx('a name of 10 MB', () => workbookWith({ [SHEET]: sheetOf(['<', 1], ['a'.repeat(10_000), 1000], ['/>', 1]) })),
  xlsx('a comment of 60 MB', () =>
    workbookWith({ [SHEET]: sheetOf(['<!--', 1], ['a- '.repeat(20_000), 1000], ['-->', 1]) }),
  ),
  xlsx('a comment of 15 MB', () =>
    workbookWith({ [SHEET]: sheetOf(['<!--', 1], ['a- '.repeat(5000), 1000], ['-->', 1]) }),
  ),
  xlsx('CDATA of 60 MB', () =>
    workbookWith({
      [SHEET]: sheetOf(['<row><c><v><![CDATA[', 1], ['a] '.repeat(20_000), 1000], [']]></v></c></row>', 1]),
    }),
  ),
  xlsx('CDATA of 15 MB', () =>
    workbookWith({
      [SHEET]: sheetOf(['<row><c><v><![CDATA[', 1], ['a] '.repeat(5000), 1000], [']]></v></c></row>', 1]),
    }),
  ),
  xlsx('10,000,000 entities in a text', () =>
    workbookWith({ [SHEET]: sheetOf(['<row><c><v>', 1], ['&amp;'.repeat(1000), 10_000], ['</v></c></row>', 1]) }),
  ),
  xlsx('entities of entities', () =>
    workbookWith({
      [SHEET]: [[`<!DOCTYPE a [<!ENTITY a "b"><!ENTITY c "&a;&a;&a;">]><worksheet xmlns="${MAIN}"/>`, 1]],
    }),
  ),
  xlsx('a number of 1 MB digits', () =>
    workbookWith({
      [SHEET]: sheetOf([
        rowsOf([HEADER]) +
          `<row><c t="inlineStr"><is><t>admin@localhost</t></is></c><c t="inlineStr"><is><t>Sales</t></is></c><c><v>46000</v></c><c><v>${'9'.repeat(1_000_000)}</v></c></row>`,
        1,
      ]),
    }),
  ),
  xlsx('cells of 1,000,000 characters in 12 rows', () =>
    workbookWith({
      [SHEET]: sheetOf(
        [rowsOf([HEADER, ROW]), 1],
        [`<row><c t="inlineStr"><is><t>${'a'.repeat(1_000_000)}</t></is></c></row>`, 12],
      ),
    }),
  ),
  xlsx('escapes 1,000,000 times', () =>
    workbookWith({
      [SHEET]: sheetOf([
        rowsOf([HEADER, ROW]) + `<row><c t="inlineStr"><is><t>${'_x'.repeat(500_000)}</t></is></c></row>`,
        1,
      ]),
    }),
  ),
]

const repeatedRows = (rows: string, columns: string, more = ''): string =>
  `<table:table-row table:number-rows-repeated="${rows}"><table:table-cell table:number-columns-repeated="${columns}" office:value-type="float" office:value="1"/></table:table-row>${more}`

const odsRow = (cells: readonly string[]): string =>
  `<table:table-row>${cells.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`

const ods = (name: string, sheets: () => Readonly<Record<string, string>>): HostileFile => ({
  name: `spreadsheet: ${name}`,
  file: 'data.ods',
  make: () => zipMembers(Object.entries(odsFiles(sheets())).map(([path, text]) => ({ path, parts: [[text, 1]] }))),
})

const odsHead = odsRow(HEADER)

const ODS: readonly HostileFile[] = [
  ods('a row 1,048,576 times', () => ({ A: repeatedRows('1048576', '1') })),
  ods('a row 1,048,575 times below a header', () => ({ A: odsHead + repeatedRows('1048575', '4') })),
  ods('a cell 16,384 times, 1,048,576 times', () => ({ A: repeatedRows('1048576', '16384') })),
  ods('a cell 16,384 times, 1,000 times', () => ({ A: odsHead + repeatedRows('1000', '16384') })),
  ods('rows repeated 1e308 times', () => ({ A: odsHead + repeatedRows('1e308', '1e308') })),
  ods('2,000 rows of 8,000 repeated cells', () => ({ A: odsHead + repeatedRows('1', '8000').repeat(2000) })),
  ods('empty rows and cells repeated 100,000 times', () => ({
    A:
      odsHead +
      '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'.repeat(
        100_000,
      ),
  })),
  ods('50,000 sheets', () =>
    Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`S${at}`, odsRow([String(at)])])),
  ),
  ods('tables within tables', () => ({
    A:
      odsHead +
      '<table:table-row><table:table-cell><table:table table:name="B">'.repeat(60) +
      odsRow(['a']) +
      '</table:table></table:table-cell></table:table-row>'.repeat(60),
  })),
  ods('spans of the whole sheet 100,000 times', () => ({
    A:
      odsHead +
      '<table:table-row><table:table-cell table:number-columns-spanned="16384" table:number-rows-spanned="1048576"><text:p>a</text:p></table:table-cell></table:table-row>'.repeat(
        100_000,
      ),
  })),
  ods('a text of 100,000 spaces as counts', () => ({
    A:
      odsHead +
      `<table:table-row><table:table-cell><text:p>${'<text:s text:c="16384"/>'.repeat(100_000)}</text:p></table:table-cell></table:table-row>`,
  })),
  ods('a cell of 1,000,000 paragraphs', () => ({
    A:
      odsHead +
      `<table:table-row><table:table-cell>${'<text:p/>'.repeat(1_000_000)}</table:table-cell></table:table-row>`,
  })),
  ods('16,384 merged cells of a header row', () => ({
    A:
      `<table:table-row>${range(8192, (at) => `<table:table-cell table:number-columns-spanned="2"><text:p>${at === 0 ? 'user' : `N${at}`}</text:p></table:table-cell><table:covered-table-cell/>`)}</table:table-row>` +
      odsRow(Array.from({ length: 16_384 }, (_, at) => String(at))),
  })),
]

export const WORKBOOKS: readonly HostileFile[] = [...XLSX, ...ODS]
