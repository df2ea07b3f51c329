import { findHeading } from '../heading/find-heading.ts'
import { firstRows, withHeading } from '../heading/with-heading.ts'
import { leaveOutRows } from '../ignored-rows.ts'
import type { ByteSum } from '../packing/byte-sum.ts'
import type { Row } from '../row/row.ts'
import type { FormatFinding, ParsedFormat, RequestedFormat, Table } from '../table.ts'
import type { RowSpill } from './row-spill.ts'

/** Returns how the rows of cells are read; the encoding and the separator are those of a rejects file. */
export const cellsFormat = (
  cellsOf: NonNullable<ParsedFormat['cellsOf']>,
  findings: readonly FormatFinding[],
): ParsedFormat => ({
  gzip: false,
  encoding: 'utf-8',
  hasMark: false,
  separator: ',',
  evidence: [],
  cellsOf,
  findings,
})

/** Describes rows of cells: where they are from, and the sum of that. */
type CellRows = {
  readonly name: string
  readonly reading: ParsedFormat
  readonly spill: RowSpill
  readonly sum: ByteSum
  readonly mode: number
  readonly rows: () => AsyncGenerator<readonly Row[]>
}

/** Returns rows of cells as a table. */
export const cellsTable = async (
  { name, reading, spill, sum, mode, rows }: CellRows,
  { skipLines, ignoreRows }: RequestedFormat,
): Promise<Table> => {
  const table = await withHeading({ name, reading, ...sum, mode, rows, close: spill.close }, { skipLines })
  return leaveOutRows(table, ignoreRows)
}

/** Returns the first rows of a table of cells, and which of them are its header. */
export const headerRows = async (
  rows: () => AsyncGenerator<readonly Row[]>,
  { skipLines }: RequestedFormat,
): Promise<{ readonly first: readonly Row[]; readonly header: readonly Row[] }> => {
  const first = await firstRows(rows(), skipLines ?? 0)
  const { at, upper } = findHeading(first, skipLines)
  return { first, header: first.slice(upper ? at - 1 : at, at + 1) }
}
