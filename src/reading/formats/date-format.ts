import { didYouMean } from '../../client/nearest.ts'
import {
  type Day,
  dayOfCivil,
  existingDay,
  FIRST_ENTRY_DAY,
  formatDay,
  LAST_ENTRY_DAY,
  weekday,
} from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { checkDay } from '../../domain/field-value.ts'
import { foldWord, MONTH_NAME, monthOf, plainSigns, splitWeekday } from './calendar-names.ts'
import {
  calendarWords,
  type Languages,
  mayBeWorded,
  type Meanings,
  monthIn,
  principalAmong,
  type WordedDate,
  wordedDate,
} from './worded-date.ts'

/** Caches the results of a function of a text, as files repeat few texts. */
export const memoize = <T>(read: (text: string) => T, limit = 100_000): ((text: string) => T) => {
  const known = new Map<string, T>()
  let lastText: string | undefined
  let last: T
  const find = (text: string): T => {
    const before = known.get(text)
    if (before !== undefined) return before
    if (known.size >= limit) known.clear()
    const value = read(text)
    known.set(text, value)
    return value
  }
  return (text) => {
    if (text === lastText) return last
    last = find(text)
    lastText = text
    return last
  }
}

/** Reads the date of all rows, YYYY-MM-DD. */
export const readDateCell = (text: string): Day | Fault => {
  const day = checkDay(text)
  return day instanceof Fault ? new Fault(`"${text}" ${day.message}`) : day
}

/** Describes a date format, or a format of periods by year, month, week or quarter. */
export type DateFormat = {
  /** Holds the format as in `--date-format`. */
  readonly text: string
  /**
   * Returns the day, or the first day of the period. `undefined` for another format, `null` for a date that does not
   * exist.
   */
  readonly read: (text: string) => Day | null | undefined
  /** Returns the same format for the names of months in one language; undefined if it has none. */
  readonly inLanguage?: (language: string) => DateFormat
  /** Holds the format without a language, if this one has one. */
  readonly base?: DateFormat
  /** Names the parts of a format with the name of a month, whose dates are the same in any other with these. */
  readonly order?: string
}

/** Names the parts of a format, for usage errors and help. */
export const DATE_TOKENS =
  'YYYY, YY (69-99 are 19YY), MM or M, MMM or MMMM (the name of a month; @ and a language at the end, as in MMM YYYY@pl, says of which), DD or D, WW (ISO week), E (its day, 1-7), Q (1-4), other characters as they are, letters in [brackets]; EXCEL for the serial numbers of spreadsheets, or UNIX for seconds or milliseconds since 1970; a | between several, of which each date is in one'

type Unit = 'year' | 'month' | 'day' | 'week' | 'weekday' | 'quarter'
type Token = { readonly unit: Unit; readonly isName?: boolean; readonly digits?: 2 | 4 }

const TOKENS: Readonly<Record<string, Token>> = {
  YYYY: { unit: 'year', digits: 4 },
  YY: { unit: 'year', digits: 2 },
  MMMM: { unit: 'month', isName: true },
  MMM: { unit: 'month', isName: true },
  MM: { unit: 'month' },
  M: { unit: 'month' },
  DD: { unit: 'day' },
  D: { unit: 'day' },
  WW: { unit: 'week' },
  E: { unit: 'weekday' },
  Q: { unit: 'quarter' },
}
const PART = /YYYY|YY|MMMM|MMM|MM|M|DD|D|WW|E|Q|\[[^[\]]*\]|\s+|[^A-Za-z[\]]/y
/** Lists the sets of parts that make a whole day, or a period; two years are one that ends in the next: `2025/26`. */
const KINDS = new Set([
  'day month year',
  'month year',
  'week year',
  'week weekday year',
  'quarter year',
  'year',
  'year year',
])
/** Matches midnight, which spreadsheets write after dates; entries have no other time. */
const MIDNIGHT = String.raw`(?:[T ]\s*0{1,2}:00(?::00(?:[.,]0+)?)?Z?| 12:00(?::00)? ?AM)?`

const partsOf = (text: string): string[] | undefined => {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    PART.lastIndex = at
    const [part] = PART.exec(text) ?? []
    if (part === undefined) return undefined
    parts.push(part)
    at += part.length
  }
  return parts
}

const isDigits = (part: string | undefined): boolean => part !== undefined && part in TOKENS && !TOKENS[part]?.isName

