import { type Decimal, divideRounded, FRACTION_DIGITS } from './decimal.ts'

/** Describes how a unit shows values: the text around the number, its decimals, and whether thousands are grouped. */
export type NumberPattern = {
  readonly before: string
  readonly after: string
  readonly decimals: number
  /** Counts the decimals that are always shown; the others are left out where they are zero. */
  readonly fixedDecimals: number
  readonly isGrouped: boolean
}

/** Describes how a language writes numbers: how it groups the digits before the decimal sign, and that sign. */
export type NumberSigns = { readonly group: (digits: string) => string; readonly decimal: string }

/** Matches the number in a pattern: `#`, `#.00`, `#,##0.0#`. */
const NUMBER = /[#0][#0,]*(?:\.([#0]+))?/

/**
 * Reads a unit's number pattern, such as `#`, `#.00`, `£ #.00` or `#,##0.0#%`: `0` is a decimal that is always shown,
 * `#` one that is shown where it is not zero; other characters stand as they are. A percent sign is only text, as the
 * values of percentages are stored as percentages. A pattern without a number shows values as they are.
 */
export const readNumberPattern = (pattern: string): NumberPattern => {
  const match = NUMBER.exec(pattern)
  if (!match) return { before: '', after: '', decimals: FRACTION_DIGITS, fixedDecimals: 0, isGrouped: false }
  const [number, fraction = ''] = match
  const end = match.index + number.length
  return {
    before: pattern.slice(0, match.index),
    after: pattern.slice(end),
    decimals: Math.min(fraction.length, FRACTION_DIGITS),
    fixedDecimals: Math.min(fraction.lastIndexOf('0') + 1, FRACTION_DIGITS),
    isGrouped: number.includes(','),
  }
}

const GROUP_DIGITS = 3

const grouped = (digits: string): string => {
  const first = digits.length % GROUP_DIGITS || GROUP_DIGITS
  const groups = [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += GROUP_DIGITS) groups.push(digits.slice(at, at + GROUP_DIGITS))
  return groups.join(',')
}

/** Writes numbers as patterns that group thousands do: 1,760,211.5. */
export const PLAIN_SIGNS: NumberSigns = { group: grouped, decimal: '.' }

/** Returns the decimals without zeros at their end, but at least so many of them. */
const trimmed = (decimals: string, least: number): string => {
  let length = decimals.length
  while (length > least && decimals[length - 1] === '0') length -= 1
  return decimals.slice(0, length)
}

/** Returns a pattern that rounds nothing: a value's other decimals follow those that are always shown. */
export const unrounded = (pattern: NumberPattern): NumberPattern => ({ ...pattern, decimals: FRACTION_DIGITS })

/** Returns a value as a pattern rounds it, in units of its last decimal. */
const roundBy = (value: Decimal, { decimals }: Pick<NumberPattern, 'decimals'>): bigint =>
  divideRounded(value, 10n ** BigInt(FRACTION_DIGITS - decimals))

/** Returns a pattern with as few more decimals as two rounded values and their rounded difference need to add up. */
export const addingUp = (pattern: NumberPattern, value: Decimal, other: Decimal): NumberPattern => {
  let { decimals } = pattern
  const addsUp = (): boolean =>
    roundBy(value, { decimals }) - roundBy(other, { decimals }) === roundBy(value - other, { decimals })
  while (decimals < FRACTION_DIGITS && !addsUp()) decimals += 1
  return { ...pattern, decimals }
}

/**
 * Returns a value by a pattern, rounded half away from zero: 1234.5 by `£ #,##0.00` is `£ 1,234.50`. With the signs of a
 * language, thousands are grouped as that does, also where the pattern does not say so.
 */
export const formatByPattern = (value: Decimal, pattern: NumberPattern, signs?: NumberSigns): string => {
  const { before, after, decimals, fixedDecimals, isGrouped } = pattern
  const rounded = roundBy(value, pattern)
  const digits = String(rounded < 0n ? -rounded : rounded).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const shown = digits.slice(digits.length - decimals)
  const fraction = trimmed(shown, fixedDecimals)
  const group = signs?.group ?? (isGrouped ? grouped : String)
  const number = `${group(whole)}${fraction === '' ? '' : `${signs?.decimal ?? '.'}${fraction}`}`
  return `${rounded < 0n ? '-' : ''}${before}${number}${after}`
}
