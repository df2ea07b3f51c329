import type { Decimal } from '../../domain/decimal.ts'
import { type Day, civil } from '../../domain/day.ts'
import { formatByPattern, type NumberPattern } from '../../domain/number-pattern.ts'
import { type Calendar, type Frequency, periodName } from '../../domain/period.ts'

const quoted = (text: string): string => (text === '' ? '' : `"${text.replaceAll('"', '"\\""')}"`)

/** Returns how many decimals a pattern shows of a value: `#.##` shows none of 5, and two of 5.25. */
const shownDecimals = (plain: string): number => (plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0)

/**
 * Returns the number format in which a spreadsheet shows a value as its unit's pattern does: `£ #.00` is `"£ "0.00`.
 * One that `isSigned` has a plus where it is more than zero.
 */
export const numberFormat = (value: Decimal, pattern: NumberPattern, isSigned = false): string => {
  const { before, after, isGrouped } = pattern
  const plain = formatByPattern(value, { ...pattern, before: '', after: '', isGrouped: false })
  const decimals = shownDecimals(plain)
  const digits = `${isGrouped ? '#,##0' : '0'}${decimals === 0 ? '' : `.${'0'.repeat(decimals)}`}`
  const format = `${quoted(before)}${digits}${quoted(after)}`
  // A value that rounds to zero would have the minus of what is below zero.
  if (value < 0n && !plain.startsWith('-')) return `${format};${format}`
  return isSigned ? `"+"${format};"-"${format};${format}` : format
}

/** Returns the number format that shows a text, whatever the number is. */
export const fixedFormat = (text: string): string => quoted(text)

/** Formats a day as ISO 8601 does. */
export const DAY_FORMAT = 'yyyy-mm-dd'

/** Returns the number format in which the first day of a period shows the period's name. */
export const periodFormat = (frequency: Frequency, start: Day, calendar: Calendar): string => {
  if (frequency === 'M') return 'yyyy-mm'
  if (frequency === 'Y') return 'yyyy'
  if (frequency !== 'Q') return DAY_FORMAT
  const name = periodName(frequency, start, calendar)
  const year = String(civil(start).year)
  // A fiscal quarter may begin in the year after the one that it is named by, which no format can show of a date.
  return name.startsWith(year) ? `yyyy${quoted(name.slice(year.length))}` : `${DAY_FORMAT}${quoted(` (${name})`)}`
}
