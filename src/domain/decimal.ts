/** Counts an exact decimal with four fraction digits in ten-thousandths: 12.5 is 125000n. */
export type Decimal = bigint

export const FRACTION_DIGITS = 4
const SCALE = 10n ** BigInt(FRACTION_DIGITS)
/** Bounds the digits before the decimal point. */
export const INTEGER_DIGITS = 14
const LIMIT = 10n ** BigInt(INTEGER_DIGITS) * SCALE
/** Sets the largest decimal, which has 14 integer digits. */
export const LARGEST: Decimal = LIMIT - 1n
/** Bounds the ten-thousandths that convert to a double and back exactly. */
const DOUBLE_EXACT = 1e15

/** Tells whether a value has at most 14 integer digits, as every stored decimal must. */
export const fits = (value: Decimal): boolean => value < LIMIT && value > -LIMIT

/** Divides exactly and rounds half away from zero. `divisor` must not be 0. */
export const divideRounded = (dividend: bigint, divisor: bigint): bigint => {
  const negative = dividend < 0n !== divisor < 0n
  const over = dividend < 0n ? -dividend : dividend
  const under = divisor < 0n ? -divisor : divisor
  const quotient = (over * 2n + under) / (under * 2n)
  return negative ? -quotient : quotient
}

/** Describes a decimal read from text, and whether digits beyond the fourth were rounded away. */
export type ParsedDecimal = { readonly value: Decimal; readonly rounded: boolean }

const NUMBER = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
/** Bounds the digits that are read: no number needs more; a double has about 300. */
const DIGITS_LIMIT = 400

/** Returns digits without the zeros before them: of millions, a pattern may exceed the stack. */
const withoutZeros = (digits: string): string => {
  let first = 0
  while (digits.charAt(first) === '0') first += 1
  return first === 0 ? digits : digits.slice(first)
}

/**
 * Reads a decimal exactly: optional minus, digits with an optional point, optional exponent (the numbers of JSON, and
 * also forms such as `.5`). Rounds half away from zero to four fraction digits. Returns undefined if the text is not a
 * number; the value may be too large to store, see `fits`.
 */
export const parseDecimal = (text: string): ParsedDecimal | undefined => {
  const match = NUMBER.exec(text)
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const digits = withoutZeros(whole + fraction)
  const magnitude = scaled(digits, Number(exponent) - fraction.length + FRACTION_DIGITS)
  return { value: sign ? -magnitude.value : magnitude.value, rounded: magnitude.rounded }
}

/**
 * Returns `digits`, which has no leading zeros, times ten to the `power`, rounded to an integer. It drops the digits
 * that do not count before it calculates.
 */
const scaled = (digits: string, power: number): ParsedDecimal => {
  const kept = digits.length + power
  if (digits === '' || kept < 0) return { value: 0n, rounded: digits !== '' }
  if (kept > DIGITS_LIMIT) return { value: LIMIT, rounded: false }
  if (power >= 0) return { value: BigInt(digits) * 10n ** BigInt(power), rounded: false }
  const roundsUp = (digits[kept] ?? '0') >= '5'
  return { value: BigInt(digits.slice(0, kept)) + (roundsUp ? 1n : 0n), rounded: /[1-9]/.test(digits.slice(kept)) }
}

/** Bounds the fraction digits beyond the fourth that are read. */
const DIGITS_BEYOND = DIGITS_LIMIT - FRACTION_DIGITS

/** Returns the fraction digits beyond the fourth in the text of a number, with its minus: `-4` for `-0.00004`. */
export const digitsBeyond = (text: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  const digits = whole + fraction
  const kept = digits.length + Number(exponent) - fraction.length + FRACTION_DIGITS
  const beyond = kept < 0 ? '0'.repeat(Math.min(-kept, DIGITS_BEYOND)) + digits : digits.slice(kept)
  return sign + beyond.slice(0, DIGITS_BEYOND)
}

/** Holds a number exactly: so many units, each of ten-thousandths divided by ten `width` times. */
export type ExactDecimal = { readonly units: bigint; readonly width: number }

/** Returns the exact number of a rounded decimal and the digits that were rounded away; see `digitsBeyond`. */
export const exactDecimal = (value: Decimal, beyond: string): ExactDecimal => {
  if (beyond === '') return { units: value, width: 0 }
  const [sign, digits] = beyond.startsWith('-') ? [-1n, beyond.slice(1)] : [1n, beyond]
  const cut = digits >= '5' ? value - sign : value
  const width = digits.length
  return { units: cut * 10n ** BigInt(width) + sign * BigInt(digits === '' ? '0' : digits), width }
}

const unitsAt = ({ units, width }: ExactDecimal, wanted: number): bigint =>
  width === wanted ? units : units * 10n ** BigInt(wanted - width)

/** Adds two exact numbers. */
export const addExact = (one: ExactDecimal, other: ExactDecimal): ExactDecimal => {
  const width = Math.max(one.width, other.width)
  return { units: unitsAt(one, width) + unitsAt(other, width), width }
}

/** Tells whether an exact number is larger than another. */
export const isLarger = (one: ExactDecimal, other: ExactDecimal): boolean => {
  const width = Math.max(one.width, other.width)
  return unitsAt(one, width) > unitsAt(other, width)
}

/** Returns an exact number, divided by a count, as a decimal that is rounded once. */
export const roundExact = ({ units, width }: ExactDecimal, count = 1): Decimal =>
  divideRounded(units, 10n ** BigInt(width) * BigInt(count))

/** Returns the ten-thousandths of a double whose shortest text has at most four fraction digits and few others. */
export const exactUnits = (number: number): number | undefined => {
  const nearest = Math.round(number * 10_000)
  return nearest / 10_000 === number && Math.abs(nearest) < DOUBLE_EXACT ? nearest : undefined
}

/** Returns the decimal of a double: its shortest text, read exactly. */
export const decimalOfNumber = (number: number): ParsedDecimal | undefined => {
  const units = exactUnits(number)
  if (units !== undefined) return { value: BigInt(units), rounded: false }
  return Number.isFinite(number) ? parseDecimal(String(number)) : undefined
}

/** Returns the double whose shortest text is this decimal; undefined if a double has too few digits. */
export const exactNumber = (value: Decimal): number | undefined => {
  const units = Number(value)
  return Math.abs(units) < DOUBLE_EXACT ? units / 10_000 : undefined
}

/** Returns the decimal with all four fraction digits: `50.0000`. */
export const formatFixed = (value: Decimal): string => {
  const magnitude = value < 0n ? -value : value
  const fraction = (magnitude % SCALE).toString().padStart(FRACTION_DIGITS, '0')
  return `${value < 0n ? '-' : ''}${magnitude / SCALE}.${fraction}`
}

/** Returns the shortest text: `50`, `0.1`. */
export const formatDecimal = (value: Decimal): string => {
  const number = exactNumber(value)
  // A double is written with an exponent only below one ten-thousandth, which no decimal is.
  return number === undefined ? formatFixed(value).replace(/\.?0{1,4}$/, '') : String(number)
}
