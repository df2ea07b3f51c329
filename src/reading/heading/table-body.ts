import { dateIn } from '../columns/heading-forms.ts'
import { isPartOfYear, isWholeDate } from '../formats/known-formats.ts'
import { memoize } from '../formats/date-format.ts'
import { faultOfNoValue } from '../formats/evidence.ts'
import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import { unitInCell } from '../../domain/numbers/measure.ts'

/** Holds the cells of a row. */
export type Cells = readonly string[]

/** Returns the trimmed text of a cell; empty if the row has no such cell. */
export const textAt = (cells: Cells, at: number): string => cells[at]?.trim() ?? ''

/** Counts the cells of a row that are not blank. */
export const countOf = (cells: Cells): number => cells.filter((cell) => cell.trim() !== '').length

/** Names what a cell is; `either` may be a number as well as a date, such as 2026. */
type CellKind = 'nothing' | 'number' | 'date' | 'either' | 'text'

/** Matches a number that is no date in any format, which most cells of most files are. */
const SURELY_NUMBER = /^[-+]?(?:\d{1,3}(?:[.,]\d{1,3})?|\d{5,}[.,]\d+)$/
/** Matches a date with dots, whose digits are not grouped like those of a number. */
const DOTTED_DATE = /^\d{1,2}\.\d{1,2}\.\d{2,4}$/

const kindOf = memoize((text: string): CellKind => {
  if (text === '' || faultOfNoValue(text) !== undefined) return 'nothing'
  if (SURELY_NUMBER.test(text)) return 'number'
  const isDate = isWholeDate(text)
  const isNumber =
    stripAffixes(text) !== undefined && !(isDate && DOTTED_DATE.test(text)) && unitInCell(text) === undefined
  if (isDate) return isNumber ? 'either' : 'date'
  return isNumber ? 'number' : 'text'
}, 10_000)

/** Returns the date in a label, which may have a mark beside it, such as `2026*`; else the label. */
const dateInLabel = memoize((text) => (kindOf(text) === 'text' ? dateIn(text) : text), 10_000)

/** Tells whether a text is neither blank nor a number or date. */
export const isWords = (text: string): boolean => kindOf(text) === 'text'

/** Tells whether a text is a date, or a period of a known year, even if it may be a number as well. */
const isDateLabel = (text: string): boolean => ['date', 'either'].includes(kindOf(dateInLabel(text)))

/** Describes what the columns of a table hold, as its last rows show it. */
export type TableBody = {
  /** Lists the columns that are not always blank. */
  readonly columns: readonly number[]
  /** Holds what the columns of numbers and dates hold; others are not in it. */
  readonly kinds: ReadonlyMap<number, 'number' | 'date' | 'either'>
  /** Holds the texts of the other columns, each with its column. */
  readonly texts: ReadonlySet<string>
}

/** Sets how many rows and columns are looked at; a table may have thousands of columns. */
const MOST_ROWS = 16
const MOST_COLUMNS = 150
/** Sets which share of a column's cells has to be numbers or dates: some cells are bad. */
const MOST_OF = 0.8

const columnKind = (rows: readonly Cells[], at: number): 'number' | 'date' | 'either' | undefined => {
  const kinds = rows.map((cells) => kindOf(textAt(cells, at))).filter((kind) => kind !== 'nothing')
  const isMost = (...wanted: readonly CellKind[]): boolean =>
    kinds.filter((kind) => wanted.includes(kind)).length >= MOST_OF * kinds.length
  if (kinds.length === 0) return undefined
  if (isMost('either')) return 'either'
  if (isMost('number', 'either')) return 'number'
  return isMost('date', 'either') ? 'date' : undefined
}

/** Returns the median of numbers; of two in the middle, the one that more of all numbers are, or else the lower one. */
const medianOf = (numbers: readonly number[], all: readonly number[]): number | undefined => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  const frequency = (number: number | undefined): number => all.filter((one) => one === number).length
  return frequency(upper) > frequency(lower) ? upper : lower
}

const lengthsOf = (rows: readonly Cells[]): number[] => rows.map(({ length }) => length)

/** Returns how many cells a row of the table typically has: the median of the later rows, but for footers. */
const typicalCount = (rows: readonly Cells[], counts: readonly number[]): number => {
  const wide = counts.filter((count) => count > 1)
  const late = counts.slice(Math.floor(counts.length / 2)).filter((count) => count > 1)
  // One row alone is no table, unless it is a header without rows.
  const isAlone = wide.length === 1 && lengthsOf(rows).filter((length) => length > 1).length === 1
  if (isAlone && (counts.at(-1) ?? 0) < 2) return 1
  return medianOf(late.length > 0 ? late : wide, lengthsOf(rows)) ?? 1
}

