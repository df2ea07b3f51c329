import { civil, type Day, dayOfCivil, FIRST_QUERY_DAY } from '../day.ts'
import { type Decimal, divideRounded } from '../decimal.ts'
import {
  type DayRange,
  type Frequency,
  isKnownFrequency,
  nextPeriod,
  PERIOD_MONTHS,
  periodBefore,
  periodStart,
} from '../period.ts'
import type { Kpi } from '../resources/kpi.ts'
import { aggregateRows } from './aggregate.ts'
import type { AnswerRow } from './answer-row.ts'
import { answeredFrequency, type Facts, joinsPeriods, type Question } from './question.ts'
import { percentOf } from './state.ts'

/** Describes how far back a comparison reaches: months of the calendar, or days. */
type Distance = { readonly months: number } | { readonly days: number }

type Comparison = NonNullable<Question['compare']>

/** Returns how far back a period is compared: to the one before it, or to the year before, which is 52 weeks for a week. */
const periodDistance = (compare: Comparison, frequency: Frequency): Distance => {
  if (frequency === 'W') return { days: compare === 'year' ? 52 * 7 : 7 }
  if (compare === 'year') return { months: 12 }
  return frequency === 'D' ? { days: 1 } : { months: PERIOD_MONTHS[frequency] }
}

/** Returns the day that lies so far back; the last of its month where the month is too short. */
const dayBefore = (day: Day, distance: Distance): Day => {
  if ('days' in distance) return day - distance.days
  const { year, month, day: ofMonth } = civil(day)
  const first = dayOfCivil(year, month - distance.months, 1)
  return Math.min(first + ofMonth - 1, nextPeriod('M', first) - 1)
}

/** Tells whether a range is of whole months. */
const isOfMonths = ({ from, to }: DayRange): boolean => civil(from).day === 1 && civil(to + 1).day === 1

/** Returns the range that lies so far back; whole months stay whole. */
const rangeBefore = (range: DayRange, distance: Distance): DayRange => ({
  from: dayBefore(range.from, distance),
  to: isOfMonths(range) ? dayBefore(range.to + 1, distance) - 1 : dayBefore(range.to, distance),
})

/** Returns how far back a whole range is compared: to the year before, or by its own length, in months where they are whole. */
const rangeDistance = (compare: Comparison, range: DayRange): Distance => {
  if (compare === 'year') return { months: 12 }
  const [first, after] = [civil(range.from), civil(range.to + 1)]
  return isOfMonths(range)
    ? { months: (after.year - first.year) * 12 + after.month - first.month }
    : { days: range.to - range.from + 1 }
}

/**
 * Returns the days that a whole range is compared with: the same days of the year before, or as many days before it; of
 * whole months, the same months or as many months.
 */
export const comparedRange = (compare: Comparison, range: DayRange): DayRange =>
  rangeBefore(range, rangeDistance(compare, range))

/** Returns the first day of the period that a period is compared with. */
const comparedPeriod = (compare: Comparison, frequency: Frequency, start: Day): Day =>
  dayBefore(start, periodDistance(compare, frequency))

/** Describes days of a range or period, and those that they are compared with. */
export type ComparedDays = { readonly days: DayRange; readonly with: DayRange }

/** Returns the days of the range up to today, and those that a row of the whole range is compared with. */
export const comparedDays = (compare: Comparison, { range, today }: Facts): ComparedDays => {
  const { from, to } = range
  const days = { from, to: today >= from ? Math.min(to, today) : to }
  return { days, with: rangeBefore(days, rangeDistance(compare, range)) }
}

/** Returns the periods that the range cuts or that are under way, each with the same part of the earlier period. */
export const comparedParts = (
  compare: Comparison,
  frequency: Frequency,
  { range, calendar, today }: Facts,
): (ComparedDays & { readonly start: Day })[] => {
  const starts = new Set([range.from, range.to].map((day) => periodStart(frequency, day, calendar)))
  return [...starts].flatMap((start) => {
    const end = nextPeriod(frequency, start) - 1
    const from = Math.max(start, range.from)
    const days = { from, to: Math.min(end, range.to, today >= from ? today : end) }
    if (days.from === start && days.to === end) return []
    const distance = periodDistance(compare, frequency)
    const before = rangeBefore(days, distance)
    // Keep the end of a period the end, as months differ in length.
    const to = days.to === end ? nextPeriod(frequency, dayBefore(start, distance)) - 1 : before.to
    return [{ start, days, with: { from: before.from, to } }]
  })
}

/** Returns the first day of the first period that a KPI's rows are compared with, or averaged over. */
const firstNeeded = (question: Question, facts: Facts, kpi: Kpi): Day => {
  const { compare, rolling = 1 } = question
  const frequency = answeredFrequency(question, kpi.frequency_id)
  const first = periodStart(frequency, facts.range.from, facts.calendar)
  let needed = first
  for (let count = 1; count < rolling; count += 1) needed = periodBefore(frequency, needed)
  return compare ? Math.min(needed, comparedPeriod(compare, frequency, first)) : needed
}

/** Describes days before the range whose rows a question needs as well, and of which KPIs. */
type EarlierDays = DayRange & { readonly kpiIds: readonly number[] }

/**
 * Returns what a question needs of the time before its range: nothing, the range that it is compared with as far as that
 * lies before it, or as many days as the periods of each frequency take.
 */
