import { civil, type Day } from '../domain/day.ts'
import { type Frequency, nextPeriod } from '../domain/period.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const monthOf = (day: Day): string => MONTHS[civil(day).month - 1] ?? ''

const monthAndYear = (day: Day): string => `${monthOf(day)} ${civil(day).year}`

/** Returns a day as people write it: `24 Nov 2026`. */
const dayLabel = (day: Day): string => `${civil(day).day} ${monthAndYear(day)}`

const span = (first: Day, last: Day): string =>
  civil(first).year === civil(last).year
    ? `${monthOf(first)}–${monthAndYear(last)}`
    : `${monthAndYear(first)}–${monthAndYear(last)}`

/** Returns the name of the period that begins on a day. Quarters and years are named by their months. */
export const periodLabel = (frequency: Frequency, start: Day): string => {
  const last = nextPeriod(frequency, start) - 1
  switch (frequency) {
    case 'D':
      return dayLabel(start)
    case 'W':
      return `Week of ${dayLabel(start)}`
    case 'M':
      return monthAndYear(start)
    case 'Q':
      return span(start, last)
    case 'Y':
      return civil(start).year === civil(last).year ? String(civil(start).year) : span(start, last)
  }
}

/** Returns the short name of a period for the axis of a chart; the year is left out where all are of one year. */
export const axisLabel = (frequency: Frequency, start: Day, isOneYear: boolean): string => {
  if (frequency === 'Y') return String(civil(start).year)
  if (frequency === 'D' || frequency === 'W') {
    return isOneYear ? `${civil(start).day} ${monthOf(start)}` : monthAndYear(start)
  }
  return isOneYear ? monthOf(start) : monthAndYear(start)
}
