import { KpiError } from '../../../domain/errors.ts'
import type { StoredNumbers } from '../rows.ts'

/** Describes a range of merged cells; rows count from 1, columns from 0. */
export type MergedRange = {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** Takes the next row of a sheet: its number in the sheet, its cells, and which of them are numbers. */
export type OnRow = (line: number, cells: readonly string[], numbers?: StoredNumbers) => void

/** Describes how large a sheet is: its rows with cells, and the most cells of one. */
export type SheetSize = { readonly rows: number; readonly columns: number }

/** Describes a sheet of a workbook. */
export type Sheet = {
  readonly name: string
  readonly isHidden: boolean
  /** Returns its size; formulas without values count as cells. */
  readonly measure: () => Promise<SheetSize>
  /** Reads its rows once, and returns the ranges of merged cells. */
  readonly read: (onRow: OnRow) => Promise<readonly MergedRange[]>
}

/** Describes an open workbook: what it was recognized by, and its sheets in their order. */
export type Workbook = { readonly kind: 'xlsx' | 'ods'; readonly evidence: string; readonly sheets: readonly Sheet[] }

/** Bounds the columns and rows of a sheet: no spreadsheet has more. */
export const MOST_COLUMNS = 16_384
export const MOST_ROWS = 1_048_576

/** Bounds how many ranges of merged cells are kept. */
export const MOST_RANGES = 100_000

const LETTERS = 26

/** Returns the letters of a column, which is counted from 0. */
const columnLetters = (column: number): string =>
  (column >= LETTERS ? columnLetters(Math.floor(column / LETTERS) - 1) : '') +
  String.fromCharCode('A'.charCodeAt(0) + (column % LETTERS))

/** Returns the name of a cell, such as `B12`. */
export const cellName = (row: number, column: number): string => `${columnLetters(column)}${row}`

/** Returns the name of a range, such as `B1:D1`. */
export const rangeName = ({ firstRow, lastRow, firstColumn, lastColumn }: MergedRange): string =>
  `${cellName(firstRow, firstColumn)}:${cellName(lastRow, lastColumn)}`

/** Creates what measures a sheet from its rows. */
export const createMeter = (): { readonly onRow: OnRow; readonly size: () => SheetSize } => {
  let [rows, columns] = [0, 0]
  return {
    onRow: (_, cells) => {
      rows += 1
      columns = Math.max(columns, cells.length)
    },
    size: () => ({ rows, columns }),
  }
}

/** Returns the error for a workbook that cannot be read. */
export const unreadableWorkbook = (name: string, why: string): KpiError =>
  new KpiError('malformed', `cannot read ${name}: ${why}`)

/** Returns the error for a formula of which only a spreadsheet program knows the value. */
export const noValueError = (name: string, sheet: string, row: number, column: number): KpiError =>
  unreadableWorkbook(
    name,
    `cell ${cellName(row, column)} of the sheet ${sheet} is a formula, and its value is not in the file; open the workbook in a spreadsheet program and save it`,
  )
