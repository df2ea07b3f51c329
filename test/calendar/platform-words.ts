import { foldWord } from '../../src/reading/formats/calendar-names.ts'

/** The words of dates in one language, and its English name: the names of months and of days from Monday on, and what stands beside them. */
export type LanguageWords = {
  readonly name: string
  readonly months: readonly (readonly string[])[]
  readonly days: readonly (readonly string[])[]
  readonly beside: readonly string[]
}

/** How a date is written: all of these have a month. */
export const SKELETONS: readonly Intl.DateTimeFormatOptions[] = [
  ...(['long', 'short'] as const).flatMap((month) => [
    { month },
    { month, day: 'numeric' as const },
    { month, year: 'numeric' as const },
    { month, day: 'numeric' as const, year: 'numeric' as const },
    { month, day: 'numeric' as const, year: 'numeric' as const, weekday: month },
  ]),
  { dateStyle: 'long' },
  { dateStyle: 'medium' },
  { dateStyle: 'full' },
]

/** Regions and scripts with other words than their language has by itself; their words are those of the language. */
const VARIANTS = (
  'ar-DZ ar-IQ ar-JO ar-MA ar-MR az-Cyrl bn-IN bs-Cyrl de-AT en-AE en-AG en-AU en-BZ en-IE en-IN en-MV en-ZW es-AR es-BO ' +
  'es-CL es-CO es-DO es-GT es-HN es-MX es-PA es-PE es-PY es-US fa-AF ff-Adlm fr-CA fr-CH fr-MA hi-Latn it-CH kk-Arab ' +
  'kok-Latn ks-Deva ku-IQ kxv-Deva kxv-Telu kxv-Orya ms-BN pa-Arab pt-AO ro-MD sd-Deva se-FI shi-Latn sr-Latn sr-BA sr-ME ' +
  'sr-XK sv-AX uz-Cyrl uz-Arab vai-Latn yo-BJ zh-Hant zh-HK zh-SG'
).split(' ')

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz')
const CODES = LETTERS.flatMap((one) =>
  LETTERS.flatMap((two) => [one + two, ...LETTERS.map((three) => one + two + three)]),
)

const resolves = (code: string): boolean => new Intl.DateTimeFormat(code).resolvedOptions().locale === code

/** Lists the languages of the platform, each with its variants. */
export const platformLanguages = (): (readonly [language: string, locales: readonly string[]])[] =>
  Intl.DateTimeFormat.supportedLocalesOf(CODES)
    .filter((code) => !code.includes('-') && resolves(code))
    .map((code) => [code, [code, ...VARIANTS.filter((one) => one.startsWith(`${code}-`) && resolves(one))]])

/** Returns the format of a locale, by the Gregorian calendar and with Latin digits. */
export const platformFormat = (locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(`${locale}-u-ca-gregory-nu-latn`, { ...options, timeZone: 'UTC' })

const LETTER = /\p{L}/u
const [LETTERS_BEFORE, LETTERS_BEHIND] = [/[\p{L}\p{M}]+$/u, /^[\p{L}\p{M}]+/u]
/** Matches "of" before the name of a month, which Romance languages have in it. */
const OF = /^(?:de |d’|do )/

type Names = Set<string>[]

const make = (count: number): Names => Array.from({ length: count }, () => new Set<string>())

const sorted = (words: Iterable<string>): string[] => [...words].filter((word) => word !== '').toSorted()

/** Collects what a locale's format writes on a day: the month, the day of the week, and the words beside these. */
const collect = (
  format: Intl.DateTimeFormat,
  instant: number,
  { months, days, beside }: { readonly months: Names; readonly days: Names; readonly beside: Set<string> },
): void => {
  const parts = format.formatToParts(instant)
  const date = new Date(instant)
  for (const [at, { type, value }] of parts.entries()) {
    // Letters that touch a name belong to it, as prepositions and endings do.
    const before = parts[at - 1]?.type === 'literal' ? (LETTERS_BEFORE.exec(parts[at - 1]?.value ?? '')?.[0] ?? '') : ''
    const behind = parts[at + 1]?.type === 'literal' ? (LETTERS_BEHIND.exec(parts[at + 1]?.value ?? '')?.[0] ?? '') : ''
    const names =
      type === 'month' ? months[date.getUTCMonth()] : type === 'weekday' ? days[(date.getUTCDay() + 6) % 7] : undefined
    if (names && LETTER.test(before + value + behind)) {
      const name = value.replace(OF, '')
      if (LETTER.test(name)) names.add(foldWord(name))
      if (before + behind !== '') names.add(foldWord(before + name + behind))
    }
    if (type === 'literal' || type === 'era')
      for (const [word] of foldWord(value).matchAll(/[\p{L}\p{M}]+(?:\.[\p{L}\p{M}]+)*/gu)) beside.add(word)
    if (type === 'month' && OF.test(value)) beside.add(foldWord(value.split(/[ ’]/)[0] ?? ''))
  }
}

/** Leaves out the names that are two months of one language, and so name neither. */
export const withoutDoubles = (months: readonly (readonly string[])[]): string[][] =>
  months.map((names) => names.filter((name) => months.filter((others) => others.includes(name)).length === 1))

/** Matches what the platform writes for want of names, and what may as well be the code of something else. */
const CODE = /^(?:[a-z]\.?\d+|.*#\d+)$/
const YEAR_SIGN = '年'
const DAYS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 23))
const WEEK = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 2, 2 + day))

/** Tells whether Node.js 24 and 26 crash when they split what this format writes. */
const endsProcess = (locale: string, { month, year, day }: Intl.DateTimeFormatOptions): boolean =>
  locale === 'gd' && month === 'short' && year !== undefined && day === undefined

/** Tells whether a format writes the names of months, and not their numbers. */
export const writesNames = (locale: string, skeleton: Intl.DateTimeFormatOptions): boolean =>
  !endsProcess(locale, skeleton) &&
  platformFormat(locale, skeleton)
    .formatToParts(0)
    .some(({ type, value }) => type === 'month' && LETTER.test(value))

const NAMES = new Intl.DisplayNames('en', { type: 'language' })

const wordsOf = (language: string, locales: readonly string[]): LanguageWords => {
  const found = { months: make(12), days: make(7), beside: new Set<string>() }
  for (const locale of locales)
    for (const skeleton of SKELETONS) {
      if (endsProcess(locale, skeleton)) continue
      const format = platformFormat(locale, skeleton)
      const hasDay = 'weekday' in skeleton || skeleton.dateStyle === 'full'
      for (const instant of hasDay ? [...DAYS, ...WEEK] : DAYS) collect(format, instant, found)
    }
  // Where words have no blanks between them, the one for the year touches the month.
  if (found.beside.has(YEAR_SIGN))
    for (const names of found.months)
      for (const name of Array.from(names)) names.add(YEAR_SIGN + name.replace(YEAR_SIGN, ''))
  return {
    name: NAMES.of(language) ?? language,
    months: withoutDoubles(found.months.map(sorted)).map((names) => names.filter((name) => !CODE.test(name))),
    days: found.days.map(sorted),
    beside: sorted(found.beside),
  }
}

/** Reads the words of dates of all languages of the platform. */
export const platformWords = (): Record<string, LanguageWords> =>
  Object.fromEntries(platformLanguages().map(([language, locales]) => [language, wordsOf(language, locales)]))
