import { memoize } from '../formats/date-format.ts'
import { readAffixedNumber } from '../formats/number.ts'
import { beginsWithNumber, stripAffixes } from '../../tabular/cells/affixed-number.ts'
import { isTimeOfDay, splitTime } from '../formats/time-of-day.ts'
import { isUnit } from '../formats/units.ts'
import { isWholeDate } from './unusual-headers.ts'

/** Names what a cell can be by itself; of several, the first. */
export type CellKind =
  'year' | 'stamp' | 'whole' | 'number' | 'time' | 'date' | 'quantity' | 'unit' | 'address' | 'text'

const SHORT_NUMBER = /^-?\d{1,9}(?:[.,]\d{1,4})?$/
const YEAR = /^(?:1[5-9]|20|21)\d{2}$/
/** Matches a date without separators: year, month and day. */
const STAMP = /^(?:19|2[01])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/
/** Matches whole numbers, also as programs write them that know no others than those with decimals: `1.0`, `1,00`. */
const WHOLE = /^[-+]?\d+(?:[.,]0{1,2})?$/
const NO_DECIMALS = /[.,]0{1,2}$/
const DIGIT = /\d/

/** Tells whether a text is a number of a few digits and nothing else. */
export const isShortNumber = (text: string): boolean => SHORT_NUMBER.test(text)

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
export const isDate = (text: string): boolean => text.length <= LONGEST_DATE && DIGIT.test(text) && readsAsDate(text)

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
export const kindOfCell = (text: string, isUnitColumn: boolean): CellKind => {
  if (YEAR.test(text)) return 'year'
  if (STAMP.test(text)) return 'stamp'
  if (isNumber(text)) return WHOLE.test(text) ? 'whole' : 'number'
  if (isTimeOfDay(text)) return 'time'
  if (isDate(text)) return 'date'
  if (beginsWithNumber(text)) return isCode(text) ? 'text' : 'quantity'
  if (ADDRESS.test(text)) return 'address'
  return isUnit(text, isUnitColumn) ? 'unit' : 'text'
}