const patternOf = (parts: readonly string[], at: number): string => {
  const part = parts[at] ?? ''
  const token = TOKENS[part]
  if (token?.isName) return MONTH_NAME
  if (token?.digits) return String.raw`(\d{${token.digits}})`
  if (token?.unit === 'weekday') return '([1-7])'
  // One digit is enough where other digits do not run into it.
  const isBeside = isDigits(parts[at - 1]) || isDigits(parts[at + 1])
  if (token) return isBeside ? String.raw`(\d{${token.unit === 'quarter' ? 1 : 2}})` : String.raw`(\d{1,2})`
  if (part.trim() === '') return String.raw`\s+`
  const literal = part.startsWith('[') ? part.slice(1, -1) : part
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

const THAI = /\p{Script=Thai}/u

type FoundUnits = Partial<Record<Unit, number>>

/** Returns the Monday of an ISO week; the first week of a year is that of January 4th. */
const dayOfWeek = (year: number, week: number): Day | undefined => {
  const fourth = dayOfCivil(year, 1, 4)
  const day = fourth - weekday(fourth) + (week - 1) * 7
  // The week's Thursday lies in the year that it belongs to.
  const isThere = week >= 1 && day + 3 >= dayOfCivil(year, 1, 1) && day + 3 < dayOfCivil(year + 1, 1, 1)
  return isThere ? day : undefined
}

const dayOf = ({ year = NaN, month, day, week, weekday: ofWeek = 1, quarter }: FoundUnits): Day | null => {
  const monday = week === undefined ? undefined : dayOfWeek(year, week)
  const found =
    week === undefined
      ? existingDay(year, month ?? (quarter === undefined ? 1 : quarter * 3 - 2), day ?? 1)
      : monday && monday + ofWeek - 1
  return found !== undefined && found >= FIRST_ENTRY_DAY && found <= LAST_ENTRY_DAY ? found : null
}

/** Says which names of months are read: those of a language, of all, or only those that are known without a year. */
type MonthNames = { readonly language?: string } | 'known'

/** Returns the month with a name. */
const monthNamed = (name: string, names: MonthNames): number | undefined => {
  const known = monthOf(name)
  if (names === 'known' || (known !== undefined && names.language === undefined)) return known
  const months = calendarWords().months.get(foldWord(name))
  return months ? monthIn(months, names.language) : known
}

const numberOf = (token: Token, text: string, names: MonthNames): number | undefined => {
  if (token.isName) return monthNamed(text, names)
  const number = Number(text)
  if (token.unit !== 'year' || token.digits !== 2) return number
  return number + (number < 69 ? 2000 : 1900)
}

const EXCEL = 'EXCEL'
const EXCEL_DAY = /^(\d{1,6})(?:[.,]0+)?$/
/** Sets day 0 of serial numbers that come after the February 29th 1900 in which spreadsheets believe. */
const EXCEL_ZERO = dayOfCivil(1899, 12, 30)
const EXCEL_FIRST = 61

const excelFormat: DateFormat = {
  text: EXCEL,
  read: (text) => {
    const [, digits] = EXCEL_DAY.exec(text) ?? []
    if (digits === undefined) return undefined
    const day = EXCEL_ZERO + Number(digits)
    return Number(digits) >= EXCEL_FIRST && day <= LAST_ENTRY_DAY ? day : null
  },
}

const UNIX = 'UNIX'
/** Matches the seconds since 1970 of the years from 2001 on, or the milliseconds, perhaps with decimals of zero. */
const UNIX_TIME = /^(\d{10})(\d{3})?(?:[.,]0+)?$/
const SECONDS_A_DAY = 86_400

const unixFormat: DateFormat = {
  text: UNIX,
  read: (text) => {
    const [, seconds, milliseconds = '000'] = UNIX_TIME.exec(text) ?? []
    if (seconds === undefined) return undefined
    const day = Number(seconds) / SECONDS_A_DAY
    // Entries have no time of day, and only midnight is the same day whatever is rounded.
    return Number.isInteger(day) && milliseconds === '000' && day <= LAST_ENTRY_DAY ? day : null
  },
}

/** Tells whether a year is the one after another; of two digits it says no century. */
const isNextYear = (year: number, before: number, { digits }: Token): boolean =>
  (year - before - 1) % (digits === 2 ? 100 : 10_000) === 0

/** Returns a hint at the case of tokens: a lower-case token is often meant to be upper-case. */
const orLarge = (text: string): string => {
  const large = text.toUpperCase()
  return didYouMean(large !== text && !(dateFormat(large) instanceof Fault) ? large : undefined)
}

const unitsOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ unit }) => unit)
    .toSorted()
    .join(' ')

/** Lists the formats with names of months that are detected. */
const WORDED_FORMATS =
  'D MMM YYYY | D. MMM YYYY | D-MMM-YYYY | D.MMM.YYYY | D/MMM/YYYY | D [de] MMM [de] YYYY | YYYY-MMM-DD | ' +
  'MMM D, YYYY | MMM D YYYY | MMM YYYY | MMM-YYYY | MMM [de] YYYY | YYYY-MMM | YYYY MMM D | YYYY D MMM | YYYY MMM'

/** Bounds the texts that are remembered. */
const MOST_TEXTS = 20_000

