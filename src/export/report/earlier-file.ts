import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { csvHeader } from '../../codec/csv.ts'
import { isObject } from '../../codec/json.ts'
import { type Day, parseDay } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Frequency } from '../../domain/period.ts'
import type { NamedField } from '../../domain/schema.ts'
import { streamRegular } from '../../files/read-file.ts'
import { bytesOf } from '../../import/parse/files.ts'
import { createSplitter } from '../../import/parse/rows.ts'
import type { Row } from '../../import/parse/row/row.ts'
import type { FileFormat } from './formats.ts'

/** Describes an earlier export: where it is, what the user calls it, and what it must hold. */
export type EarlierFile = {
  readonly path: string
  readonly name: string
  readonly format: FileFormat
  readonly isGzip: boolean
  readonly columns: readonly NamedField[]
}

/** Describes a row: its text with the line end, and its period. */
type EarlierRow = { readonly text: string; readonly day: Day; readonly frequency: Frequency }

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

const FREQUENCIES: Readonly<Record<string, Frequency>> = { D: 'D', W: 'W', M: 'M', Q: 'Q', Y: 'Y' }

const rowOf = (file: EarlierFile, line: number, text: string, day: unknown, periodId: unknown): EarlierRow => {
  const [found, frequency] = [parseDay(String(day)), FREQUENCIES[String(periodId)]]
  if (found === undefined || !frequency) throw cannotContinue(file, `line ${line} is damaged`)
  return { text, day: found, frequency }
}

const hasOtherColumns = (file: EarlierFile, line: number): KpiError =>
  cannotContinue(file, `line ${line} has other columns than this report`)

const FOR_SPREADSHEETS = 'it was written for spreadsheets, with --excel'

/** Tells whether the first line of a CSV file is one for spreadsheets: these begin with a mark of their encoding. */
const isForSpreadsheets = (line: string): boolean => line.startsWith('\uFEFF')

const countQuotes = (text: string): number => text.split('"').length - 1

/** Yields the rows of a CSV file; a row goes on in the next line while a quote is open. */
async function* csvRows(file: EarlierFile): AsyncGenerator<EarlierRow> {
  const names = file.columns.map(({ name }) => name)
  const [day, period] = [names.indexOf('entryDate'), names.indexOf('periodId')]
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
    const [row] = rows
    if (row?.cells.length !== names.length) throw cannotContinue(file, `line ${line} is damaged`)
    if (line > 1) yield rowOf(file, line, text, row.cells[day], row.cells[period])
    ;[text, quotes] = ['', 0]
  }
  if (text !== '') throw cannotContinue(file, 'its last row has no end, so a part of it may be missing')
}

const objectIn = (file: EarlierFile, line: number, text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw cannotContinue(file, `line ${line} is damaged`)
}

async function* ndjsonRows(file: EarlierFile): AsyncGenerator<EarlierRow> {
  const names = file.columns.map(({ name }) => name).join()
  let line = 0
  for await (const text of linesOf(file)) {
    line += 1
    const value = objectIn(file, line, text)
    if (Object.keys(value).join() !== names) throw hasOtherColumns(file, line)
    yield rowOf(file, line, text, value['entryDate'], value['periodId'])
  }
}

const rowsOf = (file: EarlierFile): AsyncGenerator<EarlierRow> =>
  file.format === 'csv' ? csvRows(file) : ndjsonRows(file)

/** Describes what an earlier file holds: its first and last day, and the frequencies of its rows. */
export type EarlierRange = { readonly first: Day; readonly last: Day; readonly frequencies: ReadonlySet<Frequency> }

/** Reads all of an earlier file and returns what it holds; undefined if it has no rows. */
export const readEarlier = async (file: EarlierFile): Promise<EarlierRange | undefined> => {
  const frequencies = new Set<Frequency>()
  let [first, last]: [Day | undefined, Day] = [undefined, -Infinity]
  for await (const { day, frequency } of rowsOf(file)) {
    if (day < last) throw cannotContinue(file, 'its rows are not in the order of their days')
    first ??= day
    last = day
    frequencies.add(frequency)
  }
  return first === undefined ? undefined : { first, last, frequencies }
}

/** Sets how many characters are passed on at a time. */
const MOST_TEXT = 65_536

/** Yields the text of an earlier file before a day, and counts its rows. */
export async function* earlierText(file: EarlierFile, before: Day, counted: { rows: number }): AsyncGenerator<string> {
  if (file.format === 'csv') yield csvHeader(file.columns)
  let text = ''
  for await (const row of rowsOf(file)) {
    if (row.day >= before) break
    counted.rows += 1
    text += row.text
    if (text.length < MOST_TEXT) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
