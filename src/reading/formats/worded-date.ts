import { fileURLToPath } from 'node:url'
import { readRegularFile } from '../../files/read-file.ts'
import { type Day, weekday } from '../../domain/day.ts'
import { foldWord, monthOf } from './calendar-names.ts'

/** Lists the languages whose words come first: a word is of another one only where other words of the column are. */
const PRINCIPAL: ReadonlySet<string> = new Set(
  (
    'en de fr es it pt nl sv da nb no nn fi pl cs sk hu ro hr bs sl bg ru uk be mk sr el tr et lv lt id ms vi th ja ko zh ' +
    'ar he hi ca is'
  ).split(' '),
)

/** Lists what people write beside dates and the platform does not. */
const BESIDE: Readonly<Record<string, string>> = {
  en: 'st nd rd th of the',
  de: 'den der',
  fr: 'er le',
  it: 'di del',
  sv: 'den',
  nb: 'den',
  pl: 'r roku',
  cs: 'roku',
  sk: 'roku',
  hr: 'godine g',
  bs: 'godine g',
  sr: 'godine g године г',
  sl: 'leta',
  ru: 'год года',
  be: 'года',
  bg: 'година',
  uk: 'рік року',
  lt: 'metu',
  vi: 'ngay',
  el: 'του',
}

/** Describes a language in the file of words: the names of its months and days, and the words beside dates. */
type LanguageWords = {
  readonly months: readonly (readonly string[])[]
  readonly days: readonly (readonly string[])[]
  readonly beside: readonly string[]
}

/** Holds languages, by their codes, in the order of the alphabet. */
export type Languages = readonly string[]

/** Holds the languages in which a word has each of its meanings: a month from 1 on, or a day of the week from 0 on. */
export type Meanings = ReadonlyMap<number, Languages>

/** Holds the words of dates of all languages. */
type CalendarWords = {
  readonly languages: Languages
  readonly months: ReadonlyMap<string, Meanings>
  readonly days: ReadonlyMap<string, Meanings>
  readonly beside: ReadonlyMap<string, Languages>
}

type Growing = Map<string, Map<number, string[]>>

const addMeaning = (words: Growing, word: string, meaning: number, language: string): void => {
  let meanings = words.get(word)
  if (!meanings) words.set(word, (meanings = new Map()))
  const languages = meanings.get(meaning)
  if (languages) languages.push(language)
  else meanings.set(meaning, [language])
}

const FILE = new URL('./calendar-words.json', import.meta.url)

const readWords = (): CalendarWords => {
  const all: Readonly<Record<string, LanguageWords>> = JSON.parse(readRegularFile(fileURLToPath(FILE)).toString())
  const [months, days]: readonly [Growing, Growing] = [new Map(), new Map()]
  const beside = new Map<string, string[]>()
  for (const [language, words] of Object.entries(all)) {
    for (const [at, names] of words.months.entries())
      for (const name of names) addMeaning(months, name, at + 1, language)
    for (const [at, names] of words.days.entries()) for (const name of names) addMeaning(days, name, at, language)
    for (const word of new Set([...words.beside, ...(BESIDE[language]?.split(' ') ?? [])]))
      beside.set(word, [...(beside.get(word) ?? []), language])
  }
  return { languages: Object.keys(all), months, days, beside }
}

let words: CalendarWords | undefined

/** Returns the words of dates of all languages; they are read from their file when the first date needs them. */
export const calendarWords = (): CalendarWords => (words ??= readWords())

/** Returns those of some languages whose words come first; all of them if none do. */
export const principalAmong = (languages: Languages): Languages => {
  const principal = languages.filter((language) => PRINCIPAL.has(language))
  return principal.length > 0 ? principal : languages
}

/** Returns the languages in which a word has any meaning. */
export const languagesIn = (meanings: Meanings | undefined): Languages => [
  ...new Set([...(meanings?.values() ?? [])].flat()),
]

/** Describes a date with the name of a month, in the words of one language or several. */
export type WordedDate = {
  /** Names its parts as they follow each other, such as `day month year`. */
  readonly order: string
  readonly year: number
  readonly day: number | undefined
  /** Holds the months that the name may be, each with the languages in which the whole text is a date. */
  readonly months: Meanings
  /** Tells whether a day is the one of the week that the text names in a language, if it names any. */
  readonly isOn: (day: Day, language: string) => boolean
}

