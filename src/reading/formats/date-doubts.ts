import type { Day } from '../../domain/day.ts'
import { type DateFormat, dateFormatFlags, knownFormat, readingOf } from './date-format.ts'
import { KNOWN_FORMATS } from './known-formats.ts'
import { type Evidence, showCell } from './evidence.ts'
import type { MeantParts, PartOfYear } from './period-words.ts'
import { foldWord, monthOf, plainSigns } from './calendar-names.ts'
import {
  calendarWords,
  type Languages,
  languagesIn,
  mayBeWorded,
  type Meanings,
  monthIn,
  principalAmong,
  wordedDate,
} from './worded-date.ts'

/**
 * Describes a date format that can be detected, and a rarer one that looks like it: weeks instead of months, the day
 * before the month or, with dots, after it. The rarer one is never assumed; if they are `even`, neither is.
 */
type Rivalry = { readonly usual: DateFormat; readonly rare: DateFormat; readonly isEven: boolean }

const knownOr = (text: string): DateFormat => KNOWN_FORMATS.find((format) => format.text === text) ?? knownFormat(text)

const alike = (...pairs: readonly string[]): Omit<Rivalry, 'isEven'>[] =>
  pairs.map((pair) => {
    const [usual = '', rare = ''] = pair.split(' | ')
    return { usual: knownOr(usual), rare: knownOr(rare) }
  })

const OF_DAYS = alike(
  'YYYY-MM-DD | YYYY-DD-MM',
  'YYYY/MM/DD | YYYY/DD/MM',
  'YYYY.MM.DD | YYYY.DD.MM',
  'YYYYMMDD | YYYYDDMM',
  'DD.MM.YYYY | MM.DD.YYYY',
  'DD. MM. YYYY | MM. DD. YYYY',
  'DD MM YYYY | MM DD YYYY',
).map((pair) => ({ ...pair, isEven: false }))

/** Lists the formats of months that look like those of weeks and quarters. */
const MONTHS = ['MM/YYYY', 'MM.YYYY', 'MM-YYYY', 'YYYY-MM', 'YYYY/MM'].map(knownOr)

const inPlaceOfMonths = (token: string): ReadonlyMap<DateFormat, DateFormat> =>
  new Map(MONTHS.map((month) => [month, knownFormat(month.text.replace('MM', token))]))

const OTHERS: Readonly<Record<Exclude<PartOfYear, 'month'>, ReadonlyMap<DateFormat, DateFormat>>> = {
  week: inPlaceOfMonths('WW'),
  quarter: inPlaceOfMonths('Q'),
}

const withOthers = (part: Exclude<PartOfYear, 'month'>): readonly DateFormat[] =>
  KNOWN_FORMATS.map((format) => OTHERS[part].get(format) ?? format)

const BY_PART = { week: withOthers('week'), quarter: withOthers('quarter') }

/** Returns the formats that can be detected where numbers beside a year are a part of it. */
export const formatsFor = ({ sure }: MeantParts): readonly DateFormat[] =>
  sure === undefined || sure === 'month' ? KNOWN_FORMATS : BY_PART[sure]

/** Returns a format that reads only numbers with a zero before them, which hardly anybody writes for quarters. */
const padded = ({ text, read }: DateFormat): DateFormat => ({
  text,
  read: (cell) => (/(?<!\d)(?:0\d|1[0-2])(?!\d)/.test(cell) ? read(cell) : undefined),
})

/** Lists quarters and the months that look like them: with a zero before its number, it is as likely a month. */
const QUARTERS: readonly Rivalry[] = [...OTHERS.quarter].flatMap(([month, quarter]) => [
  { usual: quarter, rare: month, isEven: false },
  { usual: quarter, rare: padded(month), isEven: true },
])

