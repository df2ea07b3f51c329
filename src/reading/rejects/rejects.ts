import { stringify } from 'csv-stringify/sync'
import { nextTurn } from '../../client/next-turn.ts'
import { KpiError } from '../../domain/errors.ts'
import { REJECT_COLUMNS } from '../columns/header.ts'
import { type BlockRow, notesAt } from '../../blocks/block.ts'
import { numberAt } from '../../domain/entry-block.ts'
import { createSorter } from '../../blocks/sorter.ts'
import type { ColumnFormats } from '../detect/column-formats.ts'
import type { DecimalSign } from '../../domain/numbers/read-number.ts'
import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import { hasSurplusCells, type Row, type Table } from '../../tabular/source/table.ts'
import { columnOf, lineOf } from '../../blocks/packed-row.ts'
import { lstatSync, rmSync, statSync } from 'node:fs'
import { parse } from 'node:path'
import { decodeText } from '../../tabular/encoding/encoding.ts'
import { freeNumber, moveFile } from '../../files/move-file.ts'
import { writeWhole, type Writing } from '../../files/write-file.ts'
import { bytesOfFile } from '../../tabular/source/files.ts'
import { readRows } from '../../tabular/text/rows.ts'

const FIRST_BYTES = 1024

/** Creates an empty set of numbers of lines, with a bit for each line up to the last. */
export const createLineSet = () => {
  let bits = new Uint8Array(FIRST_BYTES)
  const has = (line: number): boolean => ((bits[line >>> 3] ?? 0) & (1 << (line & 7))) !== 0
  return {
    has,
    /** Adds a line; returns false where it is there already. */
    add: (line: number): boolean => {
      if (has(line)) return false
      const at = line >>> 3
      if (at >= bits.length) {
        const grown = new Uint8Array(Math.max(at + 1, bits.length * 2))
        grown.set(bits)
        bits = grown
      }
      bits[at] = (bits[at] ?? 0) | (1 << (line & 7))
      return true
    },
  }
}

/** Holds a set of numbers of lines. */
export type LineSet = ReturnType<typeof createLineSet>

/** Describes a line that was not imported, or only in part. */
type Rejected = {
  readonly line: number
  readonly reasons: readonly string[]
  /** Lists the columns of a wide row's rejected cells; undefined if all of the row is rejected. */
  readonly columns: ReadonlySet<number> | undefined
}

const BLOCK_ROWS = 4096
/**
 * Sets how many rows are sorted in memory: few enough for memory, and enough that millions of rejects make few sorted
 * runs.
 */
const RUN_ROWS = 1 << 15
const NO_VALUES: Omit<BlockRow, 'owner' | 'kpi' | 'line' | 'notes'> = {
  day: 0,
  flags: 0,
  actual: 0n,
  target: 0n,
  beyond: '',
}

/** Bounds the bytes that the reasons of a file take: millions of rows have them only where none is as it should be. */
export const MOST_BYTES = 400 * 1024 ** 2
/** Says how many bytes a reason takes beside its text. */
const BYTES_A_REASON = 48

type OpenLine = { readonly line: number; readonly reasons: Set<string>; columns: Set<number> | undefined }

const closed = ({ line, reasons, columns }: OpenLine): Rejected => ({ line, reasons: [...reasons], columns })

/** Adds a reason to a line; once one is about the whole line, single cells no longer matter. */
const blame = (open: OpenLine, place: number, reason: string): void => {
  open.reasons.add(reason)
  const column = columnOf(place)
  if (column === undefined) open.columns = undefined
  else open.columns?.add(column)
}

/** Collects the rows that were not imported, with the reasons, in constant memory: they are kept in `folder` if they do not fit in memory. */
export const createRejects = (folder: string) => {
  const sorter = createSorter(folder, RUN_ROWS)
  let [known, count, bytes] = [createLineSet(), 0, 0]
  return {
    /** Rejects a line, or in a wide file the cell at a place. */
    add: (place: number, reason: string): void => {
      // Number the reasons in the second part of the key, so that a line's keep their order.
      const line = lineOf(place)
      if (known.add(line)) count += 1
      bytes += BYTES_A_REASON + reason.length
      sorter.add({ owner: line, kpi: sorter.size(), line: place, notes: reason, ...NO_VALUES })
    },
    /** Returns the number of reasons. */
    size: sorter.size,
    /** Returns the number of lines with a reason. */
    count: (): number => count,
    /** Tells whether a line has a reason. */
    has: (line: number): boolean => known.has(line),
    /** Tells whether the reasons take so much room that a file with more of them is refused. */
    isFull: (): boolean => bytes > MOST_BYTES,
    /**
     * Yields every line once, in order, with all its reasons: many at a time, between which other work goes on, and
     * which end if a signal asks for it.
     */
    lines: async function* (signal?: AbortSignal): AsyncGenerator<readonly Rejected[]> {
      let open: OpenLine | undefined
      for (const block of sorter.blocks(BLOCK_ROWS)) {
        await nextTurn(signal)
        const whole: Rejected[] = []
        for (let at = 0; at < block.count; at += 1) {
          const place = numberAt(block.line, at)
          if (open?.line !== lineOf(place)) {
            if (open) whole.push(closed(open))
            open = { line: lineOf(place), reasons: new Set(), columns: new Set() }
          }
          blame(open, place, notesAt(block, at))
        }
        yield whole
      }
      if (open) yield [closed(open)]
    },
    /** Removes all. */
    clear: (): void => {
      sorter.clear()
      ;[known, count, bytes] = [createLineSet(), 0, 0]
    },
    close: sorter.close,
  }
}
export type Rejects = ReturnType<typeof createRejects>

