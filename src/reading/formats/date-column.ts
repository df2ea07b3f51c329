import { countText, nounOf } from '../../domain/count-text.ts'
import { type Day, formatDay } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { checkDay } from '../../domain/field-value.ts'
import { plainSigns } from './calendar-names.ts'
import {
  type DateFormat,
  dateFormatFlags,
  faultOfWeekday,
  languagesOfMonths,
  OR_FORMAT,
  PLAIN_FORMAT,
  severalMonths,
} from './date-format.ts'
import { type Evidence, faultOfNoValue, Misread, showCell } from './evidence.ts'
import { createMonthLanguages, createRivals, formatsFor } from './date-doubts.ts'
import { type MeantParts, partsMeant } from './period-words.ts'
import { rareFormatsOf, whatCellIs, whatIsUnsaid } from './known-formats.ts'
import { createTimesOfDay, splitTime } from './time-of-day.ts'

/**
 * Describes a format that fits, the cell that shows it, and whether no other format fits as well and gives other days.
 */
type Proven = { readonly format: DateFormat; readonly proof: Evidence | undefined; readonly isOnly: boolean }

/** Sets how many ways to read two formats are named. */
const SHOWN_BOTH = 4

/** Sets how many texts are remembered; few files have more different dates. */
const REMEMBERED = 10_000

type ReadDate = { readonly format: DateFormat; readonly day: Day }

const readingsOf = (text: string, formats: readonly DateFormat[], language?: string): ReadDate[] =>
  formats.flatMap((format) => {
    const { read } = language === undefined ? format : (format.inLanguage?.(language) ?? format)
    const day = read(text)
    return typeof day === 'number' ? [{ format, day }] : []
  })

const isOneDay = (readings: readonly ReadDate[]): boolean => readings.every(({ day }) => day === readings[0]?.day)

const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/

/** Returns why a text is no date of a format, although it is written like one, or like a missing value. */
const faultOfWritten = (text: string, format: DateFormat): string | undefined => {
  const known = faultOfNoValue(text)
  if (known !== undefined) return known
  const day = format === PLAIN_FORMAT && PLAIN_DATE.test(text) ? checkDay(text) : undefined
  if (day instanceof Fault) return day.message
  return format.read(text) === null ? (faultOfWeekday(text, format) ?? whyNoDay(text)) : undefined
}

const [THAI, ARABIC, NUMBER] = [/\p{Script=Thai}/u, /\p{Script=Arabic}/u, /\d+/g]
/** Sets how many years the calendar of Thailand is ahead. */
const THAI_YEARS = 543

/** Returns what is said of a date of another calendar; undefined if it is none. Such dates are never converted. */
const whichCalendar = (text: string): string | undefined => {
  const seen = plainSigns(text)
  const numbers = (seen.match(NUMBER) ?? []).map((digits) => ({ digits, number: Number(digits) }))
  const yearFrom = (first: number, last: number): number | undefined =>
    numbers.find(({ number }) => number >= first && number <= last)?.number
  const thai = THAI.test(seen) ? yearFrom(1900 + THAI_YEARS, 2199 + THAI_YEARS) : undefined
  if (thai !== undefined)
    return `has a year of the Thai calendar: write the year of the Gregorian one, ${thai - THAI_YEARS}, if ${thai} is meant as such`
  if (THAI.test(seen) && numbers.every(({ digits }) => digits.length <= 2))
    return 'has a year of two digits, which may be of the Thai calendar: write it with four digits, of the Gregorian one'
  if (!ARABIC.test(seen) || yearFrom(1278, 1578) === undefined) return undefined
  return 'has a year of the Persian or the Islamic calendar: write the date by the Gregorian one, such as 2026-03-21'
}

const YEAR_IN = /(?:^|\D)(1[0-8]\d{2}|2[2-9]\d{2})(?:\D|$)/

/** Returns why a text that is written like a date is none: the years of entries are bounded. */
export const whyNoDay = (text: string): string => {
  const calendar = whichCalendar(text)
  if (calendar !== undefined) return calendar
  const year = YEAR_IN.exec(text)?.[1]
  if (year === undefined) return 'is a date that does not exist, or not in the years 1900 to 2199'
  return `is ${Number(year) < 1900 ? 'before 1900' : 'after 2199'}: the service keeps entries of the years 1900 to 2199`
}