/** Returns a date in words that is none in any format by its signs; null if it is none at all. */
const wordedByAll = memoize((text: string): WordedDate | null => {
  const formats = WORDED_FORMATS.split(' | ').map(formatOf)
  return formats.some((format) => typeof format.readSigns(text, {}) === 'number') ? null : (wordedDate(text) ?? null)
}, MOST_TEXTS)

/** Returns such a date of a text that may be one by its signs. */
const otherwiseWorded = (text: string): WordedDate | null => (mayBeWorded(text) ? wordedByAll(text) : null)

const dayOfWorded = (date: WordedDate, language: string | undefined): Day | null | undefined => {
  const month = monthIn(date.months, language)
  if (month === undefined) return undefined
  const day = dayOf({ year: date.year, month, day: date.day ?? 1 })
  const languages = date.months.get(month) ?? []
  return day !== null && !languages.some((one) => date.isOn(day, one)) ? null : day
}

/** Matches what every date has in it, and one with a month's name: most texts fail here, before a pattern is compiled. */
const DIGIT = /\d/
const WORD = /[^\d\s.,:/-]/
const LETTER = /\p{L}/u

/** Describes a format that is compiled: how dates are read by its signs, in a language or any. */
type Compiled = {
  readonly readSigns: (cell: string, names: MonthNames) => Day | null | undefined
  /** Names the parts of dates in words, which any words of a language may stand between; undefined for others. */
  readonly order: string | undefined
}

/** Returns the order of a format whose parts have blanks between them and a month with a name. */
const orderOf = (parts: readonly string[]): string | undefined => {
  const tokens = parts.flatMap((part, at) => (TOKENS[part] ? [{ ...TOKENS[part], at }] : []))
  const isApart = tokens.every(({ at }, index) => {
    const before = tokens[index - 1]?.at
    return before === undefined || parts.slice(before, at).some((part) => part.trim() === '')
  })
  const isWorded = tokens.some(({ isName }) => isName) && tokens.some(({ digits }) => digits === 4)
  return isApart && isWorded ? tokens.map(({ unit }) => unit).join(' ') : undefined
}

const compile = (parts: readonly string[]): Compiled => {
  const tokens = parts.flatMap((part) => TOKENS[part] ?? [])
  const hasDays = tokens.some(({ unit }) => unit === 'day' || unit === 'weekday')
  const isShort = tokens.some(({ digits }) => digits === 2)
  const isNamed = tokens.some(({ isName }) => isName)
  const source = `^${parts.map((_, at) => patternOf(parts, at)).join('')}${hasDays ? MIDNIGHT : ''}$`
  // Letters beyond Latin are compared as such only where a format has some, as that takes longer to compile.
  const hasLetters = isNamed || parts.some((part) => !TOKENS[part] && LETTER.test(part))
  const pattern = new RegExp(source, hasLetters ? 'iu' : 'i')
  const readPlain = (cell: string, names: MonthNames): Day | null | undefined => {
    const match = DIGIT.test(cell) && (!isNamed || WORD.test(cell)) ? pattern.exec(cell) : null
    if (!match) return undefined
    // Years of two digits beside Thai words may be of the Thai calendar.
    if (isShort && THAI.test(cell)) return null
    const found: FoundUnits = {}
    for (const [at, token] of tokens.entries()) {
      const number = numberOf(token, match[at + 1] ?? '', names)
      if (number === undefined) return undefined
      const before = token.unit === 'year' ? found.year : undefined
      if (before !== undefined && !isNextYear(number, before, token)) return null
      found[token.unit] = before ?? number
    }
    return dayOf(found)
  }
  const readSigns: Compiled['readSigns'] = (cell, names) => {
    const day = readPlain(cell, names)
    const named = day === undefined && hasDays ? splitWeekday(cell) : undefined
    if (!named) return day
    const dated = readPlain(named.date, names)
    return typeof dated === 'number' && !named.isOn(dated) ? null : dated
  }
  return { readSigns, order: orderOf(parts) }
}

const formatOf = memoize((text: string): Compiled => compile(partsOf(text) ?? []), 1000)

/** Matches a format for the words of one language. */
const IN_LANGUAGE = /^(.*)@([a-z]{2,3})$/i

/** Returns a format for the words of a language. */
const formatInLanguage = (text: string, language: string): DateFormat | Fault => {
  const format = dateFormat(text)
  if (format instanceof Fault) return format
  const code = language.toLowerCase()
  if (!format.inLanguage) return new Fault(`"${text}@${language}" has a language, and no name of a month (MMM)`)
  if (calendarWords().languages.includes(code)) return format.inLanguage(code)
  return new Fault(`"${language}" is not a language whose months are known; write its code, such as ${text}@pl`)
}

/** Stands between several formats, of which each date is in one. */
export const OR_FORMAT = '|'

