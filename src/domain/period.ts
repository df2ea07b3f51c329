import { civil, type Day, dayOfCivil, weekday } from './day.ts'

/** How often a KPI is measured: daily, weekly, monthly, quarterly, yearly. */
export type Frequency = 'D' | 'W' | 'M' | 'Q' | 'Y'

const FROM_FINE_TO_COARSE: readonly Frequency[] = ['D', 'W', 'M', 'Q', 'Y']

/** Whether periods of the one frequency are longer than those of the other. */
export const isCoarser = (one: Frequency, other: Frequency): boolean =>
  FROM_FINE_TO_COARSE.indexOf(one) > FROM_FINE_TO_COARSE.indexOf(other)

/** The frequencies that are as coarse as this one or coarser. */
export const asCoarseAs = (frequency: Frequency): readonly Frequency[] =>
  FROM_FINE_TO_COARSE.slice(FROM_FINE_TO_COARSE.indexOf(frequency))

/** What an account has set about its weeks and years. */
export type Calendar = {
  readonly week_start: 'monday' | 'sunday'
  /** The month, 1-12, in which the fiscal year and so its first quarter begin. */
  readonly fiscal_year_start: number
}

/** Weeks and years as most people count them. */
export const CIVIL_CALENDAR: Calendar = { week_start: 'monday', fiscal_year_start: 1 }

const weekStart = (day: Day, calendar: Calendar): Day =>
  day - (calendar.week_start === 'monday' ? weekday(day) : (weekday(day) + 1) % 7)

/** The first day of the span of `months` months, counted from the fiscal year's start, that the day falls in. */
const monthsStart = (day: Day, months: number, firstMonth: number): Day => {
  const { year, month } = civil(day)
  const since = year * 12 + (month - 1) - (firstMonth - 1)
  const start = since - (((since % months) + months) % months) + (firstMonth - 1)
  return dayOfCivil(Math.floor(start / 12), (start % 12) + 1, 1)
}

const MONTHS: Record<'M' | 'Q' | 'Y', number> = { M: 1, Q: 3, Y: 12 }

/** The first day of the period that the day falls in. */
export const periodStart = (frequency: Frequency, day: Day, calendar: Calendar): Day => {
  if (frequency === 'D') return day
  if (frequency === 'W') return weekStart(day, calendar)
  return monthsStart(day, MONTHS[frequency], calendar.fiscal_year_start)
}

/** The first day of the period after the one that begins on `start`. */
export const nextPeriod = (frequency: Frequency, start: Day): Day => {
  if (frequency === 'D') return start + 1
  if (frequency === 'W') return start + 7
  const { year, month } = civil(start)
  return dayOfCivil(year, month + MONTHS[frequency], 1)
}

/** A run of days, both ends included; empty when `from` is after `to`. */
export type DayRange = { readonly from: Day; readonly to: Day }

/** The days of all periods that begin within the range. A report of the range is made from the entries of these days. */
export const daysOfPeriodsIn = (frequency: Frequency, range: DayRange, calendar: Calendar): DayRange => {
  const first = periodStart(frequency, range.from, calendar)
  const last = periodStart(frequency, range.to, calendar)
  return {
    from: first === range.from ? first : nextPeriod(frequency, first),
    to: nextPeriod(frequency, last) - 1,
  }
}
