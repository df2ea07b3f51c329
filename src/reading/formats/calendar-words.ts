import { fileURLToPath } from 'node:url'
import { readRegularFile } from '../../files/read-file.ts'

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
