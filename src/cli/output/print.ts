import { cellOf } from '../../codec/cell-text.ts'
import { recordToJson } from '../../codec/json.ts'
import { jsonLineWriter } from '../../codec/json-lines.ts'
import { inBlocks } from '../../codec/record-blocks.ts'
import type { NumberSigns } from '../../domain/number-pattern.ts'
import type { AnyRecord, NamedField, Printable } from '../../domain/schema.ts'
import type { SheetFormat } from '../../export/text-format.ts'
import { nextTurn } from '../../client/next-turn.ts'
import type { Io } from '../io.ts'
import type { TableColumn } from './table.ts'
import { visible, visibleJson } from './width.ts'

/** Names the formats that data is printed in. */
export type Format = 'table' | 'csv' | 'json' | 'ndjson' | 'yaml' | 'markdown'

export const FORMATS: readonly Format[] = ['table', 'csv', 'json', 'ndjson', 'yaml', 'markdown']

/** Tells whether a format is for people, who read names and not ids, and the most telling fields. */
export const isForPeople = (format: Format): boolean => format === 'table' || format === 'markdown'

/** Describes how to print. */
export type Printing = {
  readonly format: Format
  /** Tells whether colour is allowed. */
  readonly color: boolean
  /** Holds the form of CSV for spreadsheets. */
  readonly sheet?: SheetFormat | undefined
  /** Holds the signs of numbers for people at a terminal; as in files, if undefined. */
  readonly signs?: NumberSigns | undefined
  /** Holds the signs of numbers in what is only for reading, wherever that goes: large ones are always grouped. */
  readonly readingSigns?: NumberSigns | undefined
}

/** Describes where data is printed. */
type Printed = Pick<Io, 'stdout'>

export type Chunks = AsyncIterable<readonly AnyRecord[]> | Iterable<readonly AnyRecord[]>

/** Sets how many rows settle the widths of a table's columns; later rows are printed as they come. */
const TABLE_BLOCK_ROWS = 1000

/** Returns the first chunk of records that is not empty. */
export const firstOf = async (records: AsyncGenerator<readonly AnyRecord[]>): Promise<readonly AnyRecord[]> => {
  for (;;) {
    const { value, done } = await records.next()
    if (done === true) return []
    if (value.length > 0) return value
  }
}

const isNumber = ({ field: { kind } }: NamedField): boolean =>
  kind === 'integer' || kind === 'int16' || kind === 'decimal'

const whereLong = ({ field: { kind, isSentence } }: NamedField): TableColumn['whereLong'] => {
  if (isSentence) return 'wraps'
  return kind === 'text' ? 'cut' : 'stays'
}

const cellsOf = (columns: readonly NamedField[], record: AnyRecord): string[] =>
  columns.map((column) => cellOf(column, record))

const printTable = async (
  io: Printed,
  columns: readonly NamedField[],
  chunks: Chunks,
  color: boolean,
): Promise<void> => {
  const { createTable } = await import('./table.ts')
  const titles = columns.map((column) => ({
    title: column.name,
    isNumber: isNumber(column),
    whereLong: whereLong(column),
  }))
  const render = createTable(titles, { width: io.stdout.columns, color })
  let isBegun = false
  let rows: string[][] = []
  const flush = async (): Promise<void> => {
    await io.stdout.write(await render(rows))
    isBegun = true
    rows = []
  }
  for await (const chunk of chunks) {
    for (const record of chunk) rows.push(cellsOf(columns, record))
    if (rows.length >= TABLE_BLOCK_ROWS) await flush()
  }
  if (rows.length > 0 || !isBegun) await flush()
}

/** Describes a header, and what returns records as the lines below it. */
type Lines = { readonly header: string; readonly linesOf: (records: readonly AnyRecord[]) => string }

const csvLines = async (columns: readonly NamedField[], sheet: SheetFormat | undefined): Promise<Lines> => {
  if (sheet) {
    const { sheetHeader, sheetWriter } = await import('../../export/sheet-records.ts')
    return { header: sheetHeader(sheet, columns), linesOf: sheetWriter(sheet, columns) }
  }
  const { csvHeader, csvWriter } = await import('../../codec/csv.ts')
  return { header: csvHeader(columns), linesOf: csvWriter(columns) }
}

