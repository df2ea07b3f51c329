import { type AffixedNumber, BLANK, stripAffixes } from '../../tabular/cells/affixed-number.ts'
import { digitsBeyond, parseDecimal } from '../../domain/decimal.ts'
import { Fault } from '../../domain/errors.ts'
import { checkDecimal } from '../../domain/field-value.ts'
import type { DECIMALS } from '../options/options.ts'
import { faultOfNoValue, Misread } from './evidence.ts'
import { isTruthWord } from './truth-words.ts'

export type DecimalSign = (typeof DECIMALS)[number]

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

const NAMES: Readonly<Record<DecimalSign, string>> = { '.': 'a decimal point', ',': 'a decimal comma' }
const OTHER: Readonly<Record<DecimalSign, DecimalSign>> = { '.': ',', ',': '.' }

/** Returns the other decimal sign. */
export const otherSign = (sign: DecimalSign): DecimalSign => OTHER[sign]

/** Returns a decimal sign in words. */
export const nameOfSign = (sign: DecimalSign): string => NAMES[sign]

/** Returns why a text is no number with that decimal sign. */
export const faultOfNumber = (text: string, sign: DecimalSign): Fault => {
  const affixed = stripAffixes(text)
  const known = affixed ? undefined : faultOfNoValue(text)
  if (known !== undefined) return new Fault(known)
  // A single letter is hardly one.
  if (text.length > 1 && isTruthWord(text))
    return new Misread('is a truth value, and no number: --booleans numbers reads such as 1 and 0')
  if (!affixed || readAffixedNumber(affixed, OTHER[sign]) === undefined) return new Misread('must be a number')
  return new Misread(`has ${NAMES[OTHER[sign]]}, where numbers have ${NAMES[sign]}`)
}

/** Returns what was read from a text; a fault is returned with the text. */
export const withText = (text: string, cell: NumberCell | Fault): NumberCell | Fault => {
  if (!(cell instanceof Fault)) return cell
  const reason = `"${text}" ${cell.message}`
  return cell instanceof Misread ? new Misread(reason) : new Fault(reason)
}
