import type { OnRow } from '../cells/cells-table.ts'
import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { LONGEST_CELL, LONGEST_ROW, MOST_COLUMNS, MOST_ROWS } from '../source/limits.ts'
import type { StoredNumbers } from '../source/table.ts'

/** Describes a range of merged cells; rows count from 1, columns from 0. */
export type MergedRange = {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** Describes one row of a sheet, or several that are the same. */
export type QueuedRow = {
  readonly line: number
  readonly cells: readonly string[]
  readonly numbers: StoredNumbers
  readonly count: number
}

/** Holds the rows of a part of a sheet until they are taken, with pauses. */
export type RowQueue = { readonly add: (row: QueuedRow) => void; readonly drain: () => Promise<void> }

/** Creates a queue of rows, as a document is read without pauses. */
export const createRowQueue = (onRow: OnRow): RowQueue => {
  let rows: QueuedRow[] = []
  return {
    add: (row) => void rows.push(row),
    drain: async () => {
      const taken = rows
      rows = []
      for (const { line, cells, numbers, count } of taken) {
        for (let at = 0; at < count; at += 1) {
          const pause = onRow(line + at, cells, numbers)
          if (pause) await pause
        }
      }
    },
  }
}

/** Describes how large a sheet is: its rows with cells, and the most cells of one. */
export type SheetSize = { readonly rows: number; readonly columns: number }

/** Describes a sheet of a workbook. */
export type Sheet = {
  readonly name: string
  readonly isHidden: boolean
  /** Returns its size, or a part that is enough; formulas without values count as cells. */
  readonly measure: (isEnough?: (size: SheetSize) => boolean) => Promise<SheetSize>
  /** Reads its rows once, and returns the ranges of merged cells. */
  readonly read: (onRow: OnRow) => Promise<readonly MergedRange[]>
}

/** Describes an open workbook: what it was recognized by, and its sheets in their order. */
export type Workbook = { readonly kind: 'xlsx' | 'ods'; readonly evidence: string; readonly sheets: readonly Sheet[] }

/** Bounds the sheets of a workbook. */
const MOST_SHEETS = 10_000

/** Refuses a workbook with more sheets than people make. */
export const requireFewSheets = (count: number, name: string): void => {
  if (count > MOST_SHEETS)
    throw unreadableWorkbook(
      name,
      `it has more than ${countText(MOST_SHEETS)} sheets; save the one that is meant as a workbook of its own, or as CSV`,
    )
}

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

/** Measures a sheet from its rows, of which several may be the same. */
type SheetMeter = {
  readonly add: (row: Pick<QueuedRow, 'cells' | 'count'>) => void
  readonly size: () => SheetSize
}

/** Creates what measures a sheet. */
export const createMeter = (): SheetMeter => {
  let [rows, columns] = [0, 0]
  return {
    add: ({ cells, count }) => {
      rows += count
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

/** Refuses a text that no cell has. */
export const requireShortText = (length: number, name: string, where: string): void => {
  if (length > LONGEST_CELL)
    throw unreadableWorkbook(name, `${where} has a text of more than ${countText(LONGEST_CELL)} characters; shorten it`)
}

/** Refuses a row with more cells than a table has in one. */
export const requireFewColumns = (columns: number, name: string, sheet: string, row: number): void => {
  if (columns > MOST_COLUMNS)
    throw unreadableWorkbook(
      name,
      `row ${row} of the sheet ${sheet} has more than ${countText(MOST_COLUMNS)} cells, the most columns that a table may have; delete what is not needed of it, or save the sheet in parts`,
    )
}

/** Refuses a sheet with more rows than a sheet has; `last` is the number of one. */
export const requireFewRows = (last: number, name: string, sheet: string): void => {
  if (last > MOST_ROWS)
    throw unreadableWorkbook(
      name,
      `the sheet ${sheet} has more than ${countText(MOST_ROWS)} rows, the most that a sheet may have; split it into several sheets, or save it as CSV`,
    )
}

/** Refuses a row with more characters than a table has in one. */
export const requireShortRow = (length: number, name: string, sheet: string, row: number): void => {
  if (length > LONGEST_ROW)
    throw unreadableWorkbook(
      name,
      `row ${row} of the sheet ${sheet} has more than ${countText(LONGEST_ROW)} characters; delete what is not needed of it`,
    )
}
