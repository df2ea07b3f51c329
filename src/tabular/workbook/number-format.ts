import { isCurrency } from '../../domain/numbers/affixed-number.ts'

/** Stands for the currency of whichever country a computer is set to, as built-in formats have it. */
export const LOCAL_CURRENCY = '¤'

/**
 * Matches the parts of a number format: texts in quotes, escaped characters, fillers, brackets (those of a currency
 * begin with `$` and may name a locale), and other characters.
 */
const PART = /"([^"]*)"|\\(.)|[_*].|\[\$([^[\]-]*)(?:-([^[\]]*))?\]|\[[^[\]]*\]|([\s\S])/gu
const PLACEHOLDERS = /[\d#?,@%/()+\-\s]+/

/** Maps the codes of locales to their countries, as far as these share the sign of a currency with others. */
const COUNTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '1009': 'CA',
    C0C: 'CA',
    C09: 'AU',
    '1409': 'NZ',
    '1004': 'SG',
    '4809': 'SG',
    C04: 'HK',
    '404': 'TW',
    '80A': 'MX',
    '340A': 'CL',
    '240A': 'CO',
    '2C0A': 'AR',
    '414': 'NO',
    '814': 'NO',
    '41D': 'SE',
    '406': 'DK',
    '40F': 'IS',
    '804': 'CN',
  }),
)
/** Maps a sign that several currencies have, and a country, to the one that is meant. */
const SHARED: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries({
    $: {
      CA: 'CAD',
      AU: 'AUD',
      NZ: 'NZD',
      SG: 'SGD',
      HK: 'HKD',
      TW: 'TWD',
      MX: 'MXN',
      CL: 'CLP',
      CO: 'COP',
      AR: 'ARS',
    },
    kr: { NO: 'NOK', SE: 'SEK', DK: 'DKK', IS: 'ISK' },
    '¥': { CN: 'CNY' },
  }),
)

/** Bounds the length of a currency's sign: a unit is named after it. */
const LONGEST_SIGN = 12

/** Returns the currency of a sign in brackets; the locale tells apart those that share it. */
const bracketCurrency = (sign: string, locale: string): string | undefined => {
  const shown = sign.trim()
  if (shown === '' || shown.length > LONGEST_SIGN || /[\d#]/.test(shown)) return undefined
  const country = COUNTRIES.get(locale.toUpperCase()) ?? locale.slice(-2).toUpperCase()
  return SHARED.get(shown.toLowerCase().replace(/\.$/, ''))?.[country] ?? shown
}

/** Returns the currency that a text beside a number names. */
const textCurrency = (text: string): string | undefined =>
  text.split(PLACEHOLDERS).find(isCurrency) ?? /\p{Sc}/u.exec(text)?.[0]

/** Returns the texts of a format's first section around its digits, and the currency in brackets. */
const firstSection = (code: string): { readonly texts: string; readonly bracket: string | undefined } => {
  let [texts, bracket] = ['', undefined as string | undefined]
  for (const [, quoted, escaped, sign, locale = '', other] of code.matchAll(PART)) {
    if (other === ';') break
    if (sign !== undefined) bracket ??= bracketCurrency(sign, locale)
    texts += quoted ?? escaped ?? (other === '%' ? ' ' : (other ?? ''))
  }
  return { texts, bracket }
}

/** Describes what a number format shows beside a number: the sign of a currency, `` for none, or a percent sign. */
type Affix = { readonly currency: string; readonly isPercent: boolean }

/** Returns what a number format shows beside a number; of its sections, the first counts. */
const affixOfFormat = (code: string): Affix => {
  const { texts, bracket } = firstSection(code)
  return { currency: bracket ?? textCurrency(texts) ?? '', isPercent: texts.includes('%') }
}

/** Names what a number format makes of a number; `sign` shows it as it is, with a percent sign. */
type FormatKind = 'number' | 'percent' | 'sign' | 'date' | 'time' | 'boolean'

/** Describes what a number format makes of a number, and the currency that it shows; `` for none. */
export type CellFormat = { readonly kind: FormatKind; readonly currency: string }

/** Lists the built-in formats of dates, and of times, by their ids; others of East Asian languages are among them. */
const DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 17],
  [22, 22],
  [27, 31],
  [36, 36],
  [50, 54],
  [57, 58],
]
const TIMES: readonly (readonly [from: number, to: number])[] = [
  [18, 21],
  [32, 35],
  [45, 47],
  [55, 56],
]
const PERCENT_IDS = new Set([9, 10])
/** Lists the built-in formats of money, which have the currency of the computer that shows them. */
const CURRENCY_IDS = new Set([5, 6, 7, 8, 42, 44])

const isAmong = (ranges: typeof DATES, id: number): boolean => ranges.some(([from, to]) => id >= from && id <= to)

const builtInKind = (id: number): FormatKind => {
  if (PERCENT_IDS.has(id)) return 'percent'
  if (isAmong(DATES, id)) return 'date'
  return isAmong(TIMES, id) ? 'time' : 'number'
}

/** Returns what a built-in number format makes of a number. */
export const builtInFormat = (id: number): CellFormat => ({
  kind: builtInKind(id),
  currency: CURRENCY_IDS.has(id) ? LOCAL_CURRENCY : '',
})

/** Matches what is no instruction in a number format: texts, escapes, fillers, and brackets but those of durations. */
const LITERAL = /"[^"]*"|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi
const DIGITS = /[0#?]/
/** Matches the format by which LibreOffice writes truth values, which are numbers there. */
const BOOLEAN = /^"TRUE";"TRUE";"FALSE"$/i

const formatKind = (code: string): FormatKind => {
  if (BOOLEAN.test(code)) return 'boolean'
  const [first = ''] = code.replaceAll(LITERAL, '').split(';')
  if (/general|standard/i.test(first)) return 'number'
  const tokens = first.replaceAll(/am\/pm|a\/p/gi, 'h').toLowerCase()
  if (tokens.includes('%')) return 'percent'
  if (/[yd]/.test(tokens)) return 'date'
  if (/[hs]/.test(tokens) || /\[m+\]/.test(tokens)) return 'time'
  // Months alone are a date; beside digits, m stands for millions in formats that forget the quotes.
  return tokens.includes('m') && !DIGITS.test(tokens) ? 'date' : 'number'
}

/** Returns what a number format makes of a number: of its sections, the first counts. */
export const describeFormat = (code: string): CellFormat => {
  const kind = formatKind(code)
  if (kind !== 'number') return { kind, currency: '' }
  const { currency, isPercent } = affixOfFormat(code)
  return isPercent ? { kind: 'sign', currency: '' } : { kind, currency }
}