const textKey = (at: number, text: string): string => `${at} ${text}`

const bodyOf = (rows: readonly Cells[], columns: readonly number[]): TableBody => {
  const judged = columns.slice(0, MOST_COLUMNS)
  const kinds = new Map(
    judged.flatMap((at) => {
      const kind = columnKind(rows, at)
      return kind === undefined ? [] : [[at, kind] as const]
    }),
  )
  const words = judged.filter((at) => !kinds.has(at))
  const texts = new Set(rows.flatMap((cells) => words.map((at) => textKey(at, textAt(cells, at)))))
  return { columns, kinds, texts }
}

/** Tells whether a part of a table shows what more columns hold than a longer part does, or as many others. */
const showsMore = ({ kinds }: TableBody, longer: TableBody): boolean =>
  kinds.size >= longer.kinds.size && [...kinds.keys()].some((at) => !longer.kinds.has(at))

/** Sets up to how many rows a file is short, so that titles may be most of it, and the last rows alone are judged. */
const SHORT = 24

/** Finds out what the columns of a table hold: from the later half of those of its rows that are as wide as most. */
export const describeBody = (rows: readonly Cells[]): TableBody => {
  const counts = rows.map(countOf)
  const typical = typicalCount(rows, counts)
  const least = Math.max(Math.min(2, typical), Math.ceil(typical / 2))
  const wide = rows.filter((_, at) => (counts[at] ?? 0) >= least)
  const half = wide.slice(Math.ceil(wide.length / 2)).slice(-MOST_ROWS)
  const judged = half.length > 0 ? half : wide
  // A single row may have more cells than the table, where its text has separators.
  const width = medianOf(lengthsOf(judged), lengthsOf(rows)) ?? 0
  const columns = Array.from({ length: width }, (_, at) => at).filter((at) =>
    judged.some((cells) => textAt(cells, at) !== ''),
  )
  // A last row with fewer cells is hardly one of the table.
  const isLong = rows.length > SHORT || (judged.at(-1)?.length ?? 0) < width
  const tails = isLong ? [judged] : [judged, judged.slice(-2), judged.slice(-1)]
  const bodies = tails.map((tail) => bodyOf(tail, columns))
  // The longest part that shows most: the first of it may still be the header.
  return bodies.reduce((best, one) => (showsMore(one, best) ? one : best))
}

/** Returns the share of the table's columns in which a row has a cell. */
export const coverageOf = ({ columns }: TableBody, cells: Cells): number =>
  columns.length === 0 ? 1 : columns.filter((at) => textAt(cells, at) !== '').length / columns.length

/** Tells whether a row has a cell in each column of numbers and dates. */
export const namesKinds = ({ kinds }: TableBody, cells: Cells): boolean =>
  [...kinds.keys()].every((at) => textAt(cells, at) !== '')

/** Tells whether a row has a text that its column has below as well, so that it hardly names the column. */
export const repeatsText = ({ texts }: TableBody, cells: Cells): boolean =>
  [...cells.keys()].some((at) => textAt(cells, at) !== '' && texts.has(textKey(at, textAt(cells, at))))

const YEAR = /^\d{4}$/

/** Tells whether the years of a row follow each other, as labels do. */
const areFollowing = (texts: readonly string[]): boolean => {
  const years = [...new Set(texts)].map(Number)
  return years.length > 1 && Math.max(...years) - Math.min(...years) === years.length - 1
}

/** Tells whether the cells in columns of numbers are dates as labels: of years only those that follow each other. */
const areDateLabels = (texts: readonly string[], cells: Cells): boolean => {
  if (texts.some((text) => !YEAR.test(text))) return texts.length > 1
  return areFollowing(
    cells
      .slice(0, MOST_COLUMNS)
      .map((cell) => dateInLabel(cell.trim()))
      .filter((text) => YEAR.test(text)),
  )
}

/**
 * Tells whether a row holds data, as its cells are what their columns hold, or labels, as none is; undefined if neither
 * is shown.
 */
export const rowKind = ({ kinds }: TableBody, cells: Cells): 'data' | 'labels' | undefined => {
  const open: string[] = []
  let [fitting, others] = [0, 0]
  for (const [at, wanted] of kinds) {
    const text = dateInLabel(textAt(cells, at))
    const kind = kindOf(text)
    if (kind === 'nothing') continue
    if (wanted === 'number' && kind === 'either') open.push(text)
    else if (kind === 'text' || (wanted !== 'date' && kind === 'date')) others += 1
    else fitting += 1
  }
  if (fitting === 0 && areDateLabels(open, cells)) others += open.length
  else fitting += open.length
  if (fitting > 0) return fitting >= others ? 'data' : undefined
  return others > 0 ? 'labels' : undefined
}

