import { type Day, FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { type Calendar, type Frequency, isKnownFrequency, nextPeriod, periodStart } from '../../domain/period.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { Sorter } from '../external-sort/sorter.ts'
import { bigintAt, numberAt, textAt } from '../external-sort/block.ts'
import type { PeriodDates } from '../options.ts'

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

/** Names the kinds of `--period-dates` that move dates. */
export type MovedTo = Exclude<PeriodDates, 'as-is'>

/** Returns the day to which a day of a period is moved, within the days that entries may have. */
const movedDay = (day: Day, { start, end }: Period, frequency: LongFrequency, to: MovedTo): Day => {
  if (to === 'next') return frequency === 'W' && day !== start ? Math.min(end + 1, LAST_ENTRY_DAY) : day
  return to === 'first' ? Math.max(start, FIRST_ENTRY_DAY) : Math.min(end, LAST_ENTRY_DAY)
}

const MANY_ROWS = 4096

/**
 * Copies sorted rows to another sorter, with the dates of KPIs that are not daily moved within their period, or to the
 * next week; returns how many dates were moved. Rows that then have the same key come in the order of their lines.
 */
export const moveDates = async (
  from: Sorter,
  to: Sorter,
  { kpis, calendar }: { readonly kpis: ReadonlyMap<number, Kpi>; readonly calendar: Calendar },
  where: MovedTo,
  onProgress: () => Promise<void>,
): Promise<number> => {
  const periodOf = createPeriodFinder(calendar)
  let moved = 0
  for (const block of from.blocks(MANY_ROWS)) {
    await onProgress()
    for (let at = 0; at < block.count; at += 1) {
      const [second, day] = [numberAt(block.second, at), numberAt(block.third, at)]
      const kpi = periodKpi(kpis.get(second))
      const third = kpi ? movedDay(day, periodOf(kpi.frequency_id, day), kpi.frequency_id, where) : day
      if (third !== day) moved += 1
      to.add({
        first: numberAt(block.first, at),
        second,
        third,
        line: numberAt(block.line, at),
        flags: numberAt(block.flags, at),
        actual: bigintAt(block.values, at * 2),
        target: bigintAt(block.values, at * 2 + 1),
        text: textAt(block.text, at),
      })
    }
  }
  return moved
}
