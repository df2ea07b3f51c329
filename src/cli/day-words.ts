import {
  civil,
  type Day,
  dayOfCivil,
  dayOfInstant,
  FIRST_QUERY_DAY,
  formatDay,
  LAST_ENTRY_DAY,
  parseDay,
} from '../domain/day.ts'
import { type Calendar, type DayRange, nextPeriod, periodStart } from '../domain/period.ts'
import { UsageError } from './exit.ts'

const CALENDAR: Calendar = { week_start: 'monday', fiscal_year_start: 1 }
const DATE = /^\d{4}-\d{2}-\d{2}$/
const UNITS = { week: 'W', month: 'M', quarter: 'Q', year: 'Y' } as const

const periodAround = (unit: keyof typeof UNITS, day: Day): DayRange => {
  const from = periodStart(UNITS[unit], day, CALENDAR)
  return { from, to: nextPeriod(UNITS[unit], from) - 1 }
}

const isUnit = (text: string | undefined): text is keyof typeof UNITS =>
  text !== undefined && Object.hasOwn(UNITS, text)

/** Today, in UTC, as the service counts days. */
export const todayAt = (nowMs: number): Day => dayOfInstant(Math.floor(nowMs / 1000))

/** So many days, weeks, months or years before a day. */
const before = (day: Day, count: number, unit: string): Day => {
  if (unit === 'd' || unit === 'w') return day - count * (unit === 'w' ? 7 : 1)
  const { year, month, day: ofMonth } = civil(day)
  const first = dayOfCivil(year, month - count * (unit === 'y' ? 12 : 1), 1)
  return Math.min(first + ofMonth - 1, nextPeriod('M', first) - 1)
}

/** The days that a word stands for: a date, `today`, `yesterday`, `-7d` (w, m, y), `this-week`, `last-month` and the like. */
export const daysOfWord = (word: string, today: Day): DayRange => {
  const day = parseDay(word)
  if (day !== undefined) return { from: day, to: day }
  if (word === 'today') return { from: today, to: today }
  if (word === 'yesterday') return { from: today - 1, to: today - 1 }
  const [, count, step] = /^-(\d{1,5})([dwmy])$/.exec(word) ?? []
  if (count !== undefined && step !== undefined) {
    const then = before(today, Number(count), step)
    return { from: then, to: then }
  }
  const [, which, unit] = /^(this|last)-(\w+)$/.exec(word) ?? []
  if (!isUnit(unit)) {
    throw new UsageError(
      `"${word}" is ${DATE.test(word) ? 'a date that does not exist' : 'not a date'}; write YYYY-MM-DD, today, yesterday, -7d, this-week, last-month, this-quarter or last-year`,
    )
  }
  const current = periodAround(unit, today)
  return which === 'this' ? current : periodAround(unit, current.from - 1)
}

/** A word for a single day, such as `yesterday`, as a date; any other text as it is, for whoever reads dates. */
export const dateOfWord = (word: string, today: Day): string => {
  if (!/^(today|yesterday|-\d{1,5}[dwmy])$/.test(word)) return word
  return formatDay(daysOfWord(word, today).from)
}

/** The range from the first day of one word to the last day of another. */
export const rangeOfWords = (from: string, to: string, today: Day): DayRange => {
  const range = { from: daysOfWord(from, today).from, to: daysOfWord(to, today).to }
  if (range.from < FIRST_QUERY_DAY || range.to > LAST_ENTRY_DAY) {
    throw new UsageError(`--from ${from} --to ${to} leaves the years 1899 to 2199`)
  }
  if (range.from > range.to) throw new UsageError(`--from ${from} is after --to ${to}`)
  return range
}