const BRACKETS = /^[([].*[)\]]$/u

/** Tells whether a text is a unit: with a scale or without, a percent sign, a word for what is counted, or any word in brackets. */
const isUnitOrCount = (text: string): boolean =>
  (isWords(text) && BRACKETS.test(text)) || unitInCell(text) !== undefined

/** Tells whether a row has words in a column of numbers. */
export const hasWordsForNumbers = ({ kinds }: TableBody, cells: Cells): boolean =>
  [...kinds].some(([at, kind]) => kind === 'number' && isWords(textAt(cells, at)))

/** Tells whether a row has the same word in all columns of numbers, such as `closed`; those of a header differ. */
export const isOneWord = ({ kinds }: TableBody, cells: Cells): boolean => {
  const words = [...kinds.keys()].map((at) => textAt(cells, at)).filter((text) => text !== '')
  return words.length > 1 && isWords(words[0] ?? '') && words.every((word) => word === words[0])
}

/** Returns the columns in which a row has cells. */
const givenColumns = (cells: Cells): number[] => [...cells.keys()].filter((at) => textAt(cells, at) !== '')

const isNumeric = ({ kinds }: TableBody, at: number): boolean => ['number', 'either'].includes(kinds.get(at) ?? '')

/** Tells whether a row has words in columns of numbers, and no other cells. */
export const isBelowHeader = (body: TableBody, cells: Cells): boolean => {
  const given = givenColumns(cells)
  return given.length > 0 && given.every((at) => isNumeric(body, at) && isWords(textAt(cells, at)))
}

/** Tells whether a row holds units, of columns of numbers and of others that hold too little to tell, and nothing else. */
export const isUnitRow = (body: TableBody, cells: Cells): boolean => {
  const given = givenColumns(cells)
  return given.every((at) => isUnitOrCount(textAt(cells, at))) && given.some((at) => isNumeric(body, at))
}

/** Returns a row of labels with each blank cell filled from the left, as merged cells are written. */
export const fillRight = (cells: Cells, width: number): string[] => {
  let last = ''
  return Array.from({ length: width }, (_, at) => (last = textAt(cells, at) || last))
}

/** Returns the labels of two header rows: what a key column is called may stand in either. */
export const mergeLabels = (lower: Cells, upper: Cells | undefined): Cells =>
  upper ? lower.map((label, at) => (label.trim() === '' ? (upper[at] ?? '') : label)) : lower

/** Tells whether labels repeat, and no longer do with those of the row above. */
const areToldApart = (lower: Cells, upper: Cells): boolean => {
  const named = [...lower.keys()].filter((at) => textAt(lower, at) !== '')
  const labels = named.map((at) => textAt(lower, at))
  const pairs = named.map((at) => JSON.stringify([upper[at], textAt(lower, at)]))
  return new Set(labels).size < labels.length && new Set(pairs).size === pairs.length
}

/** Tells whether one label of the upper row spans several columns that the lower row names. */
const spansColumns = (upper: Cells, lower: Cells): boolean =>
  upper.some(
    (label, at) => label !== '' && label === upper[at + 1] && textAt(lower, at) !== '' && textAt(lower, at + 1) !== '',
  )

/**
 * Tells whether the row above names groups of the columns below it: KPIs above periods, periods above KPIs, or years
 * above parts of years. A single text above the first column is a title.
 */
export const isUpperRow = (above: Cells, lower: Cells): boolean => {
  const groups = [...above.keys()].filter(
    (at) => at < lower.length && textAt(above, at) !== '' && textAt(above, at) !== textAt(lower, at),
  )
  const places = groups.filter((at) => textAt(lower, at) !== '')
  if (places.length === 0 || (groups.length === 1 && groups[0] === 0)) return false
  const isOverKey = places.includes(0)
  const values = places.filter((at) => at > 0)
  const [labels, below] = [values.map((at) => textAt(above, at)), values.map((at) => textAt(lower, at))]
  if (
    values.length > 0 &&
    labels.every((label) => YEAR.test(dateInLabel(label))) &&
    below.every((label) => isPartOfYear(dateInLabel(label)))
  )
    return true
  if (!isOverKey && labels.every(isWords) && below.every(isDateLabel)) return true
  const upper = fillRight(above, lower.length)
  if (!areToldApart(lower, upper)) return false
  const areDates = values.length > 0 && (labels.every(isDateLabel) || below.every(isDateLabel))
  const areNames = labels.every(isWords) && below.every(isWords)
  return (areDates || (isOverKey ? areNames : true)) && (spansColumns(upper, lower) || (areDates && !isOverKey))
}
