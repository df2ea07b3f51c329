import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { csvHeader } from '../../codec/csv.ts'
import { parseExactJson } from '../../codec/json-number.ts'
import { isObject, recordFromJson } from '../../codec/json.ts'
import { createFileDigests, rowCells } from '../../codec/report-digest.ts'
import { type Day, parseDay } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { DayRange, Frequency } from '../../domain/period.ts'
import { type ReportDay, reportRow } from '../../domain/resources/report-row.ts'
import type { NamedField } from '../../domain/schema.ts'
import { streamRegular } from '../../files/read-file.ts'
import { bytesOf } from '../../tabular/source/files.ts'
import { createSplitter } from '../../tabular/text/rows.ts'
import type { Row } from '../../tabular/source/table.ts'
import type { FileFormat } from './formats.ts'

/** Describes an earlier export: where it is, what the user calls it, and what it must hold. */
export type EarlierFile = {
  readonly path: string
  readonly name: string
  readonly format: FileFormat
  readonly isGzip: boolean
  readonly columns: readonly NamedField[]
}

/** Describes a row: its text with the line end, the texts of its values, its KPI and its period. */
type EarlierRow = {
  readonly text: string
  readonly cells: readonly string[]
  readonly kpiId: number
  readonly day: Day
  readonly frequency: Frequency
}

const cannotContinue = ({ name }: EarlierFile, why: string): KpiError =>
  new KpiError('malformed', `cannot add to ${name}: ${why}; write it again as a whole with --to-file`)

/** Opens a file as text; errors are thrown where it is read. */
const open = ({ path, isGzip }: EarlierFile): Readable => {
  const file = streamRegular(path)
  return isGzip ? pipeline(file, createGunzip(), () => undefined) : file
}

/** Yields the lines of a file with their ends; refuses a last one that has none. */
async function* linesOf(file: EarlierFile): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const chunk of bytesOf(open(file), file.name)) {
    const text = rest + decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield text.slice(start, end + 1)
      start = end + 1
    }
    rest = text.slice(start)
  }
  if (rest !== '') throw cannotContinue(file, 'its last line has no end, so a part of it may be missing')
}

const FREQUENCIES: ReadonlyMap<string, Frequency> = new Map(
  (['D', 'W', 'M', 'Q', 'Y'] as const).map((one) => [one, one]),
)

/** Returns the function that reads a row from the texts of its values. */
const rowReader = (file: EarlierFile) => {
  const names = file.columns.map(({ name }) => name)
  const [dayAt, periodAt, kpiAt] = ['entryDate', 'periodId', 'kpiId'].map((name) => names.indexOf(name))
  return (line: number, text: string, cells: readonly string[]): EarlierRow => {
    const [day, frequency] = [parseDay(cells[dayAt ?? -1] ?? ''), FREQUENCIES.get(cells[periodAt ?? -1] ?? '')]
    if (cells.length !== names.length || day === undefined || !frequency)
      throw cannotContinue(file, `line ${line} is damaged`)
    return { text, cells, kpiId: Number(cells[kpiAt ?? -1]), day, frequency }
  }
}

const hasOtherColumns = (file: EarlierFile, line: number): KpiError =>
  cannotContinue(file, `line ${line} has other columns than this report`)

const FOR_SPREADSHEETS = 'it was written for spreadsheets, with --excel'

/** Tells whether the first line of a CSV file is one for spreadsheets: these begin with a mark of their encoding. */
const isForSpreadsheets = (line: string): boolean => line.startsWith('\uFEFF')

const countQuotes = (text: string): number => text.split('"').length - 1

