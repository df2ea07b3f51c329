import { digitsBeyond, exactDecimal, parseDecimal, roundExact } from '../decimal.ts'
import { Fault } from '../errors.ts'
import { checkDecimal } from './check-decimal.ts'
import { type AffixedNumber, BLANK } from './affixed-number.ts'

/** Names the signs that separate decimals. */
export type DecimalSign = '.' | ','

/**
 * Describes a number in a cell, whether decimals beyond the fourth were rounded away, and those digits; see
 * `digitsBeyond`.
 */
export type NumberCell = { readonly value: bigint; readonly rounded: boolean; readonly beyond?: string }

const GROUPED: Readonly<Record<DecimalSign, RegExp>> = {
  // Indian groups have two digits, except the last.
  '.': new RegExp(String.raw`^[1-9]\d{0,2}([,'’${BLANK}])\d{3}(?:\1\d{3})*$|^[1-9]\d?(?:,\d{2})+,\d{3}$`, 'u'),
  ',': new RegExp(String.raw`^[1-9]\d{0,2}([.'’${BLANK}])\d{3}(?:\1\d{3})*$`, 'u'),
}
const DIGITS = /^\d*$/

/**
 * Returns the digits of a number in the form that `parseDecimal` reads; `undefined` if they are not grouped like a
 * number.
 */
const plainDigits = (body: string, sign: DecimalSign): string | undefined => {
  const [mantissa = '', exponent] = body.split(/e/i)
  const [whole = '', fraction, ...more] = mantissa.split(sign)
  if (more.length > 0 || (fraction !== undefined && !DIGITS.test(fraction))) return undefined
  // Numbers with exponents have no thousands separators.
  const isWhole = DIGITS.test(whole) || (exponent === undefined && GROUPED[sign].test(whole))
  if (!isWhole) return undefined
  const digits = fraction === undefined ? '' : `.${fraction}`
  return whole.replaceAll(/\D/g, '') + digits + (exponent === undefined ? '' : `e${exponent.replace('−', '-')}`)
}

/**
 * Reads a number whose decimal sign is known; returns `undefined` if the text is no number, and a fault if it is too
 * large.
 */
export const readAffixedNumber = (
  { body, isNegative }: AffixedNumber,
  sign: DecimalSign,
): NumberCell | Fault | undefined => {
  const digits = plainDigits(body, sign)
  if (digits === undefined) return undefined
  const text = (isNegative ? '-' : '') + digits
  const parsed = parseDecimal(text)
  if (!parsed) return undefined
  const value = checkDecimal(parsed)
  if (value instanceof Fault) return value
  return parsed.rounded ? { value, rounded: true, beyond: digitsBeyond(text) } : { value, rounded: false }
}

/** Returns so many times a number, divided by ten to a power: exactly, with the digits that are rounded away then. */
export const multiplyCell = (
  { value, beyond = '' }: Omit<NumberCell, 'rounded'>,
  times: bigint,
  powerBelow = 0,
): NumberCell => {
  const { units, width } = exactDecimal(value, beyond)
  const product = { units: units * times, width: width + powerBelow }
  const rest = product.units % 10n ** BigInt(product.width)
  const digits = String(rest < 0n ? -rest : rest).padStart(product.width, '0')
  return {
    value: roundExact(product),
    beyond: rest === 0n ? '' : (rest < 0n ? '-' : '') + digits,
    rounded: rest !== 0n,
  }
}