const isRejectColumn = (name: string | undefined): boolean => REJECT_COLUMNS.some((column) => column === name)

/** Counts the rows of a rejects file, which have a reason below its header: units below that have none, and titles are above it. */
export const countRejectedRows = async (table: Pick<Table, 'rows'>): Promise<number> => {
  // A file without the columns of rejects has its header first.
  let count = -1
  for await (const rows of table.rows()) {
    for (const { cells } of rows) {
      if (cells.at(-1) === REJECT_COLUMNS.at(-1)) count = 0
      else if (cells.at(-1) !== '') count += 1
    }
  }
  return Math.max(0, count)
}

/**
 * Returns a function that picks a row's own cells: without the line and reason that an earlier rejects file added, but
 * with those beyond the header. If the line and reason are the last columns, such cells come before them.
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
 * Tells whether the rejects file begins with a byte order mark, by which spreadsheets recognize UTF-8: if the file did,
 * was not UTF-8, or was a workbook.
 */
const hasMark = ({ reading }: Table): boolean =>
  reading.hasMark || reading.encoding !== 'utf-8' || reading.cellsOf === 'workbook'

/** Returns a stored number as a text of its column: with the column's decimal sign, and a currency that can be read. */
const writtenNumber = (text: string, currency: string, sign: DecimalSign): string => {
  const marked = `${text} ${currency}`
  return (currency !== '' && stripAffixes(marked) ? marked : text).replace('.', sign)
}

/** Returns the table with the numbers of a workbook written as the texts of their columns, as the rejects file has no numbers. */
export const withWrittenNumbers = (table: Table, { numbers: columns }: Pick<ColumnFormats, 'numbers'>): Table => {
  const written = ({ line, cells, numbers }: Row): Row => {
    const signOf = (at: number): DecimalSign | undefined => columns.get(at)?.sign
    return {
      line,
      cells: cells.map((cell, at) => {
        const [currency, sign] = [numbers?.[at], signOf(at)]
        return currency === undefined || sign === undefined ? cell : writtenNumber(cell, currency, sign)
      }),
    }
  }
  return {
    ...table,
    rows: async function* () {
      for await (const rows of table.rows()) yield rows.map((row) => (row.numbers ? written(row) : row))
    },
  }
}

/** Returns a row without the values that were imported: in the value columns, only the rejected cells are left. */
const notLoaded = (cells: readonly string[], { columns }: Rejected, values: ReadonlySet<number>): readonly string[] =>
  columns ? cells.map((cell, at) => (values.has(at) && !columns.has(at) ? '' : cell)) : cells

/**
 * Returns the text above the header: the rows that were there, and blank lines, so that the header is on its line
 * again.
 */
const textAbove = ({ above, reading }: Table, headerLine: number): string => {
  let [text, line] = ['', 1]
  const padTo = (wanted: number): void => {
    text += '\n'.repeat(Math.max(0, wanted - line))
    line = Math.max(line, wanted)
  }
  for (const row of above) {
    padTo(row.line)
    if (row.cells.length === 0) continue
    const written = stringify([[...row.cells]], { delimiter: reading.separator })
    text += written
    line += written.split('\n').length - 1
  }
  padTo(headerLine)
  return text
}

/**
 * Yields the text of a rejects file. It reads the file again and picks out the header, the units below it and the rejected rows: the
 * original cells with the original delimiter, then the line and the reasons. In the value columns of a wide file, cells
 * that were not rejected are left empty, so that nothing is imported twice.
 */
