import { civil, type Day, dayOfCivil, FIRST_QUERY_DAY } from '../day.ts'
import { type Decimal, divideRounded } from '../decimal.ts'
import { type DayRange, type Frequency, isKnownFrequency, nextPeriod, periodBefore, periodStart } from '../period.ts'
import type { Kpi } from '../resources/kpi.ts'
import { aggregateRows } from './aggregate.ts'
import type { AnswerRow } from './answer-row.ts'
import { answeredFrequency, type Facts, joinsPeriods, type Question } from './question.ts'
import { percentOf } from './state.ts'

/** Returns the same period a year before: 52 weeks for a week, else by the calendar; the 28th for a 29th of February. */
const yearBefore = (frequency: Frequency, start: Day): Day => {
  if (frequency === 'W') return start - 52 * 7
  const { year, month, day } = civil(start)
  const first = dayOfCivil(year - 1, month, 1)
  return Math.min(first + day - 1, nextPeriod('M', first) - 1)
}

/** Returns the first day of the period that a period is compared with. */
const comparedPeriod = (compare: NonNullable<Question['compare']>, frequency: Frequency, start: Day): Day =>
  compare === 'year' ? yearBefore(frequency, start) : periodBefore(frequency, start)

/** Counts the months of a range of whole months; undefined for any other range. */
const wholeMonths = ({ from, to }: DayRange): number | undefined => {
  const [first, after] = [civil(from), civil(to + 1)]
  if (first.day !== 1 || after.day !== 1) return undefined
  return (after.year - first.year) * 12 + after.month - first.month
}

/**
 * Returns the days that a whole range is compared with: the same days of the year before, or as many days before it; of
 * whole months, the same months or as many months.
 */
export const comparedRange = (compare: NonNullable<Question['compare']>, range: DayRange): DayRange => {
  const { from, to } = range
  const months = wholeMonths(range)
  if (compare === 'year') {
    return { from: yearBefore('D', from), to: months === undefined ? yearBefore('D', to) : yearBefore('D', to + 1) - 1 }
  }
  const { year, month } = civil(from)
  return { from: months === undefined ? from - (to - from + 1) : dayOfCivil(year, month - months, 1), to: from - 1 }
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

const within = (rows: readonly AnswerRow[], { from, to }: DayRange): AnswerRow[] =>
  rows.filter(({ entryDate }) => entryDate !== null && entryDate >= from && entryDate <= to)

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
  const before = aggregateRows(isWhole ? within(read, comparedRange(compare, facts.range)) : read, question, facts)
  // Prefer the answer's own row of a period, also where the range cuts that period.
  const earlier = isWhole ? finderOf(before) : finderOf(before, rows)
  const previousOf = (row: AnswerRow): AnswerRow | undefined => {
    if (!compare) return undefined
    if (row.entryDate === null || row.periodId === null) return earlier(row, null)
    return earlier(row, comparedPeriod(compare, row.periodId, row.entryDate))
  }
  return rows.map((row) => {
    const shown = compared(row, previousOf(row))
    return rolling === undefined ? shown : { ...shown, rolling_average: averageOfLast(row, rolling, earlier) }
  })
}
