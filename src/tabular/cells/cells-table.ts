import type { ByteSum } from '../packing/byte-sum.ts'
import type { Row } from '../source/row.ts'
import type { FormatFinding, HeaderFinder, ParsedFormat, Table } from '../source/table.ts'
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
export const cellsTable = ({ sum, spill, ...cells }: CellRows, header: HeaderFinder): Promise<Table> =>
  header.begin({ ...cells, ...sum, close: spill.close })
