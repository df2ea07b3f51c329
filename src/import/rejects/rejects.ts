import { stringify } from 'csv-stringify/sync'
import { KpiError } from '../../domain/errors.ts'
import { REJECT_COLUMNS } from '../columns/header.ts'
import { type BlockRow, numberAt, textAt } from '../external-sort/block.ts'
import { createSorter } from '../external-sort/sorter.ts'
import { hasSurplusCells } from '../parse/rows.ts'
import type { Table } from '../parse/table.ts'
import { columnOf, lineOf } from '../rows/packed-row.ts'

/** Describes a line that was not imported, or not wholly. */
type Rejected = {
  readonly line: number
  readonly reasons: readonly string[]
  /** Lists the rejected cells of a wide row; undefined for all of it. */
  readonly columns: ReadonlySet<number> | undefined
}

/** Collects the rows that were not imported, with the reasons, in constant memory. */
export type Rejects = {
  /** Rejects a line, or in a wide file the cell at a place. */
  readonly add: (place: number, reason: string) => void
  /** Returns the number of reasons. */
  readonly size: () => number
  /** Yields every line once, in order, with all its reasons. */
  readonly lines: () => Generator<Rejected>
  /** Forgets them all. */
  readonly clear: () => void
  readonly close: () => void
}

const BLOCK_ROWS = 4096
/**
 * Sets the rows that are sorted in memory: few enough for memory, enough that millions of rejects do not need more
 * files than may be open.
 */
const RUN_ROWS = 1 << 15
const NO_VALUES: Omit<BlockRow, 'first' | 'second' | 'line' | 'text'> = { third: 0, flags: 0, actual: 0n, target: 0n }

type OpenLine = { readonly line: number; readonly reasons: string[]; columns: Set<number> | undefined }

/** Adds a reason against a line; once one is against all of it, its cells are no longer told apart. */
const blame = (open: OpenLine, place: number, reason: string): void => {
  if (!open.reasons.includes(reason)) open.reasons.push(reason)
  const column = columnOf(place)
  if (column === undefined) open.columns = undefined
  else open.columns?.add(column)
}

/** Rejects that lie in `folder` where they do not fit in memory. */
export const createRejects = (folder: string): Rejects => {
  const sorter = createSorter(folder, RUN_ROWS)
  return {
    // The second part of the key keeps a line's reasons in the order in which they were found.
    add: (place, reason) => {
      sorter.add({ first: lineOf(place), second: sorter.size(), line: place, text: reason, ...NO_VALUES })
    },
    size: sorter.size,
    lines: function* () {
      let open: OpenLine | undefined
      for (const block of sorter.blocks(BLOCK_ROWS)) {
        for (let at = 0; at < block.count; at += 1) {
          const place = numberAt(block.line, at)
          if (open?.line !== lineOf(place)) {
            if (open) yield open
            open = { line: lineOf(place), reasons: [], columns: new Set() }
          }
          blame(open, place, textAt(block.text, at))
        }
      }
      if (open) yield open
    },
    clear: sorter.clear,
    close: sorter.close,
  }
}

const isRejectColumn = (name: string | undefined): boolean => REJECT_COLUMNS.some((column) => column === name)

/**
 * Returns a row's own cells: without the line and the reason that an earlier rejects file added, but with all that the
 * row has beyond its header. Such cells come before the line and the reason where these are the last columns.
 */
const ownCells = (header: readonly string[]): ((cells: readonly string[]) => string[]) => {
  const own = [...header.keys()].filter((at) => !isRejectColumn(header[at]))
  const added = header.length - header.findLastIndex((name) => !isRejectColumn(name)) - 1
  return (cells) => [
    ...own.map((at) => cells[at] ?? ''),
    ...(hasSurplusCells(cells, header) ? cells.slice(header.length - added, cells.length - added) : []),
  ]
}

/**
 * Tells whether the rejects file begins with a byte order mark, by which spreadsheets recognize UTF-8: where the file
 * did, or is in a format of those that expect one.
 */
const hasMark = ({ reading }: Table): boolean => reading.hasMark || reading.encoding !== 'utf-8'

/** Returns the cells of a row that were not imported: of the columns that hold values, the rejected ones. */
const notLoaded = (cells: readonly string[], { columns }: Rejected, values: ReadonlySet<number>): readonly string[] =>
  columns ? cells.map((cell, at) => (values.has(at) && !columns.has(at) ? '' : cell)) : cells

/**
 * Yields the text of a rejects file: goes through the file once more and picks out the rejected rows, after the header.
 * They are the original cells with the original delimiter, then the line and the reasons. In the value columns of a
 * wide file, cells that are no rejects are left empty, so that nothing is imported twice.
 */
export async function* rejectedRows(
  table: Table,
  rejects: Rejects,
  values: ReadonlySet<number>,
): AsyncGenerator<string> {
  const wanted = rejects.lines()
  let next = wanted.next()
  let original: ReturnType<typeof ownCells> | undefined
  if (hasMark(table)) yield '\ufeff'
  for await (const rows of table.rows()) {
    const picked: string[][] = []
    for (const { line, cells } of rows) {
      if (!original) {
        original = ownCells(cells)
        picked.push([...original(cells), ...REJECT_COLUMNS])
      } else if (!next.done && next.value.line === line) {
        const own = original(notLoaded(cells, next.value, values))
        picked.push([...own, String(line), next.value.reasons.join('; ')])
        next = wanted.next()
      }
    }
    if (picked.length > 0) yield stringify(picked, { delimiter: table.reading.separator })
  }
  if (!next.done) throw new KpiError('malformed', `${table.name} has changed while it was read`)
}
