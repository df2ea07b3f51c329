import { dayOfCivil, formatDay } from '../../domain/day.ts'

/** Sets how many digits spreadsheets show of a number: those after them are noise of binary fractions. */
const SHOWN_DIGITS = 15
/** Bounds the length of a number: no binary fraction needs more. */
const LONGEST_NUMBER = 800
const NUMBER = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/

/** Holds a decimal: digits that begin and end with none of the zeros around them, and where its point is among them. */
type Decimal = { readonly isNegative: boolean; readonly digits: string; readonly point: number }

const trimZeros = (isNegative: boolean, digits: string, point: number): Decimal => {
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start += 1
  while (end > start && digits[end - 1] === '0') end -= 1
  return start === end
    ? { isNegative: false, digits: '', point: 0 }
    : { isNegative, digits: digits.slice(start, end), point: point - start }
}

const parseNumber = (text: string): Decimal | undefined => {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    text.length > LONGEST_NUMBER ? [] : (NUMBER.exec(text) ?? [])
  if (whole === '' && fraction === '') return undefined
  return trimZeros(sign === '-', whole + fraction, whole.length + Number(exponent))
}

/** Rounds a number to the digits that spreadsheets show. Whole numbers that a double holds exactly have no noise. */
const withoutNoise = (decimal: Decimal): Decimal => {
  const { isNegative, digits, point } = decimal
  if (digits.length <= SHOWN_DIGITS) return decimal
  if (digits.length <= point && BigInt(digits.padEnd(point, '0')) <= BigInt(Number.MAX_SAFE_INTEGER)) return decimal
  const kept = BigInt(digits.slice(0, SHOWN_DIGITS)) + ((digits[SHOWN_DIGITS] ?? '0') >= '5' ? 1n : 0n)
  const rounded = String(kept)
  return trimZeros(isNegative, rounded, point + rounded.length - SHOWN_DIGITS)
}

/** Matches a number that could also be one with a thousands separator, if nothing said that it has a decimal point. */
const EITHER_WAY = /^-?[1-9]\d{0,2}\.\d{3}$/

/** Returns a decimal without exponent, in which the point can only be a decimal point. */
const formatDecimal = ({ isNegative, digits, point }: Decimal): string => {
  if (digits === '') return '0'
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0')
  const at = Math.max(point, 1)
  const [whole, fraction] = [padded.slice(0, at), padded.slice(at)]
  const text = (isNegative ? '-' : '') + whole + (fraction === '' ? '' : `.${fraction}`)
  return EITHER_WAY.test(text) ? `${text}0` : text
}

/** Returns the number of a cell as text, without exponent and noise; a text that is no number stays as it is. */
export const numberText = (stored: string): string => {
  const number = parseNumber(stored)
  return number ? formatDecimal(withoutNoise(number)) : stored
}

/** Tells whether a text is a number or a percentage, as the cells that store them are read. */
export const isNumberText = (text: string): boolean => /^-?\d+(?:\.\d+)?%?$/.test(text)

/** Returns a number without exponent, with all of its digits; a text that is no number stays as it is. */
export const plainNumberText = (stored: string): string => {
  const number = parseNumber(stored)
  return number ? formatDecimal(number) : stored
}

/** Returns the number of a percent cell, such as `12.5%` for 0.125. */
export const percentText = (stored: string): string => {
  const number = parseNumber(stored)
  if (!number) return stored
  const { digits, point, isNegative } = withoutNoise(number)
  return `${formatDecimal({ isNegative, digits, point: digits === '' ? 0 : point + 2 })}%`
}

const SECONDS_PER_DAY = 86_400
/** Counts days from the last day of 1899, as if 1900 were a leap year, or from the first of 1904. */
const DAY_60 = dayOfCivil(1900, 2, 28)
const FIRST_1904 = dayOfCivil(1904, 1, 1)
const LAST_SERIAL = 2_958_465
const IMPOSSIBLE_DAY = '1900-02-29'

/** Returns how many seconds a number of days is; NaN if it is no number. */
const secondsOf = (stored: string): number => (parseNumber(stored) ? Math.round(Number(stored) * SECONDS_PER_DAY) : NaN)

const twoDigits = (count: number): string => String(count).padStart(2, '0')

/** Returns seconds as `HH:MM:SS`; durations may have more hours than a day. */
const timeText = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(twoDigits).join(':')

const dayText = (serial: number, is1904: boolean): string => {
  if (is1904) return formatDay(FIRST_1904 + serial)
  if (serial === 60) return IMPOSSIBLE_DAY
  return formatDay(DAY_60 + serial - (serial > 60 ? 60 : 59))
}

/**
 * Returns a date cell as `YYYY-MM-DD`, followed by the time if it has one. A number that is no date stays a number.
 */
export const serialDateText = (stored: string, is1904: boolean): string => {
  const seconds = secondsOf(stored)
  const serial = Math.floor(seconds / SECONDS_PER_DAY)
  if (!(serial >= 0 && serial <= LAST_SERIAL)) return numberText(stored)
  const time = seconds - serial * SECONDS_PER_DAY
  return dayText(serial, is1904) + (time === 0 ? '' : ` ${timeText(time)}`)
}

/** Returns a cell of a time of day, or of a duration, as `HH:MM:SS`. */
export const serialTimeText = (stored: string): string => {
  const seconds = secondsOf(stored)
  return seconds >= 0 && seconds <= LAST_SERIAL * SECONDS_PER_DAY ? timeText(seconds) : numberText(stored)
}

/** Returns a date of ISO 8601 as `YYYY-MM-DD`, followed by the time unless that is midnight. */
export const isoDateText = (stored: string): string => {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?)(?:[.,]\d{1,9})?Z?)?$/.exec(stored) ?? []
  if (day === undefined) return stored
  if (time === undefined || /^[0:]+$/.test(time)) return day
  return `${day} ${time.length === 5 ? `${time}:00` : time}`
}

/** Returns a duration of ISO 8601, such as `PT12H30M00S`, as `HH:MM:SS`. */
export const isoTimeText = (stored: string): string => {
  const [, hours, minutes = '0', seconds = '0'] =
    /^PT(\d{1,7})H(?:(\d{1,2})M)?(?:(\d{1,2})(?:[.,]\d{1,9})?S)?$/.exec(stored) ?? []
  return hours === undefined ? stored : timeText(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}