async function* rejectedRows(
  table: Table,
  rejects: Rejects,
  values: ReadonlySet<number>,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const wanted = rejects.lines(signal)
  let [lines, at]: [readonly Rejected[], number] = [[], 0]
  const next = async (): Promise<Rejected | undefined> => {
    for (at += 1; at >= lines.length; at = 0) {
      const { value, done } = await wanted.next()
      if (done) return undefined
      lines = value
    }
    return lines[at]
  }
  let rejected = await next()
  let original: ReturnType<typeof ownCells> | undefined
  if (hasMark(table)) yield '\ufeff'
  for await (const rows of table.rows()) {
    const picked: string[][] = []
    for (const { line, cells } of rows) {
      if (!original) {
        if (table.above.length > 0) yield textAbove(table, line)
        original = ownCells(cells)
        picked.push([...original(cells), ...REJECT_COLUMNS])
        if (table.units) picked.push([...original(table.units.cells), '', ''])
      } else if (rejected?.line === line) {
        const own = original(notLoaded(cells, rejected, values))
        picked.push([...own, String(line), rejected.reasons.join('; ')])
        rejected = await next()
      }
    }
    if (picked.length > 0) yield stringify(picked, { delimiter: table.reading.separator })
  }
  if (rejected) throw new KpiError('malformed', `${table.name} has changed while it was read`)
}

/** Returns a text that changes if a file is replaced or written; undefined if there is no file. */
const stampOf = (path: string): string | undefined => {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? [found.dev, found.ino, found.size, found.mtimeNs].join(' ') : undefined
}

/** Yields the rows of a rejects file without their reasons, as the wording of those may change. */
async function* rowsIn(path: string, separator: string): AsyncGenerator<string> {
  for await (const rows of readRows(decodeText(bytesOfFile(path, path), 'utf-8'), separator, path)) {
    for (const { cells } of rows) yield JSON.stringify(cells.slice(0, -1))
  }
}

/** Bounds how much larger a file may be whose rows can all be in another one: its reasons may be worded at more length. */
const [MOST_TIMES, MOST_MORE] = [4, 65_536]

/** Tells whether a file is so large that another cannot hold all of its rows, so that nobody need read it. */
const isTooLarge = (whole: string, part: string): boolean =>
  statSync(part).size > MOST_TIMES * statSync(whole).size + MOST_MORE

/** Tells whether all rows of one rejects file are in another, in the same order. Both are read once. */
const holdsAll = async (whole: string, part: string, separator: string): Promise<boolean> => {
  if (isTooLarge(whole, part)) return false
  const rows = rowsIn(whole, separator)
  try {
    for await (const row of rowsIn(part, separator)) {
      let next = await rows.next()
      while (!next.done && next.value !== row) next = await rows.next()
      if (next.done) return false
    }
    return true
  } catch (error) {
    // A file that cannot be read as rejects was not written by an import.
    if (error instanceof KpiError) return false
    throw error
  } finally {
    await rows.return(undefined)
  }
}

/** Returns `data.rejects.1.csv` for `data.rejects.csv`. */
const numbered = (path: string, number: number): string => {
  const { ext } = parse(path)
  return `${path.slice(0, path.length - ext.length)}.${number}${ext}`
}

/** Creates the rejects file of a run, which may be written more than once; `name` is for messages. */
export const createRejectsFile = (
  path: string,
  name: string,
  onWarning: (warning: string) => void,
  writing: Pick<Writing, 'isNamed' | 'signal'> = {},
) => {
  /** Holds the stamp of the file that this run wrote last: in a wide file, a row may have more cells the next time. */
  let own: string | undefined
  let moved: readonly number[] = []
  const moveAside = (): void => {
    const number = freeNumber((one) => numbered(path, one), 1)
    moveFile(path, numbered(path, number))
    moved = [...moved, number]
  }
  /** Removes moved files whose rows are all in the new file: a continued run finds some of its rejects late. */
  const dropHeld = async (separator: string): Promise<void> => {
    for (const number of moved) {
      if (!(await holdsAll(path, numbered(path, number), separator))) continue
      rmSync(numbered(path, number))
      moved = moved.filter((other) => other !== number)
    }
  }
  return {
    /**
     * Writes the rejected rows of a table, if there are any, unless a signal asks to stop; if only some cells of a row are
     * rejected, its other cells in the columns `values` are left empty. An existing file of that name is moved aside,
     * unless the new file has all of its rows.
     */
    write: async (
      table: Table,
      rejects: Rejects,
      values: readonly number[] = [],
      signal?: AbortSignal,
    ): Promise<void> => {
      if (rejects.count() === 0) return
      const { separator } = table.reading
      const onWhole = async (written: string): Promise<void> => {
        const there = stampOf(path)
        if (there === undefined || there === own) return
        if (!(await holdsAll(written, path, separator))) moveAside()
      }
      const rows = rejectedRows(table, rejects, new Set(values), signal)
      await writeWhole(path, rows, { ...writing, like: table.mode, onWhole })
      own = stampOf(path)
      await dropHeld(separator)
    },
    /** Warns of files that were moved aside; call it once nothing more is written. */
    warnOfMovedFiles: (): void => {
      for (const number of moved) {
        onWarning(
          `${name} held lines that this run did not reject, perhaps fixed ones; it was renamed to ${numbered(name, number)}`,
        )
      }
    },
  }
}
export type RejectsFile = ReturnType<typeof createRejectsFile>
