import { didYouMean, nearest } from '../../client/nearest.ts'
import { civil, type Day, dayOfCivil, formatDay, parseDay } from '../../domain/day.ts'
import { type Calendar, CIVIL_CALENDAR, type DayRange, nextPeriod, periodStart } from '../../domain/period.ts'
import { UsageError } from '../exit.ts'

/** Describes what relative days count from: the user's current day, and when weeks and years begin. */
export type Counting = { readonly today: Day; readonly calendar: Calendar }

/** Describes the days that a word stands for; those of a period are its own, one after another. */
type WordDays = DayRange & { readonly isPeriod: boolean }

const UNITS = { week: 'W', month: 'M', quarter: 'Q', year: 'Y' } as const
type Unit = keyof typeof UNITS

const isUnit = (text: string | undefined): text is Unit => text !== undefined && Object.hasOwn(UNITS, text)

const periodAround = (unit: Unit, day: Day, calendar: Calendar): DayRange => {
  const from = periodStart(UNITS[unit], day, calendar)
  return { from, to: nextPeriod(UNITS[unit], from) - 1 }
}

/** Returns a word in the one way that it is looked up: without case, and with a hyphen between its parts. */
const folded = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-')

/** Returns the day so many days, weeks, months or years before another. */
const before = (day: Day, count: number, unit: string): Day => {
  if (unit === 'd' || unit === 'w') return day - count * (unit === 'w' ? 7 : 1)
  const { year, month, day: ofMonth } = civil(day)
  const first = dayOfCivil(year, month - count * (unit === 'y' ? 12 : 1), 1)
  return Math.min(first + ofMonth - 1, nextPeriod('M', first) - 1)
}

const WEEK = /^(\d{4})-w(\d{2})$/
const QUARTER = /^(\d{4})-q([1-4])$/
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/
const YEAR = /^\d{4}$/

/** Returns the week of the account that has most days of a week of ISO 8601: it begins on its Monday, or on the Sunday before. */
const numberedWeek = (year: number, week: number, calendar: Calendar): DayRange | undefined => {
  // The fourth of January lies in the first week.
  const monday = periodStart('W', dayOfCivil(year, 1, 4), CIVIL_CALENDAR) + (week - 1) * 7
  const isOfYear = week >= 1 && civil(monday + 3).year === year
  return isOfYear ? periodAround('week', monday, calendar) : undefined
}

/** Returns a period by its number, as reports name it: a fiscal year has the number of the year in which it begins. */
const numberedPeriod = (word: string, calendar: Calendar): DayRange | undefined => {
  const [, weekYear, week] = WEEK.exec(word) ?? []
  if (week !== undefined) return numberedWeek(Number(weekYear), Number(week), calendar)
  const [, year, month] = MONTH.exec(word) ?? []
  if (month !== undefined) return periodAround('month', dayOfCivil(Number(year), Number(month), 1), calendar)
  const first = calendar.fiscal_year_start
  const [, quarterYear, quarter] = QUARTER.exec(word) ?? []
  if (quarter !== undefined)
    return periodAround('quarter', dayOfCivil(Number(quarterYear), first + Number(quarter) * 3 - 3, 1), calendar)
  return YEAR.test(word) ? periodAround('year', dayOfCivil(Number(word), first, 1), calendar) : undefined
}

/** Returns the days of `this-week`, `last-month` and the like. */
const periodBeside = (word: string, { today, calendar }: Counting): DayRange | undefined => {
  const [, which, unit] = /^(this|last)-([a-z]+)$/.exec(word) ?? []
  if (!isUnit(unit)) return undefined
  const current = periodAround(unit, today, calendar)
  return which === 'this' ? current : periodAround(unit, current.from - 1, calendar)
}

/** Returns the day of `today`, `yesterday` or `-7d` (w, m, y). */
const singleDay = (word: string, today: Day): Day | undefined => {
  if (word === 'today') return today
  if (word === 'yesterday') return today - 1
  const [, count, unit] = /^-(\d{1,5})([dwmy])$/.exec(word) ?? []
  return count !== undefined && unit !== undefined ? before(today, Number(count), unit) : undefined
}

/** Lists the words for days and periods. */
export const RELATIVE_WORDS = [
  'today',
  'yesterday',
  'ytd',
  ...Object.keys(UNITS).flatMap((unit) => [`this-${unit}`, `last-${unit}`]),
]

/** Returns the word that was probably meant: `-7d` for `last 7 days`, `last-month` for `lst-month`. */
const suggestionFor = (word: string): string => {
  const [, count, unit] = /^(?:last-|past-)?(\d{1,5})-?(d|w|m|y)(?:ays?|eeks?|onths?|ears?)?(?:-ago)?$/.exec(word) ?? []
  return didYouMean(count === undefined ? nearest(word, RELATIVE_WORDS) : `-${count}${unit}`, ';')
}

/** Says that a word stands for no days, and what it may be. */
const notDays = (word: string): string => {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(word.trim())
  return `"${word}" is ${isDate ? 'a date that does not exist' : 'not a date'}${suggestionFor(folded(word))} write YYYY-MM-DD, today, yesterday, -7d, this-week, last-month, this-quarter, last-year, ytd, 2026-10, 2026-Q3 or 2026-W07`
}

/** Returns the days that a word stands for; undefined if it is no such word. */
const wordDays = (word: string, counting: Counting): WordDays | undefined => {
  const text = folded(word)
  const day = parseDay(word.trim()) ?? singleDay(text, counting.today)
  if (day !== undefined) return { from: day, to: day, isPeriod: false }
  if (text === 'ytd') {
    return { from: periodStart('Y', counting.today, counting.calendar), to: counting.today, isPeriod: true }
  }
  const period = numberedPeriod(text, counting.calendar) ?? periodBeside(text, counting)
  return period && { ...period, isPeriod: true }
}

/** Returns why a word stands for no days; undefined if it does, or is written as a date, which its field judges. */
export const faultOfDays = (word: string): string | undefined => {
  const isWord = !/^(?:\d{4}-\d{2}-\d{2}|$)/.test(word.trim())
  return !isWord || wordDays(word, { today: 0, calendar: CIVIL_CALENDAR }) ? undefined : notDays(word)
}

/** Tells whether a word stands for a period, and not for a day. */
export const isPeriodWord = (word: string): boolean =>
  wordDays(word, { today: 0, calendar: CIVIL_CALENDAR })?.isPeriod === true

/**
 * Returns the days that a word stands for: a date, `today`, `yesterday`, `-7d` (w, m, y), `this-week`, `last month` and the
 * like, `ytd`, or a period by its number. Case, blanks around it, and what separates its parts do not matter.
 */
export const parseRelativeDays = (word: string, counting: Counting): WordDays => {
  const days = wordDays(word, counting)
  if (!days) throw new UsageError(notDays(word))
  return days
}

/** Tells whether the days of a word depend on when weeks and years begin. */
export const dependsOnCalendar = (word: string): boolean =>
  /^(?:ytd|(?:this|last)-(?:week|quarter|year)|\d{4}(?:-[wq]\d+)?)$/.test(folded(word))

/** Tells whether a text names a day as it is, so that nobody has to be told which day was meant. */
export const isPlainDate = (word: string): boolean => parseDay(word.trim()) !== undefined

/** Returns a word for a single day, such as `yesterday`, as a date; any other text as it is. */
export const parseRelativeDate = (word: string, today: Day): string => {
  const day = singleDay(folded(word), today)
  return day === undefined ? word : formatDay(day)
}
