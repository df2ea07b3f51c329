import { memoize } from '../formats/date-format.ts'
import { readAffixedNumber } from '../../domain/numbers/read-number.ts'
import { beginsWithNumber, stripAffixes } from '../../domain/numbers/affixed-number.ts'
import { isInstant, isTimeOfDay, splitTime } from '../formats/time-of-day.ts'
import type { ImportOptions } from '../options/options.ts'
import { areTruthValues, isTruthWord, numberOfTruth } from '../formats/truth-words.ts'
import { unitInCell } from '../../domain/numbers/measure.ts'
import { isUnit, namesUnits } from '../../domain/numbers/unit-words.ts'
import { isWholeDate } from '../formats/known-formats.ts'
import { createMissingTest, type Evidence, faultOfNoValue, type ValueOptions } from '../formats/evidence.ts'
import { type HeaderFindings, unassignedColumns } from './header.ts'

/** Names what a cell can be by itself; of several, the first. */
type CellKind =
  'truth' | 'year' | 'stamp' | 'whole' | 'number' | 'time' | 'date' | 'quantity' | 'unit' | 'address' | 'text'

const SHORT_NUMBER = /^-?\d{1,9}(?:[.,]\d{1,4})?$/
const YEAR = /^(?:1[5-9]|20|21)\d{2}$/
/** Matches a date without separators: year, month and day. */
const STAMP = /^(?:19|2[01])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/
/** Matches whole numbers, also as programs write them that know no others than those with decimals: `1.0`, `1,00`. */
const WHOLE = /^[-+]?\d+(?:[.,]0{1,2})?$/
const NO_DECIMALS = /[.,]0{1,2}$/
const DIGIT = /\d/

/** Tells whether a text is a number of a few digits and nothing else. */
const isShortNumber = (text: string): boolean => SHORT_NUMBER.test(text)

/** Returns the value of a text that is a whole number. */
export const wholeNumber = (text: string): number => Number(text.replace(NO_DECIMALS, ''))

const isNumber = (text: string): boolean => {
  if (isShortNumber(text)) return true
  const affixed = stripAffixes(text)
  return (
    affixed !== undefined &&
    (readAffixedNumber(affixed, '.') !== undefined || readAffixedNumber(affixed, ',') !== undefined)
  )
}

/** Sets how long a date may be, with its time and the name of its day. */
const LONGEST_DATE = 60

const readsAsDate = memoize((text) => isWholeDate(splitTime(text)?.date ?? text), 10_000)

/** Tells whether a cell is a date or a period, with or without a time of day. */
const isDate = (text: string): boolean => text.length <= LONGEST_DATE && DIGIT.test(text) && readsAsDate(text)

