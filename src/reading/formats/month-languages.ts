import { foldWord, monthOf, plainSigns } from './calendar-names.ts'
import { calendarWords, type Languages, languagesIn, type Meanings, principalAmong } from './calendar-words.ts'
import { type DateFormat, dateFormatFlags, readingOf } from './date-format.ts'
import { type Evidence, showCell } from './evidence.ts'
import { mayBeWorded, monthIn, wordedDate } from './worded-date.ts'

/** Bounds the texts that are kept: one for each that differs in more than its numbers. */
const MOST_TEXTS = 1000

const [WORD, NUMBERS] = [/\p{L}[\p{L}\p{M}]*/gu, /\p{Nd}+/gu]

/** Collects the names of months in a column, and says in which language they are. */
type MonthLanguages = {
  readonly note: (text: string, line: number) => void
  /** Returns the language without which a name would be two months, or none; undefined if none is needed. */
  readonly language: () => string | undefined
  /** Returns why a name may be either of two months, and the flags that settle it; undefined if it is clear. */
  readonly doubt: (format: DateFormat) => string | undefined
}

type Named = Evidence & { readonly months: Meanings }

/** Returns the languages in which all of some names are months. */
const languagesOfAll = (names: readonly Meanings[]): Languages => {
  const [first, ...others] = names.map(languagesIn)
  return others.reduce((left, some) => left.filter((one) => some.includes(one)), first ?? [])
}

/** Returns a language for each different way to read names that are months. */
const waysToRead = (names: readonly Meanings[], languages: Languages): string[] => {
  const ways = new Map<string, string>()
  for (const language of languages) {
    const way = names.map((months) => monthIn(months, language)).join(' ')
    if (!ways.has(way)) ways.set(way, language)
  }
  return [...ways.values()]
}

/** Sets how many headings have to be months of one language, as short names of some are words in others. */
const LEAST_HEADINGS = 3

/**
 * Returns the months that headings name, all in one language; undefined if these names are known without it, or may be
 * other months in another one.
 */
export const monthsOfHeadings = (headings: readonly string[]): ReadonlyMap<string, number> | undefined => {
  const words = calendarWords()
  const named = headings.flatMap((text) => {
    const months = words.months.get(foldWord(text))
    return months ? [{ text, months }] : []
  })
  if (named.length < LEAST_HEADINGS || named.every(({ text }) => monthOf(text) !== undefined)) return undefined
  const all = named.map(({ months }) => months)
  const [language, ...others] = waysToRead(all, principalAmong(languagesOfAll(all)))
  return language === undefined || others.length > 0
    ? undefined
    : new Map(named.map(({ text, months }) => [text, monthIn(months, language) ?? 0]))
}

/** Creates a collection of the names of months in a column. */
export const createMonthLanguages = (): MonthLanguages => {
  const texts = new Map<string, Evidence>()
  // Columns of names that are known without a year are clear, and spare the words of all languages.
  let isClear = true
  /** Returns names that are months in different languages, and a language for each way to read them. */
  const readings = (): { readonly doubtful: readonly Named[]; readonly languages: Languages } => {
    if (isClear) return { doubtful: [], languages: [] }
    const names = [...texts.values()].flatMap((cell): Named[] => {
      const date = wordedDate(plainSigns(cell.text))
      return date ? [{ ...cell, months: date.months }] : []
    })
    const doubtful = names.filter(({ months }) => months.size > 1)
    if (doubtful.length === 0) return { doubtful, languages: [] }
    // If no language has all names, each of those that have one that is two is possible.
    const all = languagesOfAll(names.map(({ months }) => months))
    const some = all.length > 0 ? all : doubtful.flatMap(({ months }) => languagesIn(months))
    return {
      doubtful,
      languages: waysToRead(
        doubtful.map(({ months }) => months),
        principalAmong(some),
      ),
    }
  }
  return {
    note: (text, line) => {
      if (texts.size >= MOST_TEXTS || !mayBeWorded(plainSigns(text))) return
      const kind = text.replaceAll(NUMBERS, '0')
      if (texts.has(kind)) return
      texts.set(kind, { text, line })
      isClear &&= (text.match(WORD) ?? []).some((word) => monthOf(word) !== undefined)
    },
    language: () => {
      const { doubtful, languages } = readings()
      const [language] = languages
      return doubtful.some(({ months }) => monthIn(months, language) !== monthIn(months, undefined))
        ? language
        : undefined
    },
    doubt: (format) => {
      const { doubtful, languages } = readings()
      const cell = doubtful.find(({ months }) => new Set(languages.map((one) => monthIn(months, one))).size > 1)
      if (!cell) return undefined
      const formats = languages.flatMap((language) => format.inLanguage?.(language) ?? [])
      const days = formats.map((one) => readingOf(one, cell.text))
      return `${showCell(cell)} is ${days.join(' or ')}, as its month has the name of another one in another language; say which: ${dateFormatFlags(formats)}`
    },
  }
}
