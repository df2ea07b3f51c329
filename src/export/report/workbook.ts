import { type Row, WorkbookWriter, type WorksheetWriter } from '@cj-tech-master/excelts'
import { cellText } from '../../codec/cell-text.ts'
import type { ReportTable } from '../../domain/analysis/report-table.ts'
import { dayOfCivil } from '../../domain/day.ts'
import { exactNumber, formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import { readNumberPattern } from '../../domain/number-pattern.ts'
import type { AnyRecord, FieldValue, NamedField } from '../../domain/schema.ts'

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

const quoted = (text: string): string => (text === '' ? '' : `"${text.replaceAll('"', '"\\""')}"`)

/**
 * Returns a unit's number pattern as a spreadsheet writes it: `£ #.00` is `"£ "0.00`. Decimals that are left out where
 * they are zero need the general format: `0.##` would leave the point of 5 behind.
 */
export const numberFormat = (pattern: string): string => {
  const { before, after, decimals, fixedDecimals, isGrouped } = readNumberPattern(pattern)
  const whole = isGrouped ? '#,##0' : '0'
  const fraction = '0'.repeat(fixedDecimals) + '#'.repeat(decimals - fixedDecimals)
  const number = fixedDecimals === 0 && decimals > 0 ? 'General' : `${whole}${fraction === '' ? '' : `.${fraction}`}`
  return `${quoted(before)}${number}${quoted(after)}`
}

/** Returns a function that remembers the formats of the few units there are. */
const createFormats = (): ((pattern: string) => string) => {
  const known = new Map<string, string>()
  return (pattern) => {
    const format = known.get(pattern) ?? numberFormat(pattern)
    known.set(pattern, format)
    return format
  }
}

type FormatOf = (column: NamedField, record: AnyRecord) => string | undefined

/** Creates what returns the format of a cell: of dates, and of numbers in the unit of their row. */
const createFormatOf = (): FormatOf => {
  const formats = createFormats()
  return ({ name, field: { kind } }, { labelFormat }) => {
    if (kind === 'date') return 'yyyy-mm-dd'
    if (kind === 'datetime') return 'yyyy-mm-dd hh:mm:ss'
    const isInUnit = kind === 'decimal' && typeof labelFormat === 'string' && !name.endsWith('percent')
    return isInUnit ? formats(labelFormat) : undefined
  }
}

const widthOf = ({ name, field }: NamedField, rows: readonly AnyRecord[]): number => {
  let width = Math.max(LEAST_WIDTH, name.length + FILTER_WIDTH)
  for (const row of rows) width = Math.max(width, cellText(field, row[name] ?? null).length + 1)
  return Math.min(MOST_WIDTH, width)
}

/** Describes a sheet that is being written. */
type OpenSheet = { readonly sheet: WorksheetWriter; readonly lastColumn: string; rows: number }

/** Opens a sheet with its header, which stays in view; the first rows settle the widths of its columns. */
const openSheet = (
  book: WorkbookWriter,
  name: string,
  columns: readonly NamedField[],
  rows: readonly AnyRecord[],
): OpenSheet => {
  const sheet = book.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] })
  sheet.columns = columns.map((column) => ({ width: widthOf(column, rows) }))
  const header = sheet.addRow(columns.map((column) => column.name))
  header.font = { bold: true }
  // Take the letter of the last title's cell, such as P of P1.
  const lastColumn = header.getCell(Math.max(1, columns.length)).address.slice(0, -1)
  header.commit()
  return { sheet, lastColumn, rows: 1 }
}

const closeSheet = ({ sheet, lastColumn, rows }: OpenSheet): void => {
  sheet.autoFilter = `A1:${lastColumn}${rows}`
  sheet.commit()
}

const addRow = (sheet: WorksheetWriter, columns: readonly NamedField[], record: AnyRecord, formatOf: FormatOf) => {
  const row: Row = sheet.addRow(columns.map((column) => sheetValue(column, record[column.name] ?? null)))
  for (const [at, column] of columns.entries()) {
    const format = (record[column.name] ?? null) === null ? undefined : formatOf(column, record)
    if (format !== undefined) row.getCell(at + 1).numFmt = format
  }
  row.commit()
}

/** Yields a table as a workbook (xlsx), in constant memory; what one sheet cannot hold goes on in the next. */
export async function* workbookFile(
  { columns, parts }: ReportTable,
  { title, made }: { readonly title: string; readonly made: Date },
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  const stream = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) })
  const author = { creator: 'kpi', lastModifiedBy: 'kpi', created: made, modified: made }
  const book = new WorkbookWriter({ stream, useStyles: true, ...author })
  const formatOf = createFormatOf()
  let [open, count]: [OpenSheet | undefined, number] = [undefined, 0]
  const nextName = (): string => ((count += 1) === 1 ? title : `${title} ${count}`)
  for await (const rows of parts) {
    for (const record of rows) {
      if (open?.rows === MOST_ROWS) {
        closeSheet(open)
        open = undefined
      }
      open ??= openSheet(book, nextName(), columns, rows)
      addRow(open.sheet, columns, record, formatOf)
      open.rows += 1
    }
    yield* chunks.splice(0)
  }
  closeSheet(open ?? openSheet(book, nextName(), columns, []))
  await book.commit()
  yield* chunks
}