/** Returns how a text is written, if not in the format of the column. */
const whatIsOther = (text: string, format: DateFormat): string => {
  if (splitTime(text)) return 'has a time of day; entries have only dates: --time drop leaves it out'
  const calendar = whichCalendar(text)
  if (calendar !== undefined) return calendar
  const months = severalMonths(text)
  const { inLanguage } = format.base ?? format
  if (months && inLanguage)
    return `names a month that is another one in another language; say which: ${dateFormatFlags(languagesOfMonths(months).map(inLanguage))}`
  // No flag is named: it would read this cell, and reject all those that are in the format of the column.
  const looks = whatCellIs(text, format)
  return looks === undefined ? `must be a date, ${format.text}` : `${looks}; write it as ${format.text}`
}

/** Returns why a text is no date of a format. */
const faultOfDate = (text: string, format: DateFormat): Fault => {
  const written = faultOfWritten(text, format)
  return written === undefined
    ? new Misread(`"${text}" ${whatIsOther(text, format)}`)
    : new Fault(`"${text}" ${written}`)
}

/** Tells whether a format is for years or quarters, which may begin elsewhere in an account's fiscal year. */
const isOfYear = ({ text }: DateFormat): boolean => !/[MDW]|EXCEL|UNIX/.test(text.replaceAll(/\[[^[\]]*\]/g, ''))

const tellReadings = (readings: readonly ReadDate[]): string =>
  readings.map(({ format, day }) => `${formatDay(day)} (${format.text})`).join(' or ')

/** Says where the format of a column comes from: a flag, a survey of all cells, or an assumption that cells may refute. */
type FormatBasis = 'given' | 'surveyed' | 'assumed'

/** Counts the dates that are in each format, and all of them. */
const createTally = () => {
  const counts = new Map<DateFormat, number>()
  let total = 0
  const countIn = (format: DateFormat): number => counts.get(format) ?? 0
  return {
    add: (fitting: readonly DateFormat[]): void => {
      if (fitting.length > 0) total += 1
      for (const format of fitting) counts.set(format, countIn(format) + 1)
    },
    /** Returns those of some formats that most dates are in, if those are at least half of all. */
    most: (formats: readonly DateFormat[]): DateFormat[] => {
      const best = Math.max(...formats.map(countIn))
      return best * 2 >= total ? formats.filter((format) => countIn(format) === best) : []
    },
    countIn,
    shareOf: (format: DateFormat): string => `${countText(countIn(format))} of ${countText(total)} dates`,
    isMost: (format: DateFormat): boolean => countIn(format) * 2 > total,
    isAll: (format: DateFormat): boolean => countIn(format) === total,
  }
}

/** Says what completes dates without a year: the year that the user gave, or how to give it. */
export type YearOfDates = {
  readonly complete?: ((text: string) => string | undefined) | undefined
  readonly isPart: (text: string) => boolean
  readonly flags: string
}

/** Describes how the dates of a column are read besides their format. */
type DateReading = {
  readonly times?: ReturnType<typeof createTimesOfDay>
  readonly meant?: MeantParts | undefined
  readonly year?: YearOfDates | undefined
}

