import { isCurrency } from '../cells/affixed-number.ts'

/** Stands for the currency of whichever country a computer is set to, as built-in formats have it. */
export const LOCAL_CURRENCY = '¤'

/**
 * Matches the parts of a number format: texts in quotes, escaped characters, fillers, brackets (those of a currency
 * begin with `$` and may name a locale), and other characters.
 */
const PART = /"([^"]*)"|\\(.)|[_*].|\[\$([^[\]-]*)(?:-([^[\]]*))?\]|\[[^[\]]*\]|([\s\S])/gu
const PLACEHOLDERS = /[\d#?,@%/()+\-\s]+/

/** Maps the codes of locales to their countries, as far as these share the sign of a currency with others. */
const COUNTRIES: Readonly<Record<string, string>> = {
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
}
/** Maps a sign that several currencies have, and a country, to the one that is meant. */
const SHARED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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
}

/** Bounds the length of a currency's sign: a unit is named after it. */
const LONGEST_SIGN = 12

/** Returns the currency of a sign in brackets; the locale tells apart those that share it. */
const bracketCurrency = (sign: string, locale: string): string | undefined => {
  const shown = sign.trim()
  if (shown === '' || shown.length > LONGEST_SIGN || /[\d#]/.test(shown)) return undefined
  const country = COUNTRIES[locale.toUpperCase()] ?? locale.slice(-2).toUpperCase()
  return SHARED[shown.toLowerCase().replace(/\.$/, '')]?.[country] ?? shown
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
export const affixOfFormat = (code: string): Affix => {
  const { texts, bracket } = firstSection(code)
  return { currency: bracket ?? textCurrency(texts) ?? '', isPercent: texts.includes('%') }
}
