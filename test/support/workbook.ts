import { zipOf } from './zip.ts'

/** The parts of a workbook in the format of Excel: sheets as XML of their rows, or with all that follows the rows. */
export type XlsxParts = {
  readonly sheets: Readonly<Record<string, string>>
  /** The number formats of styles 1, 2, …; style 0 has the general one. */
  readonly formats?: readonly (string | number)[]
  /** The shared texts, as XML. */
  readonly strings?: readonly string[]
  readonly is1904?: boolean | undefined
  readonly hidden?: readonly string[]
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'

const relations = (targets: readonly (readonly [kind: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}">${targets.map(([kind, target], at) => `<Relationship Id="r${at + 1}" Type="${RELATIONS}/${kind}" Target="${target}"/>`).join('')}</Relationships>`

const styles = (formats: readonly (string | number)[]): string => {
  const custom = formats.flatMap((format, at) => (typeof format === 'string' ? [{ format, id: 164 + at }] : []))
  const quoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const ids = formats.map((format, at) => (typeof format === 'string' ? 164 + at : format))
  return `<styleSheet xmlns="${MAIN}"><numFmts>${custom.map(({ format, id }) => `<numFmt numFmtId="${id}" formatCode="${quoted(format)}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`
}

/** The files of a workbook in the format of Excel. */
export const xlsxFiles = (parts: XlsxParts): Record<string, string> => {
  const { sheets, formats = [], strings = [], is1904, hidden = [] } = parts
  const names = Object.keys(sheets)
  const listed = names.map(
    (name, at) =>
      `<sheet name="${name}" sheetId="${at + 1}"${hidden.includes(name) ? ' state="hidden"' : ''} r:id="r${at + 1}"/>`,
  )
  return {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">${is1904 === undefined ? '' : `<workbookPr date1904="${is1904 ? 1 : 0}"/>`}<sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`] as const),
      ['styles', 'styles.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': styles(formats),
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    ...Object.fromEntries(
      names.map((name, at) => {
        const rows = sheets[name] ?? ''
        const data = rows.includes('<sheetData>') ? rows : `<sheetData>${rows}</sheetData>`
        return [`xl/worksheets/sheet${at + 1}.xml`, `<worksheet xmlns="${MAIN}">${data}</worksheet>`]
      }),
    ),
  }
}

/** A workbook in the format of Excel. */
export const xlsxOf = (parts: XlsxParts): Buffer => zipOf(xlsxFiles(parts))

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Rows of texts and numbers as XML, from row 1 on. */
export const rowsOf = (rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map((cells) => {
      const texts = cells.map((cell) => {
        if (cell === '') return '<c/>'
        return typeof cell === 'number'
          ? `<c><v>${cell}</v></c>`
          : `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`
      })
      return `<row>${texts.join('')}</row>`
    })
    .join('')

const OFFICE = ['office', 'table', 'text']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')

/** An OpenDocument spreadsheet: sheets as XML of their rows. */
export const odsFiles = (sheets: Readonly<Record<string, string>>): Record<string, string> => ({
  mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
  'content.xml': `<office:document-content ${OFFICE} xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"><office:body><office:spreadsheet>${Object.entries(
    sheets,
  )
    .map(([name, rows]) => `<table:table table:name="${name}">${rows}</table:table>`)
    .join('')}</office:spreadsheet></office:body></office:document-content>`,
})