export const earlierDays = (question: Question, facts: Facts, kpiIds?: readonly number[]): EarlierDays[] => {
  const { compare, rolling } = question
  const { range, kpis } = facts
  if (compare === undefined && rolling === undefined) return []
  const wanted = kpiIds && new Set(kpiIds)
  const asked = [...kpis.values()].filter(
    ({ id, frequency_id }) => isKnownFrequency(frequency_id) && (!wanted || wanted.has(id)),
  )
  const read = (from: Day, to: Day, of: readonly Kpi[]): EarlierDays => ({
    from: Math.max(from, FIRST_QUERY_DAY),
    to: Math.min(to, range.from - 1),
    kpiIds: of.map(({ id }) => id),
  })
  const whole = compare && joinsPeriods(question) ? comparedRange(compare, range) : undefined
  const reads = whole
    ? [read(whole.from, whole.to, asked)]
    : [...Map.groupBy(asked, (kpi) => firstNeeded(question, facts, kpi))].map(([from, of]) => read(from, range.to, of))
  return reads.filter(({ from, to, kpiIds: ids }) => from <= to && ids.length > 0)
}

/** Finds an earlier row of the same KPI and items; undefined if it has none. */
type Earlier = (row: AnswerRow, start: Day | null) => AnswerRow | undefined

/** Names what a row is of, and its period; rows of a category have no KPI, but a unit, a function and a direction. */
const keyOf = (row: AnswerRow, start: Day | null): string => {
  const { kpiId, itemId, category_id, unit_id, aggregate_function, direction } = row
  return `${kpiId} ${itemId} ${category_id} ${unit_id} ${aggregate_function} ${direction} ${start}`
}

const finderOf = (...lists: readonly (readonly AnswerRow[])[]): Earlier => {
  const known = new Map(lists.flat().map((row) => [keyOf(row, row.entryDate), row]))
  return (row, start) => known.get(keyOf(row, start))
}

const isWithin = ({ entryDate }: AnswerRow, { from, to }: DayRange): boolean =>
  entryDate !== null && entryDate >= from && entryDate <= to

const compared = (row: AnswerRow, before: AnswerRow | undefined): AnswerRow => {
  const previous = before?.actual ?? null
  if (previous === null) return row
  const difference = row.actual === null ? null : row.actual - previous
  const size = previous < 0n ? -previous : previous
  return {
    ...row,
    previous_actual: previous,
    difference,
    difference_percent: difference === null ? null : percentOf(difference, size),
  }
}

const averageOfLast = (row: AnswerRow, count: number, earlier: Earlier): Decimal | null => {
  if (row.periodId === null || row.entryDate === null) return null
  let [sum, known] = [0n, 0n]
  let start = row.entryDate
  for (let at = 0; at < count; at += 1) {
    const actual = earlier(row, start)?.actual ?? null
    if (actual !== null) [sum, known] = [sum + actual, known + 1n]
    start = periodBefore(row.periodId, start)
  }
  return known === 0n ? null : divideRounded(sum, known)
}

/** Tells which rows are of periods that are cut, and finds what they are compared with. */
const partsIn = (
  read: readonly AnswerRow[],
  compare: Comparison,
  question: Question,
  facts: Facts,
): { readonly isCut: (row: AnswerRow) => boolean; readonly earlier: Earlier } => {
  const byKpi = new Map(
    [...facts.kpis.values()]
      .filter(({ frequency_id }) => isKnownFrequency(frequency_id))
      .map(({ id, frequency_id }) => [id, comparedParts(compare, answeredFrequency(question, frequency_id), facts)]),
  )
  const partsOf = ({ kpiId }: AnswerRow) => byKpi.get(kpiId ?? 0) ?? []
  const rows = read.filter((row) => partsOf(row).some((part) => isWithin(row, part.with)))
  return {
    isCut: (row) => partsOf(row).some(({ start }) => start === row.entryDate),
    earlier: finderOf(aggregateRows(rows, question, facts)),
  }
}

/**
 * Returns the rows of the range with what earlier periods say of them: the comparison and the rolling average. `read`
 * holds all rows that were read, also those before the range.
 */
export const withEarlier = (
  rows: readonly AnswerRow[],
  read: readonly AnswerRow[],
  question: Question,
  facts: Facts,
): AnswerRow[] => {
  const { compare, rolling } = question
  if (compare === undefined && rolling === undefined) return [...rows]
  const isWhole = compare !== undefined && joinsPeriods(question)
  const whole = isWhole ? comparedDays(compare, facts).with : facts.range
  const before = aggregateRows(isWhole ? read.filter((row) => isWithin(row, whole)) : read, question, facts)
  const earlier = finderOf(before)
  const parts = compare && !isWhole ? partsIn(read, compare, question, facts) : undefined
  const previousOf = (row: AnswerRow): AnswerRow | undefined => {
    if (!compare) return undefined
    if (row.entryDate === null || row.periodId === null) return earlier(row, null)
    const find = parts?.isCut(row) ? parts.earlier : earlier
    return find(row, comparedPeriod(compare, row.periodId, row.entryDate))
  }
  // Prefer the answer's own row of a period, also where the range cuts that period.
  const averaged = finderOf(before, rows)
  return rows.map((row) => {
    const shown = compared(row, previousOf(row))
    return rolling === undefined ? shown : { ...shown, rolling_average: averageOfLast(row, rolling, averaged) }
  })
}
