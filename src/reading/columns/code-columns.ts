import { wholeNumber } from './cell-kinds.ts'
import type { Contents } from './contents.ts'
import { type HeaderFindings, unassignedColumns } from './header.ts'

/** Sets how many rows show that numbers count them, and how many that they do so by other steps than one. */
const LEAST_COUNTED = 3
const LEAST_WITH_STEPS = 5
/** Sets how many steps from row to row show that numbers count rows of which some are missing. */
const LEAST_WITH_GAPS = 8
/** Sets how many rows show that numbers are codes, and how often each has to come at least on the average. */
const LEAST_CODED = 6
const LEAST_EACH = 2

const stepsOf = (numbers: readonly number[]): number[] =>
  numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0))

const stepText = (step: number): string => (step === 1 ? 'one' : String(step))

/** Says how numbers count the rows: they rise or fall from each row to the next, by the same step but for some gaps. */
const countsRows = (numbers: readonly number[]): string | undefined => {
  const steps = stepsOf(numbers)
  const isRising = (steps[0] ?? 0) > 0
  if (!steps.every((step) => (isRising ? step > 0 : step < 0))) return undefined
  const sizes = Map.groupBy(steps.map(Math.abs), (size) => size)
  const [size = 0, same = []] = [...sizes].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? []
  const way = isRising ? 'rise' : 'fall'
  if (steps.length + 1 < LEAST_WITH_STEPS && (sizes.size > 1 || !isRising || size > 1)) return undefined
  if (sizes.size === 1) return `that ${way} by ${stepText(size)} with the rows`
  if (steps.length < LEAST_WITH_GAPS || same.length * 2 < steps.length) return undefined
  return `that ${way} with the rows, mostly by ${stepText(size)}`
}

/** Says how numbers count blocks of rows: they rise by the same step after each so many rows. */
const countsBlocks = (numbers: readonly number[]): string | undefined => {
  const length = numbers.findIndex((number) => number !== numbers[0])
  const step = (numbers[length] ?? 0) - (numbers[0] ?? 0)
  const isBlock = (number: number, at: number): boolean => number === (numbers[0] ?? 0) + step * Math.floor(at / length)
  if (length < 2 || numbers.length < 3 * length || !numbers.every(isBlock)) return undefined
  return `that ${step > 0 ? 'rise' : 'fall'} by ${stepText(Math.abs(step))} after each ${length} rows`
}

/** Tells whether each text of one column always stands beside the same text of another, and each of that beside the same of this one. */
const areNamesOf = (texts: readonly string[], others: readonly string[]): boolean => {
  const [there, back] = [new Map<string, string>(), new Map<string, string>()]
  for (const [at, text] of texts.entries()) {
    const other = others[at] ?? ''
    if (text === '' || other === '') return false
    if ((there.get(text) ?? other) !== other || (back.get(other) ?? text) !== text) return false
    there.set(text, other)
    back.set(other, text)
  }
  return there.size > 1 && texts.length >= LEAST_EACH * there.size
}

const textsIn = ({ rows }: Contents, at: number): string[] => rows.map(({ cells }) => cells[at]?.trim() ?? '')

/** Returns the columns of names and the one of dates: what values are of. */
const keysIn = (found: HeaderFindings, contents: Contents): number[] => {
  const { roles } = found
  const places = [roles.get('user'), roles.get('source'), roles.get('kpi'), ...unassignedColumns(found)]
  const names = places.filter((place) => place !== undefined && contents.peek(place) === 'texts')
  return [...names, roles.get('date')].filter((place) => place !== undefined)
}

/**
 * Returns what the whole numbers of a column show that they are instead of values: they count the rows, or are codes for
 * the names or dates of another column. The first rows show it.
 */
export const whatNumbersAre = (found: HeaderFindings, contents: Contents, at: number): string | undefined => {
  const { rows } = contents
  if (rows.length < LEAST_COUNTED || !contents.isWhole(at)) return undefined
  const texts = textsIn(contents, at)
  const numbers = texts.map(wholeNumber)
  const counted = texts.includes('') ? undefined : (countsRows(numbers) ?? countsBlocks(numbers))
  if (counted !== undefined || rows.length < LEAST_CODED) return counted
  const named = keysIn(found, contents).find((place) => place !== at && areNamesOf(texts, textsIn(contents, place)))
  if (named === undefined) return undefined
  const noun = named === found.roles.get('date') ? 'dates' : 'names'
  return `that go with the ${noun} of "${found.header[named]?.trim()}", as codes do`
}

const FIRST_INSTANT = Date.UTC(2000) / 1000
const LAST_INSTANT = Date.UTC(2040) / 1000

/** Tells whether all numbers are seconds or milliseconds since 1970 of some years of this time. */
const areInstants = (numbers: readonly number[]): boolean =>
  [1, 1000].some((unit) =>
    numbers.every((number) => number >= FIRST_INSTANT * unit && number <= LAST_INSTANT * unit),
  ) && Math.max(...numbers) <= 1.2 * Math.min(...numbers)

/** Tells whether numbers come in the same order again and again. */
const comeAgain = (texts: readonly string[]): boolean => {
  for (let period = 2; period * LEAST_EACH <= texts.length; period += 1)
    if (texts.every((text, at) => at < period || text === texts[at - period])) return true
  return false
}

/** Tells whether few numbers tell rows of the same names and date apart. */
const tellRowsApart = (found: HeaderFindings, contents: Contents, texts: readonly string[]): boolean => {
  const keys = keysIn(found, contents).map((place) => textsIn(contents, place))
  const rowKeys = texts.map((_, at) => JSON.stringify(keys.map((of) => of[at])))
  const isFew = new Set(texts).size * LEAST_EACH <= texts.length
  const apart = new Set(rowKeys.map((key, at) => `${key} ${texts[at]}`))
  return isFew && new Set(rowKeys).size * LEAST_EACH <= texts.length && apart.size === texts.length
}

/**
 * Returns what the whole numbers of a column may be instead of values, beside a column that is more likely to hold some:
 * one number for all rows, a flag, years, points in time, or codes without names. The first rows show it.
 */
export const whatNumbersMayBe = (found: HeaderFindings, contents: Contents, at: number): string | undefined => {
  const { rows } = contents
  if (rows.length < LEAST_CODED || !contents.isWhole(at)) return undefined
  const texts = textsIn(contents, at).filter((text) => text !== '')
  const numbers = texts.map(wholeNumber)
  if (texts.length < LEAST_CODED) return undefined
  const distinct = new Set(texts)
  if (distinct.size === 1) return `that are ${texts[0]} in all rows`
  if (numbers.every((number) => number === 0 || number === 1)) return 'that are all 0 or 1, as flags are'
  if (contents.of(at) === 'years' && distinct.size * LEAST_EACH <= texts.length) return 'that look like years'
  if (areInstants(numbers)) return 'that look like seconds or milliseconds since 1970'
  if (texts.length < rows.length) return undefined
  if (comeAgain(texts)) return 'that come in the same order again and again, as codes do'
  return tellRowsApart(found, contents, texts)
    ? 'that tell rows of the same name and date apart, as codes do'
    : undefined
}
