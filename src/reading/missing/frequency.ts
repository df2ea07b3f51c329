import { civil, type Day, formatDay, weekday } from '../../domain/day.ts'
import { CIVIL_CALENDAR, type Frequency, nextPeriod, periodStart } from '../../domain/period.ts'

/** Describes the frequency that days show, and the evidence; several if they fit more than one. */
type FoundFrequency = { readonly fits: readonly Frequency[]; readonly why: string }

const NAMES: Readonly<Record<Frequency, string>> = {
  D: 'daily',
  W: 'weekly',
  M: 'monthly',
  Q: 'quarterly',
  Y: 'yearly',
}

/** Returns a frequency in words. */
export const frequencyName = (frequency: Frequency): string => NAMES[frequency]

/** Returns the frequency that a date format shows: one of periods has no days. */
export const frequencyOfFormat = (format: string): Frequency | undefined => {
  const tokens = format.replaceAll(/\[[^[\]]*\]/g, '')
  if (/D|EXCEL|UNIX/.test(tokens)) return undefined
  if (tokens.includes('W')) return 'W'
  if (tokens.includes('Q')) return 'Q'
  if (tokens.includes('M')) return 'M'
  return 'Y'
}

const WEEK = 7
/** Sets the least days between entries of different weeks and months: a holiday moves the day of the entry. */
const LEAST: Readonly<Record<'W' | 'M' | 'Q' | 'Y', number>> = { W: 5, M: 26, Q: 85, Y: 350 }
/** Sets how many days are needed to tell a frequency whose days vary. */
const ENOUGH = 4

const isFirst = (frequency: Frequency, day: Day): boolean => periodStart(frequency, day, CIVIL_CALENDAR) === day
const isLast = (frequency: Frequency, day: Day): boolean =>
  nextPeriod(frequency, periodStart(frequency, day, CIVIL_CALENDAR)) - 1 === day

const gapsOf = (days: readonly Day[]): number[] => days.slice(1).map((day, at) => day - (days[at] ?? day))

/** Tells whether all days are at the same end of their periods, such as the first of a month. */
const areAtEnd = (frequency: Frequency, days: readonly Day[]): 'first' | 'last' | undefined => {
  if (days.every((day) => isFirst(frequency, day))) return 'first'
  return days.every((day) => isLast(frequency, day)) ? 'last' : undefined
}

const PERIOD: Readonly<Record<'M' | 'Q' | 'Y', string>> = { M: 'month', Q: 'quarter', Y: 'year' }

/** Returns the longest of the periods of months whose ends all days are at; shorter ones then fit as well. */
const byEnds = (days: readonly Day[]): { frequency: 'M' | 'Q' | 'Y'; end: string } | undefined => {
  for (const frequency of ['Y', 'Q', 'M'] as const) {
    const end = areAtEnd(frequency, days)
    if (end) return { frequency, end }
  }
  return undefined
}

/** Tells whether no two days are in one period. */
const areApart = (frequency: Frequency, days: readonly Day[]): boolean =>
  new Set(days.map((day) => periodStart(frequency, day, CIVIL_CALENDAR))).size === days.length

const example = (days: readonly Day[]): string => `such as ${formatDay(days[0] ?? 0)}`

/** Returns the frequency of days by their distances, when they are at no end of a period. */
const byGaps = (days: readonly Day[]): FoundFrequency => {
  const gaps = gapsOf(days)
  const least = Math.min(...gaps)
  const count = `${days.length} days`
  if (days.length >= ENOUGH) {
    for (const frequency of ['Y', 'Q', 'M'] as const) {
      if (least >= LEAST[frequency] && areApart(frequency, days))
        return { fits: [frequency], why: `${count}, one a ${PERIOD[frequency]} at most, ${example(days)}` }
    }
  }
  const isWeekday = gaps.every((gap) => gap % WEEK === 0)
  if (days.length >= 3 && isWeekday)
    return { fits: ['W'], why: `${count}, all the same day of the week, ${example(days)}` }
  if (days.length >= ENOUGH && least >= LEAST.W && areApart('W', days))
    return { fits: ['W'], why: `${count}, one a week at most, ${example(days)}` }
  if (least >= LEAST.W && days.length < ENOUGH) return { fits: ['D', 'W', 'M'], why: `only ${count}, ${example(days)}` }
  return { fits: ['D'], why: `${count}, the nearest ${least === 1 ? '1 day' : `${least} days`} apart` }
}

/** Returns the frequency whose steps the shortest distance between such days is: month, quarter or year. */
const stepOf = (days: readonly Day[]): 'M' | 'Q' | 'Y' => {
  const months = days.map((day) => civil(day)).map(({ year, month }) => year * 12 + month)
  const least = Math.min(...months.slice(1).map((month, at) => month - (months[at] ?? month)))
  return least >= 12 ? 'Y' : least >= 3 ? 'Q' : 'M'
}

/** Finds the frequency that distinct days in order show. */
export const frequencyOfDays = (days: readonly Day[]): FoundFrequency => {
  const [first] = days
  if (first === undefined) return { fits: ['D', 'W', 'M', 'Q', 'Y'], why: 'there is no day' }
  if (days.length === 1) return { fits: ['D', 'W', 'M', 'Q', 'Y'], why: `there is only one day, ${formatDay(first)}` }
  const ends = byEnds(days)
  if (!ends) return byGaps(days)
  const step = stepOf(days)
  const { frequency, end } = ends
  // Days at the ends of months only can be of months, unless their steps are longer and they are at those ends, too.
  const found = ['Y', 'Q', 'M'].indexOf(step) >= ['Y', 'Q', 'M'].indexOf(frequency) ? step : frequency
  const why = `${days.length} days, all the ${end} of a ${PERIOD[found]}, ${example(days)}`
  return days.length === 2 && weekday(first) === weekday(days[1] ?? first)
    ? { fits: [found, 'W'], why }
    : { fits: [found], why }
}
