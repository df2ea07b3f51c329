import { MOST_COLUMNS } from '../source/table-limits.ts'
import type { Row } from '../source/row.ts'
import type { FormatFinding } from '../source/table.ts'
import { type MergedRange, rangeName } from './workbook.ts'
import { listFirst } from '../../domain/count-text.ts'

/** Describes merged cells: the header rows with their values repeated, and what is said of them. */
type FilledHeader = { readonly rows: ReadonlyMap<number, Row>; readonly findings: readonly FormatFinding[] }

const SHOWN_RANGES = 3

const shownRanges = (ranges: readonly MergedRange[]): string => listFirst(ranges, SHOWN_RANGES, rangeName)

/**
 * Returns a header row with the values of merged cells in all of their columns. No row has more of them than a sheet has
 * columns, unless ranges overlap, as no program writes them.
 */
const fillRow = (row: Row, ranges: readonly MergedRange[], valueOf: (range: MergedRange) => string): Row => {
  const cells = [...row.cells]
  let rest = MOST_COLUMNS
  for (const range of ranges) {
    if (row.line < range.firstRow || row.line > range.lastRow) continue
    rest -= range.lastColumn - range.firstColumn + 1
    if (rest < 0) break
    while (cells.length <= range.lastColumn) cells.push('')
    for (let at = range.firstColumn; at <= range.lastColumn; at += 1) cells[at] = valueOf(range)
  }
  return { line: row.line, cells }
}

/** Repeats the values of merged cells in the header rows; below them, only the first cell keeps the value. */
export const fillHeader = (
  first: readonly Row[],
  header: readonly Row[],
  merged: readonly MergedRange[],
): FilledHeader => {
  const [top, last] = [header[0]?.line ?? 0, header.at(-1)?.line ?? 0]
  const within = merged.filter(({ firstRow, lastRow }) => firstRow <= last && lastRow >= top)
  const below = merged.filter(({ firstRow }) => firstRow > last)
  const valueOf = ({ firstRow, firstColumn }: MergedRange): string =>
    first.find(({ line }) => line === firstRow)?.cells[firstColumn] ?? ''
  const filled = within.filter((range) => valueOf(range) !== '')
  return {
    rows: new Map(filled.length === 0 ? [] : header.map((row) => [row.line, fillRow(row, filled, valueOf)])),
    findings: [
      ...(filled.length > 0
        ? [{ topic: 'merged cells', found: shownRanges(filled), evidence: 'repeated, as they are in the header' }]
        : []),
      ...(below.length > 0
        ? [{ topic: 'merged cells', found: shownRanges(below), evidence: 'only the first cell has the value' }]
        : []),
    ],
  }
}

/** Yields rows with the header rows replaced. */
export async function* withFilled(
  chunks: AsyncGenerator<readonly Row[]>,
  rows: FilledHeader['rows'],
): AsyncGenerator<readonly Row[]> {
  for await (const some of chunks) yield rows.size === 0 ? some : some.map((row) => rows.get(row.line) ?? row)
}