/** Matches codes of letters and digits in several parts, such as `4711-A`, and long ones of hexadecimal digits. */
const CODE = /^[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+$/u
const HEXADECIMAL = /^[\da-f]{8,}$/i
const LETTER = /\p{L}/u

/** Matches addresses of pages and of mail. */
const ADDRESS = /^(?:(?:https?:\/\/|www\.)\S+|[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+)$/i

/** Tells whether a text that begins with a digit is plainly the id of something. */
const isCode = (text: string): boolean => LETTER.test(text) && (CODE.test(text) || HEXADECIMAL.test(text))

/**
 * Returns what a cell is: a `stamp` is a date without separators, and a `quantity` begins like a number, and goes on in a way that is not read. More texts are units
 * in a column that is named for them.
 */
const kindOfCell = (text: string, isUnitColumn: boolean): CellKind => {
  if (isUnitColumn && unitInCell(text) !== undefined) return 'unit'
  if (YEAR.test(text)) return 'year'
  if (STAMP.test(text)) return 'stamp'
  if (isNumber(text)) return WHOLE.test(text) ? 'whole' : 'number'
  if (isTimeOfDay(text)) return 'time'
  if (isDate(text)) return 'date'
  if (beginsWithNumber(text)) return isCode(text) ? 'text' : 'quantity'
  if (ADDRESS.test(text)) return 'address'
  if (isTruthWord(text)) return 'truth'
  return isUnit(text, isUnitColumn) ? 'unit' : 'text'
}

/**
 * Names what the cells of a column are, as far as the rows show it: `quantities` begin like numbers, and go on in a way
 * that is not read; `stamps` are dates without separators; `units` are currencies or other units; `addresses` are those of
 * pages or mail; `mixed` are numbers and other texts.
 */
type Content =
  | 'numbers'
  | 'years'
  | 'stamps'
  | 'addresses'
  | 'dates'
  | 'times'
  | 'quantities'
  | 'units'
  | 'texts'
  | 'mixed'
  | 'nothing'

/** Describes a row: the line on which it begins, and its cells. */
export type SampleRow = { readonly line: number; readonly cells: readonly string[] }

/** Holds the cells of the first rows of a file. */
export type Sample = readonly (readonly string[])[]

/** Counts what the cells of a column are; cells that are empty or stand for no value do not count. */
type Tally = {
  readonly isUnitColumn: boolean
  filled: number
  /** Counts the cells that are dates, as long as all of them are. */
  dates: number
  readonly counts: Map<CellKind, number>
  readonly first: Map<CellKind, Evidence>
  /** Holds the first texts that are no numbers, each once. */
  readonly others: Evidence[]
  last: { readonly text: string; readonly kind: CellKind | undefined }
}

const MOST_OTHERS = 3
const NUMBERS: readonly CellKind[] = ['year', 'stamp', 'whole', 'number']

const newTally = (header: string): Tally => ({
  isUnitColumn: namesUnits(header),
  filled: 0,
  dates: 0,
  counts: new Map(),
  first: new Map(),
  others: [],
  last: { text: '', kind: 'text' },
})

const countOf = ({ counts }: Tally, ...kinds: readonly CellKind[]): number =>
  kinds.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0)

const noteOther = ({ others }: Tally, text: string, line: number): void => {
  if (others.length < MOST_OTHERS && others.every((other) => other.text !== text)) others.push({ text, line })
}

const ANY_DIGIT = /\p{Nd}/u

/** Returns what a cell is; a text without digits in a column of texts can be nothing else that matters. */
const kindIn = ({ counts, isUnitColumn }: Tally, text: string): CellKind =>
  counts.has('text') && !ANY_DIGIT.test(text) && !isTruthWord(text) ? 'text' : kindOfCell(text, isUnitColumn)

/** Records a cell; `kind` is undefined if it stands for no value. */
const noteCell = (tally: Tally, text: string, line: number, kind: CellKind | undefined): void => {
  const { counts, first } = tally
  tally.last = { text, kind }
  if (kind === undefined) return
  if (tally.dates === tally.filled && (kind === 'date' || isDate(text))) tally.dates += 1
  tally.filled += 1
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
  if (!first.has(kind)) first.set(kind, { text, line })
  if (!NUMBERS.includes(kind)) noteOther(tally, text, line)
}

/** Sets which share of the cells has to begin like numbers: a few may be words for no value that nobody knows. */
const NEARLY_ALL = 0.9

const contentOf = (tally: Tally): Content => {
  const { filled, dates } = tally
  const isAll = (...kinds: readonly CellKind[]): boolean => countOf(tally, ...kinds) === filled
  if (filled === 0) return 'nothing'
  if (isAll('year')) return 'years'
  if (isAll('stamp')) return 'stamps'
  if (isAll(...NUMBERS)) return 'numbers'
  if (dates === filled) return 'dates'
  if (isAll('time')) return 'times'
  if (isAll('unit')) return 'units'
  if (isAll('address')) return 'addresses'
  if (countOf(tally, ...NUMBERS) > 0) return 'mixed'
  return countOf(tally, 'quantity', 'time') >= NEARLY_ALL * filled ? 'quantities' : 'texts'
}

const LONG_TEXT = 40

/** Holds what the cells of columns show: those of the first rows, or of all that were noted, in constant memory. */
export class Contents {
  /** Holds the words that stand for no value, as the user gave them. */
  readonly missing: readonly string[]
  /** Holds the first rows. */
  readonly rows: readonly SampleRow[]
  readonly #header: readonly string[]
  readonly #values: ValueOptions
  readonly #isMissing: (text: string) => boolean
  readonly #numberOf: (text: string) => string
  /** Holds what was counted: of columns that were asked about, and of others that were only looked at. */
  readonly #asked: Map<number, Tally>
  readonly #peeked = new Map<number, Tally>()

  constructor(
    header: readonly string[],
    rows: readonly SampleRow[],
    values: ValueOptions,
    asked = new Map<number, Tally>(),
  ) {
    this.#header = header
    this.rows = rows
    this.#values = values
    this.missing = [...(values.missing ?? [])]
    this.#isMissing = createMissingTest(values.missing)
    this.#numberOf = values.booleans === undefined ? (text) => text : numberOfTruth
    this.#asked = asked
  }

  /** Returns the columns that were asked about. */
  asked(): readonly number[] {
    return [...this.#asked.keys()]
  }

  /** Returns a record of what all rows show of these columns, once they are noted. */
  ofAllRows(): Contents {
    const all = this.asked().map((at) => [at, newTally(this.#header[at] ?? '')] as const)
    return new Contents(this.#header, this.rows, this.#values, new Map(all))
  }

  /** Records what a row shows of the columns that were asked about. */
  note(row: SampleRow): void {
    for (const [at, tally] of this.#asked) this.#note(tally, at, row)
  }

  #note(tally: Tally, at: number, { cells, line }: SampleRow): void {
    const text = this.#numberOf(cells[at]?.trim() ?? '')
    if (text === '') return
    const isSame = text === tally.last.text
    noteCell(tally, text, line, isSame ? tally.last.kind : this.#says(text) ? kindIn(tally, text) : undefined)
  }

  #says(text: string): boolean {
    return (isShortNumber(text) || faultOfNoValue(text) === undefined) && !this.#isMissing(text)
  }

  #count(at: number): Tally {
    const before = this.#asked.get(at) ?? this.#peeked.get(at)
    if (before) return before
    const tally = newTally(this.#header[at] ?? '')
    for (const row of this.rows) this.#note(tally, at, row)
    this.#peeked.set(at, tally)
    return tally
  }

  #tallyOf(at: number): Tally {
    const tally = this.#count(at)
    this.#asked.set(at, tally)
    return tally
  }

  of(at: number): Content {
    return contentOf(this.#tallyOf(at))
  }

  /** Returns what the first rows show of a column, which then need not be watched in all rows. */
  peek(at: number): Content {
    return contentOf(this.#count(at))
  }

  /** Returns the texts of a column in the first rows. */
  textsIn(at: number): string[] {
    return this.rows.map(({ cells }) => cells[at]?.trim() ?? '')
  }

  /** Returns the cells of the first rows. */
  get sample(): Sample {
    return this.rows.map(({ cells }) => cells)
  }

  /** Tells whether all cells of a column in the first rows are words for true and false. */
  areTruths(at: number): boolean {
    return areTruthValues(this.textsIn(at).filter((text) => text !== ''))
  }

  /** Tells whether all cells of a column in the first rows count seconds or milliseconds since 1970. */
  areInstants(at: number): boolean {
    const texts = this.textsIn(at).filter((text) => text !== '')
    return texts.length > 0 && texts.every(isInstant)
  }

  /** Tells whether all cells of a column are numbers; it may have none. */
  isNumeric(at: number): boolean {
    return countOf(this.#tallyOf(at), ...NUMBERS) === this.#tallyOf(at).filled
  }

  /** Tells whether all cells of a column are whole numbers. */
  isWhole(at: number): boolean {
    const tally = this.#tallyOf(at)
    return tally.filled > 0 && countOf(tally, 'year', 'stamp', 'whole') === tally.filled
  }

  /** Tells whether the first cells of a column are long texts, of which hardly any comes twice. */
  isProse(at: number): boolean {
    const texts = this.textsIn(at).filter((text) => text !== '')
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    return texts.length > 0 && length > LONG_TEXT * texts.length && new Set(texts).size >= NEARLY_ALL * texts.length
  }

  /** Returns the first cell of a kind. */
  first(at: number, kind: CellKind): Evidence | undefined {
    return this.#tallyOf(at).first.get(kind)
  }

  firstNumber(at: number): Evidence | undefined {
    const cells = NUMBERS.flatMap((kind) => this.first(at, kind) ?? [])
    return cells.toSorted((one, other) => one.line - other.line)[0]
  }

  /** Returns the first texts of a column that are no numbers, and whether these are at most as many as its numbers. */
  others(at: number): { readonly cells: readonly Evidence[]; readonly areFew: boolean } {
    const tally = this.#tallyOf(at)
    const numbers = countOf(tally, ...NUMBERS)
    return { cells: tally.others, areFew: tally.filled - numbers <= numbers }
  }
}

/** Returns the columns without a meaning that hold something. */
export const columnsHolding = (found: HeaderFindings, contents: Contents, ...wanted: readonly Content[]): number[] =>
  unassignedColumns(found).filter((at) => wanted.includes(contents.of(at)))

/** Returns the columns without a meaning that hold nothing but words for true and false. */
export const truthColumns = (found: HeaderFindings, contents: Contents): number[] =>
  unassignedColumns(found).filter((at) => contents.peek(at) === 'texts' && contents.areTruths(at))

/** Returns the columns without a name that are not left out. */
export const unnamedColumns = ({ header }: HeaderFindings, { ignore, columns }: ImportOptions): number[] => {
  const isMeant = (number: string): boolean => !ignore.includes(number) && (columns?.includes(number) ?? true)
  return [...header.keys()].filter((at) => header[at]?.trim() === '' && isMeant(`#${at + 1}`))
}

/** Returns the columns without a meaning, or without a name, that hold dates or what counts seconds since 1970. */
export const columnsLikeDates = (found: HeaderFindings, contents: Contents, options: ImportOptions): number[] =>
  [...unassignedColumns(found), ...unnamedColumns(found, options)].filter(
    (at) => ['dates', 'stamps'].includes(contents.peek(at)) || contents.areInstants(at),
  )
