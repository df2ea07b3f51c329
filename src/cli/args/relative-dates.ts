import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../client/client.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import { civil, type Day, dayOfCivil, FIRST_QUERY_DAY, formatDay, LAST_ENTRY_DAY, parseDay } from '../../domain/day.ts'
import { type Calendar, CIVIL_CALENDAR, type DayRange, nextPeriod, periodStart } from '../../domain/period.ts'
import type { Cli } from '../cli.ts'
import { UsageError } from '../exit.ts'
import { shellWord } from '../output/text.ts'

/** Describes what relative days count from: the user's current day, and when weeks and years begin. */
type Counting = { readonly today: Day; readonly calendar: Calendar }

const DATE = /^\d{4}-\d{2}-\d{2}$/
const UNITS = { week: 'W', month: 'M', quarter: 'Q', year: 'Y' } as const

const periodAround = (unit: keyof typeof UNITS, day: Day, calendar: Calendar): DayRange => {
  const from = periodStart(UNITS[unit], day, calendar)
  return { from, to: nextPeriod(UNITS[unit], from) - 1 }
}

const isUnit = (text: string | undefined): text is keyof typeof UNITS =>
  text !== undefined && Object.hasOwn(UNITS, text)

/** Returns the day so many days, weeks, months or years before another. */
const before = (day: Day, count: number, unit: string): Day => {
  if (unit === 'd' || unit === 'w') return day - count * (unit === 'w' ? 7 : 1)
  const { year, month, day: ofMonth } = civil(day)
  const first = dayOfCivil(year, month - count * (unit === 'y' ? 12 : 1), 1)
  return Math.min(first + ofMonth - 1, nextPeriod('M', first) - 1)
}

const ISO_WEEK = /^(\d{4})-W(\d{2})$/
const QUARTER = /^(\d{4})-Q([1-4])$/
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/
const YEAR = /^\d{4}$/

const isoWeek = (year: number, week: number): DayRange | undefined => {
  // The fourth of January lies in the first week, wherever that begins.
  const from = periodStart('W', dayOfCivil(year, 1, 4), CIVIL_CALENDAR) + (week - 1) * 7
  const isOfYear = week >= 1 && civil(from + 3).year === year
  return isOfYear ? { from, to: from + 6 } : undefined
}

/**
 * Returns the days of a numbered period of the civil calendar, whatever the account's weeks and years: `2026-10`,
 * `2026-Q3`, `2026-W07`, `2026`.
 */
const namedPeriod = (word: string): DayRange | undefined => {
  const [, weekYear, week] = ISO_WEEK.exec(word) ?? []
  if (week !== undefined) return isoWeek(Number(weekYear), Number(week))
  const [, quarterYear, quarter] = QUARTER.exec(word) ?? []
  if (quarter !== undefined)
    return periodAround('quarter', dayOfCivil(Number(quarterYear), Number(quarter) * 3, 1), CIVIL_CALENDAR)
  const [, year, month] = MONTH.exec(word) ?? []
  if (month !== undefined) return periodAround('month', dayOfCivil(Number(year), Number(month), 1), CIVIL_CALENDAR)
  return YEAR.test(word) ? periodAround('year', dayOfCivil(Number(word), 1, 1), CIVIL_CALENDAR) : undefined
}

/**
 * Returns the days that a word stands for: a date, `today`, `yesterday`, `-7d` (w, m, y), `this-week`, `last month` and the
 * like, `ytd`, or a period by its number.
 */
const parseRelativeDays = (word: string, { today, calendar }: Counting): DayRange => {
  const day = parseDay(word)
  if (day !== undefined) return { from: day, to: day }
  const period = namedPeriod(word)
  if (period) return period
  if (word === 'ytd') return { from: periodStart('Y', today, calendar), to: today }
  if (word === 'today') return { from: today, to: today }
  if (word === 'yesterday') return { from: today - 1, to: today - 1 }
  const [, count, step] = /^-(\d{1,5})([dwmy])$/.exec(word) ?? []
  if (count !== undefined && step !== undefined) {
    const then = before(today, Number(count), step)
    return { from: then, to: then }
  }
  const [, which, unit] = /^(this|last)[- ](\w+)$/.exec(word) ?? []
  if (!isUnit(unit)) {
    throw new UsageError(
      `"${word}" is ${DATE.test(word) ? 'a date that does not exist' : 'not a date'}; write YYYY-MM-DD, today, yesterday, -7d, this-week, last-month, this-quarter, last-year, ytd, 2026-10, 2026-Q3 or 2026-W07`,
    )
  }
  const current = periodAround(unit, today, calendar)
  return which === 'this' ? current : periodAround(unit, current.from - 1, calendar)
}

/** Returns a word for a single day, such as `yesterday`, as a date; any other text as it is. */
export const parseRelativeDate = (word: string, today: Day): string => {
  if (!/^(today|yesterday|-\d{1,5}[dwmy])$/.test(word)) return word
  return formatDay(parseRelativeDays(word, { today, calendar: CIVIL_CALENDAR }).from)
}

/** Returns the range from the first day of one word to the last day of another. */
export const parseRelativeRange = (from: string, to: string, counting: Counting): DayRange => {
  const range = { from: parseRelativeDays(from, counting).from, to: parseRelativeDays(to, counting).to }
  if (range.from < FIRST_QUERY_DAY || range.to > LAST_ENTRY_DAY) {
    throw new UsageError(`--from ${from} --to ${to} leaves the years 1899 to 2199`)
  }
  if (range.from > range.to) throw new UsageError(`--from ${from} is after --to ${to}`)
  return range
}

/** Returns a range of days as people read it. */
export const daysOf = ({ from, to }: DayRange): string => `${formatDay(from)} to ${formatDay(to)}`

/** Tells whether the line names a day of its range itself. */
export const isRangeGiven = (command: CommandUnknownOpts): boolean =>
  ['from', 'to'].some((name) => command.getOptionValueSource(name) === 'cli')

/** Notes which days were meant, where a word was given for one; that a range ends today needs no note. */
export const tellDays = async (
  { note }: Pick<Cli, 'note'>,
  { from, to }: { readonly from: string; readonly to: string },
  range: DayRange,
): Promise<void> => {
  if (DATE.test(from) && (DATE.test(to) || to === 'today')) return
  const words = from === to ? `--from ${shellWord(from)}` : `--from ${shellWord(from)} --to ${shellWord(to)}`
  await note(`${words} is ${daysOf(range)}`)
}

/** Matches words whose days depend on when weeks and years begin. */
const OF_CALENDAR = /^(?:ytd|(?:this|last)[- ](?:week|quarter|year))$/

/**
 * Reads `--from` and `--to`. Unknown words are refused at once; the range is worked out once the account's week start
 * and fiscal year are known, which are asked for only where a word depends on them.
 */
export const readRange = (
  { from, to }: Readonly<Record<string, unknown>>,
  today: Day,
): ((client: Client) => Promise<DayRange>) => {
  const words = [String(from), String(to)] as const
  for (const word of words) parseRelativeDays(word, { today, calendar: CIVIL_CALENDAR })
  return async (client) => {
    const calendar = words.some((word) => OF_CALENDAR.test(word)) ? await readCalendar(client) : CIVIL_CALENDAR
    return parseRelativeRange(...words, { today, calendar })
  }
}