/** Returns the rivals of months: weeks, and whatever else the evidence names. */
const monthsBeside = ({ perhaps }: MeantParts): Rivalry[] =>
  MONTHS.flatMap((usual) =>
    (['week', 'quarter'] as const).flatMap((part) => {
      const rare = OTHERS[part].get(usual)
      if (rare === undefined || (part === 'quarter' && !perhaps.has(part))) return []
      const isEven = perhaps.has(part) || (usual.text.startsWith('MM') && !perhaps.has('month'))
      return [{ usual, rare, isEven }]
    }),
  )

const rivalriesFor = (meant: MeantParts): readonly Rivalry[] => {
  if (meant.sure === 'week') return OF_DAYS
  return meant.sure === 'quarter' ? [...QUARTERS, ...OF_DAYS] : [...monthsBeside(meant), ...OF_DAYS]
}

/** Describes the evidence for the rare format: the first cell that only it fits, and the first that both fit. */
type Signs = { only?: Evidence; both?: Evidence; isRefuted: boolean }

/** Creates the rivals of a column's formats; what its numbers are meant to be decides some. */
export const createRivals = (meant: MeantParts) => {
  const pairs = rivalriesFor(meant).map((pair) => ({ ...pair, signs: { isRefuted: false } as Signs }))
  const look = ({ usual, rare, signs }: (typeof pairs)[number], text: string, line: number): void => {
    const [day, other]: (Day | null | undefined)[] = [usual.read(text), rare.read(text)]
    if (typeof other === 'number') {
      if (day === null) signs.only ??= { text, line }
      else if (day !== other) signs.both ??= { text, line }
    } else if (typeof day === 'number') signs.isRefuted = true
  }
  return {
    note: (text: string, line: number): void => {
      for (const pair of pairs) if (!pair.signs.isRefuted) look(pair, text, line)
    },
    /** Returns why the format is in doubt, as far as these usual formats go. */
    doubt: (left: readonly DateFormat[]): string | undefined => {
      for (const { usual, rare, isEven, signs } of pairs) {
        const cell = signs.only ?? (isEven ? signs.both : undefined)
        if (!cell || signs.isRefuted || !left.includes(usual)) continue
        const beside = signs.only && signs.both ? `, and ${showCell(signs.both)} is either` : ''
        return `${showCell(cell)} is ${readingOf(usual, cell.text)} or ${readingOf(rare, cell.text)}${beside}; say which: ${dateFormatFlags([usual, rare])}`
      }
      return undefined
    },
  }
}

/** Bounds the texts that are kept: one for each that differs in more than its numbers. */
const MOST_TEXTS = 1000

const [WORD, NUMBERS] = [/\p{L}[\p{L}\p{M}]*/gu, /\p{Nd}+/gu]

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
export const createMonthLanguages = () => {
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
    note: (text: string, line: number): void => {
      if (texts.size >= MOST_TEXTS || !mayBeWorded(plainSigns(text))) return
      const kind = text.replaceAll(NUMBERS, '0')
      if (texts.has(kind)) return
      texts.set(kind, { text, line })
      isClear &&= (text.match(WORD) ?? []).some((word) => monthOf(word) !== undefined)
    },
    /** Returns the language without which a name would be two months, or none; undefined if none is needed. */
    language: (): string | undefined => {
      const { doubtful, languages } = readings()
      const [language] = languages
      return doubtful.some(({ months }) => monthIn(months, language) !== monthIn(months, undefined))
        ? language
        : undefined
    },
    /** Returns why a name may be either of two months, and the flags that settle it; undefined if it is clear. */
    doubt: (format: DateFormat): string | undefined => {
      const { doubtful, languages } = readings()
      const cell = doubtful.find(({ months }) => new Set(languages.map((one) => monthIn(months, one))).size > 1)
      if (!cell) return undefined
      const formats = languages.flatMap((language) => format.inLanguage?.(language) ?? [])
      const days = formats.map((one) => readingOf(one, cell.text))
      return `${showCell(cell)} is ${days.join(' or ')}, as its month has the name of another one in another language; say which: ${dateFormatFlags(formats)}`
    },
  }
}
