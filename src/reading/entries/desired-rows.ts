import type { Account } from '../../changes/records/access.ts'
import { rejectMisunderstoodColumns } from './check.ts'
import { hasTooManyBad, requireFewBad } from '../rejects/max-errors.ts'
import { notesOnTable, warningsOn } from './notes.ts'
import type { ImportOptions } from '../options/options.ts'
import { type Row, rowsBelowHeader, type Table } from '../../tabular/source/table.ts'
import { onLines } from '../rejects/reason-counts.ts'
import type { Rejects } from '../rejects/rejects.ts'

/** Holds what reading a file of definitions or assignments needs. */
export type ReadingFile = {
  readonly account: Account
  readonly table: Table
  readonly rejects: Rejects
  readonly signal: AbortSignal
  /** Lets signals and timers run between parts of the file. */
  readonly onProgress: () => Promise<void>
  readonly onNote: (text: string) => void
  readonly onWarning: (text: string) => void
}

/** Describes the faults of a row, and whether a cell is not in its column's format. */
export type RefusedRow = { readonly reasons: readonly string[]; readonly isMisread: boolean }

/** Holds what was read, and counts the rows of the file, and those without any cell. */
type RowsRead<T> = { readonly rows: T[]; readonly read: number; readonly empty: number }

/** Returns options by which numbers have a point, for a list of the command line in CSV with these columns. */
export const asOwnList = <O extends Pick<ImportOptions, 'decimal'>>(
  options: O,
  header: readonly string[],
  { reading }: Table,
  names: readonly string[],
): O =>
  reading.separator === ',' && names.every((name) => header.includes(name))
    ? { ...options, decimal: options.decimal ?? '.' }
    : options

/** Reads all rows, each of which may say several things, and rejects those with faults. */
export const readRows = async <T extends object>(
  { table, rejects, signal, onProgress }: ReadingFile,
  options: Pick<ImportOptions, 'maxErrors'>,
  readRow: (row: Row) => readonly (T | RefusedRow)[],
): Promise<RowsRead<T>> => {
  const bad = { rejects, options, signal }
  const rows: T[] = []
  let [read, empty, misread] = [0, 0, 0]
  for await (const row of rowsBelowHeader(table, onProgress)) {
    read += 1
    if (row.cells.every((cell) => cell.trim() === '')) {
      empty += 1
      continue
    }
    const reasons = new Set<string>()
    let isMisread = false
    for (const one of readRow(row)) {
      if (!('reasons' in one)) {
        rows.push(one)
        continue
      }
      for (const reason of one.reasons) reasons.add(reason)
      isMisread ||= one.isMisread
    }
    if (reasons.size === 0) continue
    for (const reason of reasons) rejects.add(row.line, reason)
    if (isMisread) misread += 1
    rejectMisunderstoodColumns({ read, misread }, options, [...reasons])
    if (hasTooManyBad({ read }, bad)) await requireFewBad({ read }, bad)
  }
  return { rows, read, empty }
}

/** Rejects rows that are about the same as another one, by a key, and returns the others. */
export const withoutTwins = <T>(
  rows: readonly T[],
  rejects: Pick<Rejects, 'add'>,
  { keyOf, lineOf, same }: { keyOf: (row: T) => string; lineOf: (row: T) => number; same: (row: T) => string },
): T[] =>
  [...Map.groupBy(rows, keyOf).values()].flatMap((twins) => {
    const [first] = twins
    if (first === undefined || twins.length === 1) return twins
    const lines = twins.map(lineOf)
    for (const line of lines) rejects.add(line, `${same(first)}${onLines(lines)}`)
    return []
  })

/** Describes how a file was read: remarks on its columns, those that are left out, and what these may be. */
type Told = {
  readonly isEmpty: boolean
  readonly remarks?: readonly string[]
  readonly unused: readonly string[]
  readonly meant?: string
}

/** Says how a file was read, and what is left out of it. */
export const tellReading = (
  { table, onNote, onWarning }: ReadingFile,
  { isEmpty, remarks = [], unused, meant = '' }: Told,
): void => {
  for (const warning of [...warningsOn(table, undefined, isEmpty), ...remarks]) onWarning(warning)
  for (const note of notesOnTable(table)) onNote(note)
  if (unused.length > 0) onNote(`columns left out: ${unused.join(', ')}${meant}`)
}
