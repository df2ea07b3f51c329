import { type RawNumber, parseExactJson } from '../../codec/json-number.ts'
import { isObject } from '../../codec/json.ts'
import { countOf, countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { plainNumberText } from '../cells/cell-text.ts'
import { addInTurns, cellsFormat, cellsTable, createRowSpill, type RowSpill } from '../cells/cells-table.ts'
import type { ByteSum } from '../source/files.ts'
import { LONGEST_CELL, MOST_COLUMNS } from '../source/limits.ts'
import type { FormatFinding, HeaderFinder, ParsedFormat, Row, Table } from '../source/table.ts'
import type { JsonFormat } from './json-format.ts'
import { type FoundRecord, RecordScanner } from './record-scanner.ts'

/** Describes a text of JSON that is opened. */
type JsonText = {
  readonly name: string
  readonly format: JsonFormat
  /** Holds the path to the list of records within a document, where it was given. */
  readonly records: string | undefined
  /** Yields the text, each time anew. */
  readonly text: () => AsyncGenerator<string>
  readonly encoded: Pick<ParsedFormat, 'encoding' | 'hasMark' | 'assumed' | 'evidence'>
  readonly findings: readonly FormatFinding[]
  readonly sum: ByteSum
  readonly mode: number
  readonly folder: string
  readonly signal: AbortSignal | undefined
}

/**
 * Returns the place in a text that an error of `JSON.parse` is about. Some messages name the place, others the character and a
 * few around it.
 */
const placeOf = ({ message }: SyntaxError, text: string): number => {
  const named = /position (\d+)/.exec(message)?.[1]
  if (named !== undefined) return Number(named)
  const [, token = '', around = ''] =
    /^Unexpected token '(.)', (?:\.\.\.)?"(.*)"(?:\.\.\.)? is not/su.exec(message) ?? []
  return Math.max(0, text.indexOf(token, Math.max(0, text.indexOf(around))))
}

/** Thrown if two records begin on one line, so that lines do not tell them apart. */
class SharedLine extends Error {
  readonly line: number
  constructor(line: number) {
    super()
    this.line = line
  }
}

const isRaw = (value: unknown): value is RawNumber => JSON.isRawJSON(value)

/** Counts the keys of a value and of all within it. */
const countKeys = (value: unknown): number => {
  const isList = Array.isArray(value)
  if (!isList && !isObject(value)) return 0
  let count = isList ? 0 : Object.keys(value).length
  for (const part of Object.values(value)) count += countKeys(part)
  return count
}

/** Collects the cells of records, with a column for each name of a field, in the order in which they first appear. */
class CellCollector {
  readonly columns = new Map<string, number>()
  readonly #name: string
  #line = 0
  #cells: string[] = []
  #numbers: (string | undefined)[] = []

  constructor(name: string) {
    this.#name = name
  }

  /** Returns the cells of a record, and which of them are numbers. */
  cellsOf({ text, line, keys }: FoundRecord): { readonly cells: string[]; readonly numbers: (string | undefined)[] } {
    const value = this.#parse(text, line)
    this.#line = line
    this.#cells = []
    this.#numbers = []
    if (isObject(value)) this.#addFields(value, '')
    if (countKeys(value) !== keys) {
      throw this.#fault(`the record on line ${line} has a field twice; leave one of them out`)
    }
    return { cells: this.#cells, numbers: this.#numbers }
  }

  #fault(why: string): KpiError {
    return new KpiError('malformed', `cannot read ${this.#name}: ${why}`)
  }

  #parse(text: string, line: number): unknown {
    try {
      return parseExactJson(text)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const place = placeOf(error, text)
      const at = line + text.slice(0, place).split('\n').length - 1
      const shown = JSON.stringify(/^[a-z]{1,20}/i.exec(text.slice(place))?.[0] ?? text.charAt(place))
      throw this.#fault(`line ${at} is no JSON: ${shown} is not expected there; correct the file, or export it again`)
    }
  }

  #addFields(record: Readonly<Record<string, unknown>>, before: string): void {
    for (const [key, value] of Object.entries(record)) {
      const name = before + key
      if (isObject(value)) this.#addFields(value, `${name}.`)
      else this.#addCell(name, value)
    }
  }

  #addCell(name: string, value: unknown): void {
    const at = this.#columnOf(name)
    if (this.#cells[at] !== undefined) {
      throw this.#fault(`the record on line ${this.#line} gives "${name}" twice; leave one of them out`)
    }
    const [text, isNumber] = textOf(value)
    if (text.length > LONGEST_CELL) {
      throw this.#fault(
        `line ${this.#line}: a cell has more than ${countText(LONGEST_CELL)} characters; shorten "${name.slice(0, 40)}"`,
      )
    }
    while (this.#cells.length < at) this.#cells.push('')
    this.#cells[at] = text
    if (isNumber && text.includes('.')) this.#numbers[at] = ''
  }

  #columnOf(name: string): number {
    const known = this.columns.get(name)
    if (known !== undefined) return known
    const at = this.columns.size
    if (at === MOST_COLUMNS) {
      throw this.#fault(
        `line ${this.#line}: its records have more than ${countText(MOST_COLUMNS)} different fields, the most columns that a table may have; export them with fewer`,
      )
    }
    this.columns.set(name, at)
    return at
  }
}