/** Creates a column that is read in a format. */
export const createDateColumn = (
  name: string,
  format: DateFormat,
  basis: FormatBasis,
  { times = createTimesOfDay(name, undefined), meant = partsMeant(name), year }: DateReading = {},
) => {
  const isGiven = basis === 'given'
  const known = formatsFor(meant)
  // Formats are told apart without their language, which the names of all cells say.
  const base = format.base ?? format
  const ownLanguage = format.base && format.text.slice(format.base.text.length + 1)
  const months = basis === 'assumed' ? createMonthLanguages() : undefined
  let left: readonly DateFormat[] = isGiven ? [base] : known
  let proof: Evidence | undefined
  // Holds the first cell that no format shares with all other cells, and the formats that fit all such cells.
  let conflict: { readonly cell: Evidence; readonly formats: readonly DateFormat[] } | undefined
  // Holds the formats that texts fit.
  const noted = new Map<string, readonly DateFormat[]>()
  const tally = createTally()
  const rivals = createRivals(meant)
  let unsaid: Evidence | undefined
  const rare = new Set<DateFormat>()
  let first: Evidence | undefined
  // Holds the first cell that is a part of a year.
  let part: Evidence | undefined
  // Holds the first cells that are different days in different formats: one for each set of formats that differ.
  const doubtful = new Map<string, Evidence>()

  /** Reads a text in formats: where it names a month of two languages, in one of these, as all have the same shape. */
  const readingsIn = (text: string, formats: readonly DateFormat[]): ReadDate[] => {
    const readings = readingsOf(text, formats, ownLanguage)
    const several = readings.length === 0 ? severalMonths(text) : undefined
    return several ? readingsOf(text, formats, languagesOfMonths(several)[0]) : readings
  }
  const narrow = (readings: readonly ReadDate[], text: string, line: number): void => {
    if (!isOneDay(readings)) {
      const kind = readings.map((one) => one.format.text).join('|')
      if (!doubtful.has(kind)) doubtful.set(kind, { text, line })
    }
    const kept = left.filter((one) => readings.some((reading) => reading.format === one))
    if (kept.length === 0)
      noteConflict(
        readings.map(({ format: one }) => one),
        { text, line },
      )
    else if (kept.length < left.length) [left, proof] = [kept, { text, line }]
  }
  const noteConflict = (fitting: readonly DateFormat[], cell: Evidence): void => {
    const common = conflict?.formats.filter((one) => fitting.includes(one)) ?? fitting
    if (common.length > 0) conflict = { cell: conflict?.cell ?? cell, formats: common }
  }
  /** Keeps the formats in which a text is written like a date, although it is none, such as one before 1900. */
  const narrowByShape = (text: string, line: number): void => {
    const kept = left.filter((one) => one.read(text) === null)
    if (kept.length > 0 && kept.length < left.length) [left, proof] = [kept, { text, line }]
  }
  let usesYear = false
  /** Returns the date in a cell: with the year that the user gave, without the time of day. */
  const dateIn = (cell: string, line: number): string => {
    // Drop the apostrophe with which spreadsheets keep a text as it is.
    const text = times.dateOf(cell.startsWith("'") ? cell.slice(1) : cell, line)
    const whole = year?.complete?.(text)
    usesYear ||= whole !== undefined
    return whole ?? text
  }
  const note = (text: string, line: number): void => noteDate(dateIn(text, line), line)
  const noteDate = (text: string, line: number): void => {
    if (isGiven) return
    // A text shows nothing new the second time, and most files repeat few dates many times.
    const before = noted.get(text)
    const fitting = before ?? noteNew(text, line)
    tally.add(fitting)
    if (before) return
    if (noted.size >= REMEMBERED) noted.clear()
    noted.set(text, fitting)
  }
  /** Notes a part of a year that nothing completes. */
  const notePart = (text: string, line: number): void => {
    if (part === undefined && year?.complete === undefined && year?.isPart(text) === true) part = { text, line }
  }
  /** Notes a text for the first time, and returns the formats that it fits. */
  const noteNew = (text: string, line: number): readonly DateFormat[] => {
    rivals.note(text, line)
    months?.note(text, line)
    const readings = readingsIn(text, known)
    if (readings.length > 0) {
      narrow(readings, text, line)
      return readings.map((reading) => reading.format)
    }
    narrowByShape(text, line)
    notePart(text, line)
    return noteUnsaid(text, line)
  }
  /** Notes a text that may be a date in formats that are never assumed, and returns these. */
  const noteUnsaid = (text: string, line: number): readonly DateFormat[] => {
    const fitting = rareFormatsOf(text, meant)
    if (fitting.length === 0) return fitting
    unsaid ??= { text, line }
    for (const one of fitting) rare.add(one)
    return fitting
  }
  /** Returns why dates are in doubt that most cells have in formats that are never assumed. */
  const unsaidDoubt = (): string | undefined => {
    const most = tally.most([...rare])
    const [first] = most
    if (!unsaid || !first || !tally.isMost(first) || known.some((one) => tally.countIn(one) >= tally.countIn(first)))
      return undefined
    const lacks = whatIsUnsaid(most)
    const like = tally.isAll(first) ? '' : `, as ${tally.shareOf(first)},`
    return lacks === undefined ? undefined : `${showCell(unsaid)}${like} ${lacks}`
  }
  /** Returns the formats that read the dates of two kinds, of which none may be one of the other kind. */
  const bothFormats = (one: Evidence, other: Evidence, others: readonly DateFormat[]): DateFormat[] =>
    left.flatMap((format) =>
      others
        .filter((second) => format.read(other.text) === undefined && second.read(one.text) === undefined)
        .map((second) => ({ ...format, text: `${format.text}${OR_FORMAT}${second.text}` })),
    )
  /** Returns what becomes of dates in several formats: of one alone, only a flag that reads at least half of them is named. */
  const waysOf = (formats: readonly DateFormat[], both: readonly DateFormat[]): string => {
    const most = tally.most(formats)
    const [first] = most
    const reads = both.length === 0 ? '' : `${dateFormatFlags(both.slice(0, SHOWN_BOTH))} reads both`
    if (!first) return reads || 'write all of them in one format'
    return `${reads === '' ? '' : `${reads}; `}${tally.shareOf(first)} ${nounOf(tally.countIn(first), 'is', 'are')} ${most.map(({ text }) => text).join(' or ')}; rows in other formats are rejected with ${dateFormatFlags(most)}`
  }
  const rivalDoubt = (): string | undefined => (isGiven ? undefined : rivals.doubt(left))
  const monthDoubt = (): string | undefined => (left[0] ? months?.doubt(left[0]) : undefined)
  /** Returns how to say of which year dates are, if none of them has one. */
  const yearDoubt = (): string | undefined =>
    part && year && !year.complete && (isGiven ? first === undefined : left.length === known.length)
      ? `${showCell(part)} names no year${year.flags}`
      : undefined
  /** Returns why the format may be another one. */
  const formatDoubt = (): string | undefined => {
    const [lacks, lacksYear] = [unsaidDoubt(), yearDoubt()]
    if (lacks !== undefined && lacksYear !== undefined) return `${lacks}; or ${lacksYear}`
    if (lacks !== undefined || lacksYear !== undefined) return lacks ?? lacksYear
    const cell = doubtfulCell()
    if (conflict && proof) {
      const formats = [...left.slice(0, cell ? undefined : 1), ...conflict.formats]
      return `has dates in several formats: ${showCell(proof)} (${left[0]?.text}), ${showCell(conflict.cell)} (${conflict.formats.map(({ text }) => text).join(' or ')}); ${waysOf(formats, bothFormats(proof, conflict.cell, conflict.formats))}`
    }
    if (!cell) return rivalDoubt() ?? monthDoubt()
    return `${showCell(cell)} is ${tellReadings(readingsIn(cell.text, left))}, and every other cell fits both; say which: ${dateFormatFlags(left)}`
  }
  const doubtfulCell = (): Evidence | undefined => {
    if (left.length === known.length || left.length < 2) return undefined
    return [...doubtful.values()].find(({ text }) => !isOneDay(readingsIn(text, left)))
  }
  return {
    name,
    /** Holds the format in which its dates are read. */
    format,
    /** Records what a cell shows, without reading it. */
    note,
    read: (cell: string, line: number): Day | Fault => {
      const text = dateIn(cell, line)
      const day = format.read(text)
      const isKnown = typeof day === 'number' && left.length === 1 && left[0] === base
      if (!isKnown) noteDate(text, line)
      else if (!isGiven) rivals.note(text, line)
      if (typeof day === 'number') {
        first ??= { text, line }
        return day + times.daysAfter(cell)
      }
      if (isGiven) notePart(text, line)
      return year !== undefined && part?.text === text
        ? new Misread(`"${text}" names no year${year.flags}`)
        : faultOfDate(text, format)
    },
    /** Returns the format that is given or proven by cells, with the cell that proves it. */
    proven: (): Proven | undefined => {
      const [only] = left
      if (isGiven) return { format, proof, isOnly: true }
      const isSettled = !conflict && left.length < known.length && !doubtfulCell() && !rivalDoubt() && !monthDoubt()
      if (!only || !isSettled) return undefined
      const language = ownLanguage ?? months?.language()
      const settled = language === undefined ? only : (only.inLanguage?.(language) ?? only)
      // Formats of words in one order read the same days.
      const isOnly = left.every((one) => one === only || (only.order !== undefined && one.order === only.order))
      return { format: settled, proof, isOnly }
    },
    /** Returns a format that fits the cells, though others may fit as well; undefined if cells show nothing. */
    likely: (): DateFormat | undefined => (left.length < known.length ? left[0] : undefined),
    /** Returns remarks on a column that can be read: an account may begin its year in another month. */
    remarks: (): string[] => [
      ...times.remarks(),
      ...(first && isOfYear(format)
        ? [
            `${name}: ${showCell(first)} is taken as ${tellReadings(readingsOf(first.text, [format]))}, by the calendar year; if the fiscal year of the account begins in another month, write days instead`,
          ]
        : []),
    ],
    /** Tells whether a date had no year but the one that the user gave. */
    usesYear: (): boolean => usesYear,
    isRefuted: (): boolean =>
      !left.includes(base) ||
      conflict !== undefined ||
      yearDoubt() !== undefined ||
      times.isFound() ||
      (basis === 'assumed' && unsaid !== undefined),
    /** Returns all questions about how to read the column; empty if it is clear. */
    doubts: (): readonly string[] =>
      [times.doubt((text) => left[0]?.read(text)), formatDoubt()].filter((one) => one !== undefined),
  }
}
export type DateColumn = ReturnType<typeof createDateColumn>
