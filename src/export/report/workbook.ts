import { type Row, WorkbookWriter, type WorksheetWriter } from '@cj-tech-master/excelts'
import { cellOf, cellText } from '../../codec/cell-text.ts'
import { IS_TOTAL, type ReportColumn, type ReportTable } from '../../domain/analysis/report-table.ts'
import { dayOfCivil } from '../../domain/day.ts'
import { exactNumber, formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { AnyRecord, FieldValue, NamedField } from '../../domain/schema.ts'
import { DAY_FORMAT } from './number-format.ts'

const MS_PER_DAY = 86_400_000
const MS_PER_SECOND = 1000
/** Sets how many rows a sheet has at most, with the header: the format has no more. */
const MOST_ROWS = 1_048_576
/** Sets the first day that all spreadsheets count alike: some believe that 1900 was a leap year. */
const FIRST_SHEET_DAY = dayOfCivil(1900, 3, 1)
const LEAST_WIDTH = 8
const MOST_WIDTH = 60
/** Sets the room for the arrow of the filter beside a title. */
const FILTER_WIDTH = 3

/** Bounds the characters of a cell: the format has no more. */
const MOST_CHARACTERS = 32_767

const requireShort = (name: string, text: string): string => {
  if (text.length <= MOST_CHARACTERS) return text
  throw new KpiError(
    'too_large',
    `${name} has ${text.length} characters, and a cell of a workbook ${MOST_CHARACTERS} at most; write csv or ndjson`,
  )
}

/** Describes a value as a sheet has it: a number that it cannot hold exactly is a text. */
type SheetValue = string | number | boolean | Date | null

const sheetValue = ({ name, field: { kind } }: NamedField, value: FieldValue): SheetValue => {
  if (typeof value === 'string') return requireShort(name, value)
  if (typeof value === 'bigint') return exactNumber(value) ?? formatDecimal(value)
  if (typeof value !== 'number') return value
  if (kind === 'date' && value >= FIRST_SHEET_DAY) return new Date(value * MS_PER_DAY)
  if (kind === 'datetime') return new Date(value * MS_PER_SECOND)
  return kind === 'date' ? cellText({ kind, about: '' }, value) : value
}

/** Bounds the characters of a sheet's name. */
const MOST_IN_NAME = 31

/** Returns a text without the apostrophes and blanks at its end, which no sheet's name may have. */
const withoutEnd = (text: string): string => {
  let { length } = text
  while (length > 0 && "' ".includes(text[length - 1] ?? '')) length -= 1
  return text.slice(0, length)
}

/** Returns a text as the name of a sheet, which is short and lacks some signs. */
const safeSheetName = (text: string, end: string): string => {
  const plain = text.replaceAll(/[[\]:*?/\\]/g, ' ').replace(/^[' ]+/, '')
  // Cut no character in two.
  const short = withoutEnd(plain.slice(0, MOST_IN_NAME - end.length).replace(/[\uD800-\uDBFF]$/, ''))
  return `${short === '' ? 'Report' : short}${end}`
}

/** Returns the number format of a cell: the one in which people read the value, else that of a date. */
const formatOf = ({ field: { kind }, sheetFormat }: ReportColumn, record: AnyRecord): string | undefined => {
  if (sheetFormat) return sheetFormat(record)
  if (kind === 'date') return DAY_FORMAT
  return kind === 'datetime' ? 'yyyy-mm-dd hh:mm:ss' : undefined
}

const valueOf = ({ name, sheetValue: own }: ReportColumn, record: AnyRecord): FieldValue =>
  own ? own(record) : (record[name] ?? null)

const widthOf = (column: ReportColumn, rows: readonly AnyRecord[]): number => {
  let width = Math.max(LEAST_WIDTH, column.name.length + FILTER_WIDTH)
  for (const row of rows) width = Math.max(width, cellOf(column, row).length + 1)
  return Math.min(MOST_WIDTH, width)
}

/** Describes what a workbook says of itself: the name of its sheets, when it was made, and the lines above its tables. */
export type WorkbookAbout = {
  readonly sheetName: string
  readonly made: Date
  /** Lists the title, and what stands below it; nothing if there is none. */
  readonly title?: readonly string[]
}

/** Describes a sheet that is being written: `from` is the row of its header. */
type OpenSheet = {
  readonly sheet: WorksheetWriter
  readonly lastColumn: string
  readonly from: number
  rows: number
  /** Counts the rows of totals, which are the last ones: they are not sorted and filtered with the others. */
  totals: number
}

const TITLE_SIZE = 14

/** Opens a sheet with its title and header, which stay in view; the first rows settle the widths of its columns. */
const openSheet = (
  book: WorkbookWriter,
  { sheetName, title = [] }: Pick<WorkbookAbout, 'sheetName' | 'title'>,
  columns: readonly ReportColumn[],
  rows: readonly AnyRecord[],
): OpenSheet => {
  const from = title.length === 0 ? 1 : title.length + 2
  const sheet = book.addWorksheet(sheetName, {
    views: [{ state: 'frozen', ySplit: from }],
    // Repeat the header on each page of paper.
    pageSetup: { printTitlesRow: `${from}:${from}` },
  })
  sheet.columns = columns.map((column) => ({ width: widthOf(column, rows) }))
  for (const [at, line] of title.entries()) {
    const row = sheet.addRow([line])
    if (at === 0) row.font = { bold: true, size: TITLE_SIZE }
    row.commit()
  }
  if (title.length > 0) sheet.addRow([]).commit()
  const header = sheet.addRow(columns.map((column) => column.name))
  header.font = { bold: true }
  // Take the letters of the last title's cell, such as P of P1.
  const lastColumn = header.getCell(Math.max(1, columns.length)).address.slice(0, -String(from).length)
  header.commit()
  return { sheet, lastColumn, from, rows: from, totals: 0 }
}

const closeSheet = ({ sheet, lastColumn, from, rows, totals }: OpenSheet): void => {
  sheet.autoFilter = `A${from}:${lastColumn}${rows - totals}`
  sheet.commit()
}

const addRow = (sheet: WorksheetWriter, columns: readonly ReportColumn[], record: AnyRecord) => {
  const values = columns.map((column) => valueOf(column, record))
  const row: Row = sheet.addRow(columns.map((column, at) => sheetValue(column, values[at] ?? null)))
  for (const [at, column] of columns.entries()) {
    const format = (values[at] ?? null) === null ? undefined : formatOf(column, record)
    if (format !== undefined) row.getCell(at + 1).numFmt = format
  }
  if (record[IS_TOTAL] === true) row.font = { bold: true }
  row.commit()
}

/** Yields a table as a workbook (xlsx), in constant memory; what one sheet cannot hold goes on in the next. */
export async function* workbookFile(
  { columns, parts }: ReportTable,
  { sheetName, made, title = [] }: WorkbookAbout,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  const stream = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) })
  const author = { creator: 'kpi', lastModifiedBy: 'kpi', created: made, modified: made }
  const book = new WorkbookWriter({ stream, useStyles: true, ...author })
  let [open, count]: [OpenSheet | undefined, number] = [undefined, 0]
  const openNext = (rows: readonly AnyRecord[]): OpenSheet => {
    count += 1
    const next = count === 1 ? safeSheetName(sheetName, '') : safeSheetName(sheetName, ` ${count}`)
    return openSheet(book, { sheetName: next, title }, columns, rows)
  }
  for await (const rows of parts) {
    for (const record of rows) {
      if (open?.rows === MOST_ROWS) {
        closeSheet(open)
        open = undefined
      }
      open ??= openNext(rows)
      addRow(open.sheet, columns, record)
      open.rows += 1
      if (record[IS_TOTAL] === true) open.totals += 1
    }
    yield* chunks.splice(0)
  }
  closeSheet(open ?? openNext([]))
  await book.commit()
  yield* chunks
}