/** Returns the text of a value, and whether it is a number; a list stays as it is written in JSON. */
const textOf = (value: unknown): readonly [text: string, isNumber: boolean] => {
  if (typeof value === 'string') return [value, false]
  if (typeof value === 'number') return [plainNumberText(String(value)), true]
  if (value === null || value === undefined) return ['', false]
  if (isRaw(value)) return [plainNumberText(value.rawJSON), true]
  return [Array.isArray(value) && value.length === 0 ? '' : JSON.stringify(value), false]
}

/** Reads all records to rows of a temporary file, and returns how many there are. */
const spillRecords = async (
  { name, format, records, text, signal }: JsonText,
  collector: CellCollector,
  spill: RowSpill,
  isCounted: boolean,
): Promise<number> => {
  const scanner = new RecordScanner(name, format.kind, records)
  const add = addInTurns(spill, signal)
  let [count, last] = [0, 0]
  for await (const part of text()) {
    for (const record of scanner.add(part)) {
      if (record.line === last && !isCounted) throw new SharedLine(last)
      last = record.line
      count += 1
      const { cells, numbers } = collector.cellsOf(record)
      const pause = add(isCounted ? count : record.line, cells, numbers)
      if (pause) await pause
    }
  }
  scanner.end()
  return count
}

const NAMES: Readonly<Record<JsonFormat['kind'], string>> = { json: 'JSON', ndjson: 'NDJSON' }

const findingsOf = ({ format, records, findings, encoded }: JsonText, count: number, shared: number | undefined) => [
  ...findings,
  ...(encoded.encoding === 'utf-8' && !encoded.hasMark
    ? []
    : [
        {
          topic: 'encoding',
          found: encoded.encoding,
          evidence: encoded.evidence.join('; ').replaceAll(/encoding [^:]*: /g, ''),
        },
      ]),
  { topic: 'format', found: NAMES[format.kind], evidence: format.evidence },
  {
    topic: 'records',
    found: countText(count),
    evidence: format.kind === 'ndjson' ? 'one on each line' : records === undefined ? 'a list' : `--records ${records}`,
  },
  ...(shared === undefined
    ? []
    : [{ topic: 'lines', found: 'records', evidence: `several records begin on line ${shared}, so they are counted` }]),
]

/** Opens a text of JSON as a table. Its records are copied to a temporary file once, as rows of cells. */
export const openJsonTable = async (opened: JsonText, header: HeaderFinder): Promise<Table> => {
  const { name, sum, mode, folder, encoded } = opened
  const read = async (shared?: number): Promise<Table> => {
    const spill = createRowSpill(folder, name)
    try {
      const collector = new CellCollector(name)
      const count = await spillRecords(opened, collector, spill, shared !== undefined)
      if (count === 0) throw new KpiError('malformed', `cannot read ${name}: it holds no record; export it again`)
      const reading: ParsedFormat = {
        ...cellsFormat('json', findingsOf(opened, count, shared)),
        ...encoded,
        ...(shared !== undefined && {
          note: `several records of ${name} begin on line ${shared}, so they are counted: line 2 is the second of ${countOf(count, 'record')}`,
        }),
      }
      const rows = async function* (): AsyncGenerator<readonly Row[]> {
        yield [{ line: 0, cells: [...collector.columns.keys()] }]
        yield* spill.rows()
      }
      return await cellsTable({ name, reading, spill, sum, mode, rows }, header)
    } catch (error) {
      spill.close()
      throw error
    }
  }
  return read().catch((error: unknown) => {
    if (error instanceof SharedLine) return read(error.line)
    throw error
  })
}