const printCsv = async (
  io: Printed,
  columns: readonly NamedField[],
  chunks: Chunks,
  sheet: SheetFormat | undefined,
): Promise<void> => {
  const shown = io.stdout.isTerminal ? visible : (text: string): string => text
  const { header, linesOf } = await csvLines(columns, sheet)
  await io.stdout.write(header)
  for await (const block of inBlocks(chunks)) await io.stdout.write(shown(linesOf(block)))
}

/** Prints an array with an object on each line, as they come. */
const printJson = async (io: Printed, columns: readonly NamedField[], chunks: Chunks): Promise<void> => {
  const lineOf = jsonLineWriter(columns, visibleJson)
  let before = '[\n'
  for await (const block of inBlocks(chunks)) {
    const lines = block.map(lineOf)
    await io.stdout.write(before + lines.join(',\n'))
    before = ',\n'
  }
  await io.stdout.write(before === '[\n' ? '[]\n' : '\n]\n')
}

/** Prints an object on each line, as they come. */
const printNdjson = async (io: Printed, columns: readonly NamedField[], chunks: Chunks): Promise<void> => {
  const lineOf = jsonLineWriter(columns, visibleJson)
  for await (const block of inBlocks(chunks)) {
    await io.stdout.write(block.map((record) => `${lineOf(record)}\n`).join(''))
  }
}

/** Prints a list in YAML, with a key for each field, as its records come. */
const printYaml = async (io: Printed, columns: readonly NamedField[], chunks: Chunks): Promise<void> => {
  const { yamlList } = await import('../../codec/yaml.ts')
  const shown = io.stdout.isTerminal ? visible : (text: string): string => text
  for await (const text of yamlList(columns, inBlocks(chunks))) await io.stdout.write(shown(text))
}

/** Prints a table in Markdown, as its rows come. */
const printMarkdown = async (io: Printed, columns: readonly NamedField[], chunks: Chunks): Promise<void> => {
  const { markdownHead, markdownRows } = await import('../../codec/markdown.ts')
  await io.stdout.write(visible(markdownHead(columns)))
  for await (const block of inBlocks(chunks)) await io.stdout.write(visible(markdownRows(columns, block)))
}

/** Sets how many records are printed in one turn. */
const RECORDS_PER_TURN = 1000

/** Yields records in parts between which signals and timers run, until the signal asks to stop. */
export async function* inTurns(
  records: readonly AnyRecord[],
  signal: AbortSignal,
): AsyncGenerator<readonly AnyRecord[]> {
  for (let at = 0; at < records.length; at += RECORDS_PER_TURN) {
    await nextTurn(signal)
    yield records.slice(at, at + RECORDS_PER_TURN)
  }
}

/**
 * Prints records to standard output, in chunks as they come; a table holds back a block of rows, which sets the widths
 * of its columns.
 */
export const printRecords = (
  io: Printed,
  { format, color, sheet }: Printing,
  columns: readonly NamedField[],
  chunks: Chunks,
): Promise<void> => {
  if (format === 'csv') return printCsv(io, columns, chunks, sheet)
  if (format === 'ndjson') return printNdjson(io, columns, chunks)
  if (format === 'yaml') return printYaml(io, columns, chunks)
  if (format === 'markdown') return printMarkdown(io, columns, chunks)
  return format === 'json' ? printJson(io, columns, chunks) : printTable(io, columns, chunks, color)
}

/** Lists the columns of a table of one record, a field a line, whose values are wrapped if there is no room. */
const FIELD_AND_VALUE: readonly NamedField[] = [
  { name: 'field', field: { kind: 'choice', about: '' } },
  { name: 'value', field: { kind: 'text', about: '', isSentence: true } },
]

/** Prints one record: an object, a line of CSV, or a table with a field a line. */
export const printRecord = async (
  io: Printed,
  printing: Printing,
  of: Pick<Printable, 'shown'>,
  record: AnyRecord,
): Promise<void> => {
  const { format } = printing
  if (format === 'csv' || format === 'ndjson') return printRecords(io, printing, of.shown, [[record]])
  if (format === 'yaml') {
    const { yamlText } = await import('../../codec/yaml.ts')
    return io.stdout.write(yamlText(recordToJson(of, record)))
  }
  if (format === 'json') return io.stdout.write(`${visibleJson(recordToJson(of, record), 2)}\n`)
  const rows = of.shown.map((column) => ({ field: column.name, value: cellOf(column, record) }))
  return printRecords(io, printing, FIELD_AND_VALUE, [rows])
}
