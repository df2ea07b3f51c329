import type { Row, HeaderRows, RawTable, Table } from '../../tabular/source/table.ts'
import { findHeading, HEADING_ROWS } from './find-heading.ts'
import { mergeLabels } from './upper-row.ts'

/** Bounds the characters of the rows that show where the header is, of which there are two at least. */
const HEADING_CHARACTERS = 1 << 22

/** Returns the first rows of a file: all within the lines that are skipped, and those that show where the header is. */
const firstRows = async (rows: AsyncGenerator<readonly Row[]>, skipLines: number): Promise<Row[]> => {
  const first: Row[] = []
  let [skipped, characters] = [0, 0]
  for await (const some of rows) {
    for (const row of some) {
      const shown = first.length - skipped
      if (shown >= HEADING_ROWS || (shown > 1 && characters > HEADING_CHARACTERS)) return first
      first.push(row)
      if (row.line <= skipLines) skipped += 1
      else characters += row.cells.reduce((sum, { length }) => sum + length, 0)
    }
  }
  return first
}

/** Yields the header, and the rows after it without that of units. */
async function* fromHeader(
  chunks: AsyncGenerator<readonly Row[]>,
  header: Row,
  units: Row | undefined,
): AsyncGenerator<readonly Row[]> {
  let isBegun = false
  for await (const rows of chunks) {
    const from = isBegun ? 0 : rows.findIndex(({ line }) => line === header.line)
    if (from < 0) continue
    const data = (isBegun ? rows : rows.slice(from + 1)).filter(({ line }) => line !== units?.line)
    yield isBegun ? data : [header, ...data]
    isBegun = true
  }
}

/** Returns the first rows of a table, and which of them are its header. */
export const headerRows = async (
  rows: () => AsyncGenerator<readonly Row[]>,
  skipLines: number | undefined,
): Promise<HeaderRows> => {
  const first = await firstRows(rows(), skipLines ?? 0)
  const { at, upper } = findHeading(first, skipLines)
  return { first, header: first.slice(upper ? at - 1 : at, at + 1) }
}

/** Finds the header of a table, after so many lines if they are given, and returns the table from there on. */
export const withHeading = async (table: RawTable, skipLines: number | undefined): Promise<Table> => {
  const first = await firstRows(table.rows(), skipLines ?? 0)
  const { at, upper, units: unitsAt } = findHeading(first, skipLines)
  const row = first[at]
  if (!row) return { ...table, above: [], upper }
  const header = { line: row.line, cells: mergeLabels(row.cells, upper) }
  const units = unitsAt === undefined ? undefined : first[unitsAt]
  const rows = at === 0 && !units ? table.rows : () => fromHeader(table.rows(), header, units)
  // Where only blank lines are skipped, the header has to be on its line again in a file of rejects.
  const above = at === 0 && skipLines !== undefined && row.line > 1 ? [{ line: 1, cells: [] }] : first.slice(0, at)
  return { ...table, rows, above, upper, ...(units && { units }) }
}
