import { digitsBeyond, parseDecimal } from '../../domain/decimal.ts'
import { Fault } from '../../domain/errors.ts'
import { checkDecimal } from '../../domain/field-value.ts'
import type { DECIMALS } from '../options.ts'
import { faultOfNoValue, Misread } from './evidence.ts'

/** Lists the codes of currencies before or after amounts. */
export const CURRENCY_CODES =
  'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MAD MXN MYR NOK NZD PEN ' +
  'PHP PLN RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD VND ZAR'
/** Lists signs and words of currencies; longer ones come before their beginnings. */
const WORDS = 'US$ AU$ CA$ NZ$ HK$ A$ C$ R$ S$ SFr. Fr. Rs. Rs kr. kr zł Kč Ft lei лв. лв TL'

const escaped = (text: string): string => text.replaceAll(/[.$]/g, String.raw`\$&`)

/** Holds a pattern that matches any currency's sign, word or code. */
const CURRENCY = `${`${WORDS} ${CURRENCY_CODES}`.split(' ').map(escaped).join('|')}|\\p{Sc}`

export type DecimalSign = (typeof DECIMALS)[number]

/**
 * Describes a number in a cell, whether decimals beyond the fourth were rounded away, and those digits; see
 * `digitsBeyond`.
 */
export type NumberCell = { readonly value: bigint; readonly rounded: boolean; readonly beyond?: string }

/** Describes the affixes of a number, and its digits. */
export type AffixedNumber = {
  readonly body: string
  readonly isNegative: boolean
  readonly isPercent: boolean
  readonly currency: string | undefined
}

const BLANK = String.raw` \u00a0\u2009\u202f`
/** Matches digits with any separators, and an exponent; the decimal sign decides what they mean. */
const BODY = new RegExp(String.raw`(?:[.,]\d+|\d(?:[\d.,'’${BLANK}]*\d)?)(?:[.,](?=$)|[eE][-+−]?\d+)?`, 'uy')
const BLANKS = new Set(' \u00a0\u2009\u202f')
const SIGNS = new Set('-−–+()')
const UNIT = new RegExp(`%|${CURRENCY}`, 'iuy')

/**
 * Tells whether brackets, or a minus before or after, make a number negative; `undefined` if signs contradict each
 * other.
 */
const isNegativeBy = (before: string, after: string): boolean | undefined => {
  if (before === '(' && after === ')') return true
  const signs = before + after
  if (signs === '') return false
  if (signs.length > 1 || '()'.includes(signs)) return undefined
  // A plus after a number is not allowed.
  return signs === '+' ? (after === '' ? false : undefined) : true
}

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Matches digits that are not read: full-width ones, and those of Arabic, Persian and Hindi. */
const OTHER_DIGITS = '０-９٠-٩۰-۹०-९'
const BEGINNING = new RegExp(
  String.raw`^[-+−–(<>≤≥~≈±▲△▼▽]{0,3}[${BLANK}]{0,2}(?:${CURRENCY})?[${BLANK}]{0,2}[-+−–(]{0,2}[.,]?[\d${OTHER_DIGITS}]`,
  'iu',
)

/** Tells whether a text begins like a number: with a digit, perhaps after signs or a currency. */
export const beginsWithNumber = (text: string): boolean => BEGINNING.test(text)

/** Matches the apostrophe by which exports keep a number with a sign from being run as a formula. */
const NEUTRALIZED = /^'[-+−]/

/** Strips signs, brackets, percent and currency off a number; returns `undefined` if the rest is no number. */
export const stripAffixes = (text: string): AffixedNumber | undefined => {
  let [body, before, after] = ['', '', '']
  let unit: string | undefined
  for (let at = NEUTRALIZED.test(text) ? 1 : 0; at < text.length;) {
    const sign = text[at] ?? ''
    if (BLANKS.has(sign)) at += 1
    else if (SIGNS.has(sign)) {
      if (body === '') before += sign
      else after += sign
      at += 1
    } else {
      const digits = body === '' ? matchAt(BODY, text, at) : undefined
      const part = digits ?? (unit === undefined ? matchAt(UNIT, text, at) : undefined)
      if (part === undefined) return undefined
      if (digits === undefined) unit = part
      else body = digits
      at += part.length
    }
  }
  const isNegative = isNegativeBy(before, after)
  if (body === '' || isNegative === undefined) return undefined
  return { body, isNegative, isPercent: unit === '%', currency: unit === '%' ? undefined : unit }
}

/** Tells whether a text is the sign, the word or the code of a currency, and nothing else. */
export const isCurrency = (text: string): boolean => text !== '%' && matchAt(UNIT, text, 0) === text

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
  if (!affixed || readAffixedNumber(affixed, OTHER[sign]) === undefined) return new Misread('must be a number')
  return new Misread(`has ${NAMES[OTHER[sign]]}, where numbers have ${NAMES[sign]}`)
}

/** Returns what was read from a text; a fault is returned with the text. */
export const withText = (text: string, cell: NumberCell | Fault): NumberCell | Fault => {
  if (!(cell instanceof Fault)) return cell
  const reason = `"${text}" ${cell.message}`
  return cell instanceof Misread ? new Misread(reason) : new Fault(reason)
}
