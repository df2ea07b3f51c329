import { civil, type Day, dayOfCivil, weekday, formatDay } from './day.ts'

/** Names how often a KPI is measured: daily, weekly, monthly, quarterly, yearly. */
export type Frequency = 'D' | 'W' | 'M' | 'Q' | 'Y'

const FROM_FINE_TO_COARSE: readonly Frequency[] = ['D', 'W', 'M', 'Q', 'Y']

/** Tells whether one frequency has longer periods than the other. */
export const isCoarser = (one: Frequency, other: Frequency): boolean =>
  FROM_FINE_TO_COARSE.indexOf(one) > FROM_FINE_TO_COARSE.indexOf(other)

/** Tells whether a frequency is one of ours: a service of somebody else may have others, or none. */
export const isKnownFrequency = (one: Frequency): boolean => FROM_FINE_TO_COARSE.includes(one)

/** Returns this frequency and all coarser ones. */
export const asCoarseAs = (frequency: Frequency): readonly Frequency[] =>
  FROM_FINE_TO_COARSE.slice(FROM_FINE_TO_COARSE.indexOf(frequency))

/** Describes an account's settings for weeks and years. */
export type Calendar = {
  readonly week_start: 'monday' | 'sunday'
  /** Holds the month, 1-12, in which the fiscal year and its first quarter begin. */
  readonly fiscal_year_start: number
}

/** Describes weeks from Monday and years from January. */
export const CIVIL_CALENDAR: Calendar = { week_start: 'monday', fiscal_year_start: 1 }

const weekStart = (day: Day, calendar: Calendar): Day =>
  day - (calendar.week_start === 'monday' ? weekday(day) : (weekday(day) + 1) % 7)

/**
 * Returns the first day of the period of `months` months that contains a day; periods are counted from the start of the
 * fiscal year.
 */
const monthsStart = (day: Day, months: number, firstMonth: number): Day => {
  const { year, month } = civil(day)
  const since = year * 12 + (month - 1) - (firstMonth - 1)
  const start = since - (((since % months) + months) % months) + (firstMonth - 1)
  return dayOfCivil(Math.floor(start / 12), (start % 12) + 1, 1)
}

/** Counts the months of the periods that are made of months. */
export const PERIOD_MONTHS: Readonly<Record<'M' | 'Q' | 'Y', number>> = { M: 1, Q: 3, Y: 12 }

/** Returns the first day of the period that contains a day. */
export const periodStart = (frequency: Frequency, day: Day, calendar: Calendar): Day => {
  if (frequency === 'D') return day
  if (frequency === 'W') return weekStart(day, calendar)
  return monthsStart(day, PERIOD_MONTHS[frequency], calendar.fiscal_year_start)
}

/** Returns the first day of the period after the one that begins on `start`. */
export const nextPeriod = (frequency: Frequency, start: Day): Day => {
  if (frequency === 'D') return start + 1
  if (frequency === 'W') return start + 7
  const { year, month } = civil(start)
  return dayOfCivil(year, month + PERIOD_MONTHS[frequency], 1)
}

/** Returns the first day of the period before the one that begins on `start`. */
export const periodBefore = (frequency: Frequency, start: Day): Day => {
  if (frequency === 'D') return start - 1
  if (frequency === 'W') return start - 7
  const { year, month } = civil(start)
  return dayOfCivil(year, month - PERIOD_MONTHS[frequency], 1)
}

/** Returns the name of a period: `2026-10-01` for days and weeks, `2026-10`, `2026-Q4`, `2026` for longer ones. */
export const periodName = (frequency: Frequency, start: Day, calendar: Calendar): string => {
  const { year, month } = civil(start)
  if (frequency === 'D' || frequency === 'W') return formatDay(start)
  if (frequency === 'M') return formatDay(start).slice(0, 'YYYY-MM'.length)
  if (frequency === 'Y') return String(year)
  // Quarters have the year in which their fiscal year begins.
  const first = civil(periodStart('Y', start, calendar))
  return `${first.year}-Q${Math.floor((((month - first.month + 12) % 12) + 3) / 3)}`
}

/** Returns the name of a period within a sentence: `the week of 2026-11-23`, `2026-11`. */
export const periodTitle = (frequency: Frequency, start: Day, calendar: Calendar): string =>
  `${frequency === 'W' ? 'the week of ' : ''}${periodName(frequency, start, calendar)}`

/** Describes a range of days, both ends included; it is empty if `from` is after `to`. */
export type DayRange = { readonly from: Day; readonly to: Day }

/** Returns the days of all periods that begin within a range; a report of the range needs their entries. */
export const daysOfPeriodsIn = (frequency: Frequency, range: DayRange, calendar: Calendar): DayRange => {
  const first = periodStart(frequency, range.from, calendar)
  const last = periodStart(frequency, range.to, calendar)
  return {
    from: first === range.from ? first : nextPeriod(frequency, first),
    to: nextPeriod(frequency, last) - 1,
  }
}
