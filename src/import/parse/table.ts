import { tmpdir } from 'node:os'
import { KpiError } from '../../domain/errors.ts'
import type { ENCODINGS, Delimiter } from '../options.ts'
import type { RereadableFile } from './files.ts'
import type { LeftOutRows } from './ignored-rows.ts'
import { unpackFile } from './packing/unpack.ts'
import type { Row } from './row/row.ts'
import { openTextTable } from './text-table.ts'
import type { StopSignal } from './turns.ts'

/** Describes a finding about where the rows of a file come from, and what shows it. */
export type FormatFinding = { readonly topic: string; readonly found: string; readonly evidence: string }

/** Describes how the bytes of a file become rows. */
export type ParsedFormat = {
  readonly gzip: boolean
  readonly encoding: (typeof ENCODINGS)[number]
  /** Tells whether it begins with a byte order mark. */
  readonly hasMark: boolean
  readonly separator: Delimiter
  /** Lists the evidence in the file, one text each. */
  readonly evidence: readonly string[]
  /** Says what was assumed; it is shown as a warning. */
  readonly assumed?: string | undefined
  /** Names what has cells instead of a text, so that encoding and separator only say how rejects are written. */
  readonly cellsOf?: 'workbook' | 'query'
  /** Lists what the rows were found in: an archive, a sheet, an address, a database. */
  readonly findings?: readonly FormatFinding[]
}

/** Describes what the user said about how to parse a file; the rest is detected. */
export type RequestedFormat = {
  readonly encoding?: ParsedFormat['encoding'] | undefined
  readonly separator?: Delimiter | undefined
  /** Counts the lines before the header. */
  readonly skipLines?: number | undefined
  /** Lists the texts of rows that are left out. */
  readonly ignoreRows?: readonly string[] | undefined
  /** Names the sheet of a workbook, or holds its number from 1. */
  readonly sheet?: string | undefined
  /** Tells whether the sheet is of a mapping, which may read files without sheets as well: rejects are CSV. */
  readonly isSheetSaved?: boolean
}

/** Describes a file as rows, the header first; it can be read more than once. */
export type Table = {
  readonly name: string
  readonly reading: ParsedFormat
  /** Holds the SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string
  readonly bytes: number
  readonly rows: () => AsyncGenerator<readonly Row[]>
  /** Holds the rows above the header as they are: titles, and an upper one of two header rows. */
  readonly above: readonly Row[]
  /** Holds the labels of the upper header row, one for each column; undefined if there is one header row. */
  readonly upper: readonly string[] | undefined
  /** Holds a row of units below the header, which is left out. */
  readonly units?: Row
  /** Returns which rows that look like data were left out when the rows were last read. */
  readonly leftOut?: () => LeftOutRows
  /** Holds the file's permissions; files made from its rows get no wider ones. */
  readonly mode: number
  readonly close: () => void
}

const requireNoSheet = (name: string, { sheet, isSheetSaved }: RequestedFormat): void => {
  if (sheet === undefined || isSheetSaved) return
  throw new KpiError('malformed', `cannot read ${name}: it is no workbook, so it has no sheet; leave out --sheet`)
}

/**
 * Finds out how to read a file: as text or as a workbook, perhaps compressed or in an archive, as its first bytes show.
 * `folder` is where temporary files go, and `stop` ends reading a workbook or an archive.
 */
export const openTable = async (
  source: RereadableFile,
  asked: RequestedFormat = {},
  folder: string = tmpdir(),
  stop?: StopSignal,
): Promise<Table> => {
  const { workbook, ...file } = await unpackFile(source, folder, stop)
  if (workbook) {
    const { openWorkbook } = await import('./workbook/open-workbook.ts')
    return openWorkbook({ packed: source, file, archive: workbook, folder, signal: stop?.() }, asked)
  }
  requireNoSheet(source.name, asked)
  return openTextTable(source, file, asked, stop)
}

/** Tells whether a file holds more than a header. */
export const hasRows = async (table: Table): Promise<boolean> => {
  let count = 0
  for await (const rows of table.rows()) {
    count += rows.length
    if (count > 1) return true
  }
  return false
}

/** Yields the rows of a file below its header, and reports progress between its parts. */
export async function* rowsBelowHeader(table: Table, onProgress: () => void | Promise<void>): AsyncGenerator<Row> {
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader) yield row
      isHeader = false
    }
    const turn = onProgress()
    if (turn) await turn
  }
}

/** Returns the header of a file; empty where there is none. */
export const headerOf = async (table: Table): Promise<readonly string[]> => {
  for await (const [header] of table.rows()) if (header) return header.cells
  return []
}

/** Returns the header of a file; throws if there is none. */
export const requireHeader = async (table: Table): Promise<readonly string[]> => {
  const header = await headerOf(table)
  if (header.length === 0) throw new KpiError('malformed', `${table.name} is empty: there is not even a header`)
  return header
}
