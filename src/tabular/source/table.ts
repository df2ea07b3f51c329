import { KpiError } from '../../domain/errors.ts'
import type { ENCODINGS, Delimiter } from './text-format.ts'

/** Describes one row of a file: the line it begins on, from 1, and its cells. */
export type Row = {
  readonly line: number
  readonly cells: readonly string[]
  /**
   * Holds at the places of cells that are stored as numbers, and not as texts, the currency of their format, or ``.
   * Their text has a decimal point. Whole numbers without a currency may be left out, as they mean one thing anyway.
   */
  readonly numbers?: StoredNumbers | undefined
}

/** Holds the currencies of cells that are stored as numbers, at their places. */
export type StoredNumbers = readonly (string | undefined)[]

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
  readonly cellsOf?: 'workbook' | 'query' | 'json'
  /** Says what messages mean by a line, where it is none of the file; it is shown as a note. */
  readonly note?: string
  /** Names the sheet of a workbook. */
  readonly sheet?: string
  /** Lists what the rows were found in: an archive, a sheet, an address, a database. */
  readonly findings?: readonly FormatFinding[]
}

/** Describes what the user said about how to parse a file; the rest is detected. */
export type SourceOptions = {
  readonly encoding?: ParsedFormat['encoding'] | undefined
  readonly separator?: Delimiter | undefined
  /** Counts the lines before the header. */
  readonly skipLines?: number | undefined
  /** Lists the sheets of a workbook by their names, numbers from 1, or patterns; the only one with rows if it is empty. */
  readonly sheets?: readonly string[]
  /** Tells whether several sheets may be read, each as a table. */
  readonly mayBeSeveral?: boolean
  /** Tells whether the sheet is of a mapping, which may read files without sheets as well: rejects are CSV. */
  readonly isSheetSaved?: boolean
  /** Leads to the list of records in a JSON document, by the names of fields with dots between them. */
  readonly records?: string | undefined
  /** Tells whether that is of a mapping, too. */
  readonly areRecordsSaved?: boolean
}

/** Tells whether a text stands for several sheets: no program lets a sheet be called so. */
export const isSheetPattern = (text: string): boolean => /[*?]/.test(text)

/** Tells whether several sheets of a workbook may be meant, so that each has a name of its own. */
export const areSheetsAsked = ({ sheets = [] }: Pick<SourceOptions, 'sheets'>): boolean =>
  sheets.length > 1 || sheets.some(isSheetPattern)

/** Returns the name of a sheet of a file, of which several are read. */
export const sheetName = (file: string, sheet: string): string => `${file}, sheet ${sheet}`

/** Describes rows that are left out although they hold a date and a number: how many, and the first of them. */
export type LeftOutRows = { readonly count: number; readonly first: readonly Row[] }

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

/** Describes a table whose first row may be a title. */
export type RawTable = Omit<Table, 'above' | 'upper' | 'units'>

/** Finds the header of a table: whoever opens a file knows what its columns may be called. */
export type HeaderFinder = {
  /** Returns the place of the header among the first rows, for judging how cells are separated. */
  readonly probable: (rows: readonly Row[]) => number
  /** Tells whether a text is a known name of a column. */
  readonly isName: (text: string) => boolean
  /** Returns the first rows of a table, and which of them are its header. */
  readonly rowsOf: (rows: () => AsyncGenerator<readonly Row[]>) => Promise<HeaderRows>
  /** Returns a table from its header on, which is known to be the first row, or has to be found. */
  readonly begin: (table: RawTable, isFirst: boolean) => Promise<Table>
}

/** Holds the first rows of a table, and those of them that are its header. */
export type HeaderRows = { readonly first: readonly Row[]; readonly header: readonly Row[] }

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

/** Sets how many rows show what columns hold. */
const SAMPLE_ROWS = 100

/** Returns the cells of the first rows below the header. */
export const sampleOf = async (table: Pick<Table, 'rows'>): Promise<readonly (readonly string[])[]> => {
  const sample: (readonly string[])[] = []
  for await (const rows of table.rows()) {
    sample.push(...rows.map(({ cells }) => cells))
    if (sample.length > SAMPLE_ROWS) break
  }
  return sample.slice(1, SAMPLE_ROWS + 1)
}

/** Returns rows as a text that differs if any cell or line does. */
export const textOfRows = (rows: readonly Row[]): string =>
  rows.map(({ line, cells }) => `${line}\u001f${cells.join('\u001f')}\u001e`).join('')

/** Tells whether a row has more cells than the header. Empty ones do not count, as spreadsheets leave them behind. */
export const hasSurplusCells = (cells: readonly string[], header: readonly string[]): boolean =>
  cells.length > header.length && cells.some((cell, at) => at >= header.length && cell.trim() !== '')

/** Returns why a row with more cells than the header cannot be read; undefined if it has none. */
export const faultOfSurplus = (cells: readonly string[], header: readonly string[]): string | undefined =>
  hasSurplusCells(cells, header) ? `the row has ${cells.length} cells, the header has ${header.length}` : undefined