/** Yields the rows of a CSV file; a row goes on in the next line while a quote is open. */
async function* csvRows(file: EarlierFile): AsyncGenerator<EarlierRow> {
  const rowOf = rowReader(file)
  const splitter = createSplitter(',', file.name)
  const header = csvHeader(file.columns)
  let [line, text, quotes] = [0, '', 0]
  for await (const part of linesOf(file)) {
    line += 1
    if (line === 1 && part !== header)
      throw isForSpreadsheets(part) ? cannotContinue(file, FOR_SPREADSHEETS) : hasOtherColumns(file, line)
    text += part
    quotes += countQuotes(part)
    if (quotes % 2 === 1) continue
    const rows: Row[] = []
    splitter.add(text, rows)
    if (line > 1) yield rowOf(line, text, rows[0]?.cells ?? [])
    ;[text, quotes] = ['', 0]
  }
  if (text !== '') throw cannotContinue(file, 'its last row has no end, so a part of it may be missing')
}

const objectIn = (file: EarlierFile, line: number, text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = parseExactJson(text)
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw cannotContinue(file, `line ${line} is damaged`)
}

async function* ndjsonRows(file: EarlierFile): AsyncGenerator<EarlierRow> {
  const names = file.columns.map(({ name }) => name).join()
  const rowOf = rowReader(file)
  let line = 0
  for await (const text of linesOf(file)) {
    line += 1
    const value = objectIn(file, line, text)
    if (Object.keys(value).join() !== names) throw hasOtherColumns(file, line)
    yield rowOf(line, text, rowCells(recordFromJson(reportRow, value)))
  }
}

const rowsOf = (file: EarlierFile): AsyncGenerator<EarlierRow> =>
  file.format === 'csv' ? csvRows(file) : ndjsonRows(file)

/** Describes what an earlier file holds: its first and last day, the frequencies of its rows, and digests of its days. */
export type EarlierRange = {
  readonly first: Day
  readonly last: Day
  readonly frequencies: ReadonlySet<Frequency>
  readonly days: ReadonlyMap<Day, ReportDay>
}

/** Reads all of an earlier file and returns what it holds; undefined if it has no rows. */
export const readEarlier = async (file: EarlierFile): Promise<EarlierRange | undefined> => {
  const frequencies = new Set<Frequency>()
  const digests = createFileDigests()
  let [first, last]: [Day | undefined, Day] = [undefined, -Infinity]
  for await (const { day, frequency, kpiId, cells } of rowsOf(file)) {
    if (day < last) throw cannotContinue(file, 'its rows are not in the order of their days')
    first ??= day
    last = day
    frequencies.add(frequency)
    digests.take(day, kpiId, cells)
  }
  return first === undefined ? undefined : { first, last, frequencies, days: digests.finish() }
}

/** Sets how many characters are passed on at a time. */
const MOST_TEXT = 65_536

/** Yields the texts of rows up to a day, without that day, many at a time. */
async function* textBefore(rows: Rows, before: Day): AsyncGenerator<string> {
  let text = ''
  for (; rows.next !== undefined && rows.next.day < before; await rows.advance()) {
    text += rows.next.text
    rows.kept.rows += 1
    if (text.length < MOST_TEXT) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** Holds the rows that are left of a file: the next one, how to go on, and how many were kept. */
type Rows = { next: EarlierRow | undefined; readonly advance: () => Promise<void>; readonly kept: { rows: number } }

const openRows = async (file: EarlierFile, kept: { rows: number }): Promise<Rows> => {
  const rest = rowsOf(file)
  const advance = async (): Promise<void> => {
    const { value, done } = await rest.next()
    rows.next = done === true ? undefined : value
  }
  const rows: Rows = { next: undefined, advance, kept }
  await advance()
  return rows
}

/**
 * Yields the text of an earlier file in which what `read` yields replaces the rows of some ranges of days, which follow
 * each other; counts the rows that are kept.
 */
export async function* earlierText(
  file: EarlierFile,
  ranges: readonly DayRange[],
  read: (range: DayRange) => AsyncIterable<string>,
  kept: { rows: number },
): AsyncGenerator<string> {
  if (file.format === 'csv') yield csvHeader(file.columns)
  const rows = await openRows(file, kept)
  for (const range of ranges) {
    yield* textBefore(rows, range.from)
    while (rows.next !== undefined && rows.next.day <= range.to) await rows.advance()
    yield* read(range)
  }
  yield* textBefore(rows, Infinity)
}