/** Bounds the texts that are taken apart. */
const LONGEST = 80
/** Matches what a date with a month's name has: a year, and two letters in a row or one that is not Latin. */
const [YEAR, NAME] = [/(?<!\d)\d{4}(?!\d)/, /\p{L}[\p{L}\p{M}]|[^\P{L}a-z]/iu]
/** Matches what shows a time, a date in figures or an address, which spares the words of all languages. */
const OTHER = /\d:|\d[-/.]\d+[-/.]\d|[@;|\t"=+*%]/
const TOKEN = /\d+|[\p{L}\p{M}]+|[^]/gu
const NUMBER = /^\d/
/** Matches what may stand between the words of a date. */
const SEPARATOR = /^[\s.,،、·․⹁፣()/'་-]$/u
const [NUMBER_BEFORE, NUMBER_BEHIND] = [/\d[a-z]/, /[a-z]\d/]
/** Begins names of some languages. */
const APOSTROPHE = "'"
/** Bounds the signs and words that make one name. */
const MOST_TOKENS = 16
/** Matches letters that may say of a date that it is estimated or not final. */
const MARK = /^[a-z]{1,2}$/

/** Matches a text that ends or begins with one letter that no sign sets apart, as it does names of days. */
const LETTER_AT_EDGE = /^[a-z] |[^.,] [a-z]$/

/** Describes a name, or another word, and all that it may be. */
type Phrase = {
  readonly months: Meanings | undefined
  readonly days: Meanings | undefined
  readonly beside: Languages | undefined
  readonly text: string
}
type Piece = Phrase | { readonly number: string }

const findPhrase = (text: string): Phrase | undefined => {
  const words = calendarWords()
  const known = words.months.get(text)
  // Names that files use and the platform lacks may be of any language.
  const core = known ? undefined : monthOf(text)
  const months = known ?? (core === undefined ? undefined : new Map([[core, words.languages]]))
  const [days, beside] = [words.days.get(text), words.beside.get(text)]
  return months || days || beside ? { months, days, beside, text } : undefined
}

const isTouched = (name: string, before = '', behind = ''): boolean =>
  NUMBER_BEFORE.test(before.slice(-1) + name.slice(0, 1)) || NUMBER_BEHIND.test(name.slice(-1) + behind.slice(0, 1))

/** Splits a text into numbers and the longest names that are known; undefined if it has anything else. */
const piecesOf = (text: string): Piece[] | undefined => {
  const tokens = text.match(TOKEN) ?? []
  const pieces: Piece[] = []
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at] ?? ''
    let end = SEPARATOR.test(token) && token !== APOSTROPHE ? at : Math.min(tokens.length, at + MOST_TOKENS)
    let phrase: Phrase | undefined
    for (; end > at; end -= 1) {
      // A name ends with a letter, a digit of its own, or a sign that is a part of it.
      phrase = tokens[end - 1] === ' ' ? undefined : findPhrase(tokens.slice(at, end).join('').replace(/\.$/, ''))
      if (phrase) break
    }
    // Digits that touch the name of a month in Latin letters make something else, which has formats of its own.
    if (phrase?.months && isTouched(phrase.text, tokens[at - 1], tokens[end])) return undefined
    if (phrase) pieces.push(phrase)
    else if (NUMBER.test(token)) pieces.push({ number: token })
    else if (!SEPARATOR.test(token)) return undefined
    at = Math.max(end, at + 1)
  }
  return pieces
}

const common = (some: Languages, others: Languages | undefined): Languages =>
  others ? some.filter((language) => others.includes(language)) : []

const isPhrase = (piece: Piece): piece is Phrase => 'text' in piece

/** Returns the languages in which all phrases but that of the month are words beside it. */
const languagesAround = (pieces: readonly Piece[], month: Phrase, mayHaveWeekday: boolean): Languages => {
  const all = languagesIn(month.months)
  let left = all
  for (const [at, phrase] of pieces.entries()) {
    if (phrase === month || !isPhrase(phrase)) continue
    left = common(left, [...(phrase.beside ?? []), ...languagesIn(phrase.days)])
    const isEdge = at === 0 || at === pieces.length - 1
    // Trust the name of a weekday that fits the date, as a mark hardly would.
    const isWeekday = mayHaveWeekday && phrase.days !== undefined
    if (isEdge && !isWeekday && MARK.test(phrase.text) && left.length * 2 < all.length) return []
  }
  return left
}

const withLanguages = (meanings: Meanings, languages: Languages): Meanings =>
  new Map(
    [...meanings].flatMap(([meaning, some]) => {
      const left = common(some, languages)
      return left.length > 0 ? [[meaning, left] as const] : []
    }),
  )

const unitOf = (piece: Piece, month: Phrase): string[] => {
  if (isPhrase(piece)) return piece === month ? ['month'] : []
  return [['', 'day', 'day', 'number', 'year'][piece.number.length] ?? 'number']
}

const ORDERS: ReadonlySet<string> = new Set(
  'day month year|month day year|year month day|year day month|month year|year month'.split('|'),
)

/** Tells whether a text may be a date with the name of a month, by its signs. */
export const mayBeWorded = (text: string): boolean =>
  text.length <= LONGEST && !OTHER.test(text) && YEAR.test(text) && NAME.test(text)

/** Reads a date with the name of a month in any language; undefined if a text is none. */
export const wordedDate = (text: string): WordedDate | undefined => {
  if (!mayBeWorded(text)) return undefined
  const folded = foldWord(text)
  const pieces = piecesOf(folded)
  if (!pieces) return undefined
  const phrases = pieces.filter(isPhrase)
  for (const month of phrases.toReversed()) {
    if (!month.months) continue
    const order = pieces.flatMap((piece) => unitOf(piece, month)).join(' ')
    const languages = ORDERS.has(order)
      ? languagesAround(pieces, month, order.includes('day') && !LETTER_AT_EDGE.test(folded))
      : []
    if (languages.length === 0) continue
    const numbers = pieces.flatMap((piece) => (isPhrase(piece) ? [] : [piece.number]))
    const day = numbers.find((number) => number.length < 4)
    const others = phrases.filter((phrase) => phrase !== month)
    return {
      order,
      year: Number(numbers.find((number) => number.length === 4)),
      day: day === undefined ? undefined : Number(day),
      months: withLanguages(month.months, languages),
      isOn: (one, language) =>
        others.every(
          ({ days, beside }) =>
            beside?.includes(language) === true ||
            [...(days ?? [])].some(([at, some]) => at === weekday(one) && some.includes(language)),
        ),
    }
  }
  return undefined
}

/** Returns the month of a name: in a language, else the one that all languages agree on whose words come first. */
export const monthIn = (months: Meanings, language: string | undefined): number | undefined => {
  const all = [...months].map(([month, languages]) => ({ month, languages }))
  const own = all.find(({ languages }) => language !== undefined && languages.includes(language))
  const first = new Set(principalAmong(languagesIn(months)))
  const left = own ? [own] : all.filter(({ languages }) => languages.some((one) => first.has(one)))
  return left.length === 1 ? left[0]?.month : undefined
}
