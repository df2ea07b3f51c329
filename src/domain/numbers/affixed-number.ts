/** Lists the codes of currencies before or after amounts. */
export const CURRENCY_CODES =
  'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MAD MXN MYR NOK NZD PEN ' +
  'PHP PLN RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD VND ZAR'
/** Lists signs and words of currencies; longer ones come before their beginnings. */
const WORDS = 'US$ AU$ CA$ NZ$ HK$ A$ C$ R$ S$ SFr. Fr. Rs. Rs kr. kr zł Kč Ft lei лв. лв TL'

const escaped = (text: string): string => text.replaceAll(/[.$]/g, String.raw`\$&`)

/** Holds a pattern that matches any currency's sign, word or code. */
const CURRENCY = `${`${WORDS} ${CURRENCY_CODES}`.split(' ').map(escaped).join('|')}|\\p{Sc}`

/** Describes the affixes of a number, and its digits. */
export type AffixedNumber = {
  readonly body: string
  readonly isNegative: boolean
  readonly isPercent: boolean
  readonly currency: string | undefined
}

export const BLANK = String.raw` \u00a0\u2009\u202f`
/** Matches digits with any separators, and an exponent; the decimal sign decides what they mean. */
const BODY = new RegExp(String.raw`(?:[.,]\d+|\d(?:[\d.,'’${BLANK}]*\d)?)(?:[.,](?=$)|[eE][-+−]?\d+)?`, 'uy')
const BLANKS = new Set(' \u00a0\u2009\u202f')
const SIGNS = new Set('-−–+()')
const UNIT = new RegExp(`%|${CURRENCY}`, 'iuy')

/**
 * Tells whether brackets, or a minus before or after, make a number negative; `undefined` if signs contradict each
 * other.
 */
export const isNegativeBy = (before: string, after: string): boolean | undefined => {
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

/** Returns the digits that a text has from a place on, with their separators and an exponent; undefined if there are none. */
export const digitsAt = (text: string, at: number): string | undefined => matchAt(BODY, text, at)

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