/** Returns a format for dates in any of several; a text that is another date in another one is none. */
const formatOfSeveral = (text: string): DateFormat | Fault => {
  const made = text.split(OR_FORMAT).map((one) => dateFormat(one))
  const fault = made.find((one) => one instanceof Fault)
  if (fault) return fault
  const formats = made.flatMap((one) => (one instanceof Fault ? [] : [one]))
  const read = (cell: string): Day | null | undefined => {
    const days = new Set(formats.map((format) => format.read(cell)))
    const found = [...days].filter((day) => typeof day === 'number')
    if (found.length > 1) return undefined
    return found[0] ?? (days.has(null) ? null : undefined)
  }
  return { text, read }
}

/** Creates a date format from a text such as `DD.MM.YYYY`, or `YYYY-MM-DD|DD.MM.YYYY` for dates in either. */
export const dateFormat = (text: string): DateFormat | Fault => {
  if (text.includes(OR_FORMAT)) return formatOfSeveral(text)
  if (text.toUpperCase() === EXCEL) return excelFormat
  if (text.toUpperCase() === UNIX) return unixFormat
  const [, plain, language] = IN_LANGUAGE.exec(text.trim()) ?? []
  if (plain !== undefined && language !== undefined) return formatInLanguage(plain, language)
  // Cells are trimmed, so the format must be, too.
  const parts = partsOf(text.trim())
  const tokens = (parts ?? []).flatMap((part) => TOKENS[part] ?? [])
  if (!parts || !KINDS.has(unitsOf(tokens))) {
    return new Fault(
      `"${text}" is not a date format; a format is made of ${DATE_TOKENS}. Such as DD.MM.YYYY, YYYY-MM, YYYY-[W]WW${orLarge(text)}`,
    )
  }
  const { readSigns, order } = compile(parts)
  const readIn = (cell: string, of?: string): Day | null | undefined => {
    const names = of === undefined ? {} : { language: of }
    const day = readSigns(cell, names)
    if (typeof day === 'number') return day
    const seen = plainSigns(cell)
    const written = seen === cell ? day : readSigns(seen, names)
    if (order === undefined || typeof written === 'number') return written
    // In a language, a text may be another date than without.
    const date = of === undefined ? otherwiseWorded(seen) : wordedDate(seen)
    return (date?.order === order ? dayOfWorded(date, of) : undefined) ?? written
  }
  const format: DateFormat = { text, read: (cell) => readIn(cell) }
  if (!tokens.some(({ isName }) => isName)) return format
  const inLanguage = memoize(
    (of: string): DateFormat => ({ text: `${text}@${of}`, read: (cell) => readIn(cell, of), base: format }),
    1000,
  )
  return Object.assign(format, { inLanguage }, order === undefined ? {} : { order })
}

/** Returns the months that the one named in a text may be, each in other languages; undefined if there is one or none. */
export const severalMonths = (text: string): Meanings | undefined => {
  const months = otherwiseWorded(plainSigns(text))?.months
  return months && monthIn(months, undefined) === undefined ? months : undefined
}

/** Returns a language for each month that a text may name. */
export const languagesOfMonths = (months: Meanings): Languages =>
  [...months.values()].flatMap((languages) => principalAmong(languages)[0] ?? [])

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** Returns the fault of a date beside the name of another day of the week. */
export const faultOfWeekday = (text: string, format: DateFormat): string | undefined => {
  const named = splitWeekday(text)
  const day = named && format.read(named.date)
  return named && typeof day === 'number' && !named.isOn(day)
    ? `names another day of the week: ${formatDay(day)} is a ${WEEKDAYS[weekday(day)]}`
    : undefined
}

/** Returns what a text is in a format. */
export const readingOf = (format: DateFormat, text: string): string => {
  const day = format.read(text)
  if (typeof day === 'number') return `${formatDay(day)} (${format.text})`
  const fault = faultOfWeekday(text, format)
  return `no date (${format.text}${fault === undefined ? '' : `, as it ${fault}`})`
}

/** Returns the flags to choose one of several date formats. */
export const dateFormatFlags = (formats: Iterable<DateFormat>): string =>
  [...formats].map(({ text }) => `--date-format ${/[ [\]|]/.test(text) ? `"${text}"` : text}`).join(' or ')

/** Returns the format of a text that must be one. */
export const knownFormat = (text: string): DateFormat => {
  const format = dateFormat(text)
  if (format instanceof Fault) throw new TypeError(format.message)
  return format
}

/** Returns a format that reads only dates that are written by its signs, with the names of months that are known everywhere. */
export const formatBySigns = (text: string): DateFormat => ({
  text,
  read: (cell) => formatOf(text).readSigns(cell, 'known'),
})

/** Holds the date format that is assumed until a cell contradicts it. */
export const PLAIN_FORMAT = knownFormat('YYYY-MM-DD')
