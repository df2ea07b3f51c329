import type { Day } from '../../domain/day.ts'
import { type Calendar, type Frequency, isKnownFrequency, nextPeriod, periodStart } from '../../domain/period.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'

type LongFrequency = Exclude<Frequency, 'D'>

/** Names the period of each frequency that is not daily. */
export const PERIOD_WORDS: Readonly<Record<LongFrequency, readonly [adverb: string, noun: string]>> = {
  W: ['weekly', 'week'],
  M: ['monthly', 'month'],
  Q: ['quarterly', 'quarter'],
  Y: ['yearly', 'year'],
}

/** Describes a KPI whose periods are longer than a day. */
export type PeriodKpi = Pick<Kpi, 'id' | 'name' | 'aggregate_function'> & { readonly frequency_id: LongFrequency }

const isLong = (frequency: Frequency): frequency is LongFrequency => frequency !== 'D' && isKnownFrequency(frequency)

/** Returns a KPI if its periods are longer than a day; a third-party service may have frequencies of its own. */
export const periodKpi = (kpi: Kpi | undefined): PeriodKpi | undefined => {
  if (!kpi) return undefined
  const { id, name, aggregate_function, frequency_id } = kpi
  return isLong(frequency_id) ? { id, name, aggregate_function, frequency_id } : undefined
}

/** Tells whether entries of a KPI may share a period. */
export const hasPeriods = (kpi: Kpi | undefined): boolean => periodKpi(kpi) !== undefined

/** Holds the first and the last day of a period. */
export type Period = { readonly start: Day; readonly end: Day }

/** Returns a function that finds the period of a day; it remembers the last one, as rows come in order. */
export const createPeriodFinder = (calendar: Calendar): ((frequency: Frequency, day: Day) => Period) => {
  let last: (Period & { readonly frequency: Frequency }) | undefined
  return (frequency, day) => {
    if (last?.frequency === frequency && day >= last.start && day <= last.end) return last
    const start = periodStart(frequency, day, calendar)
    last = { frequency, start, end: nextPeriod(frequency, start) - 1 }
    return last
  }
}
