import { civil, type Day, dayOfCivil, FIRST_QUERY_DAY } from '../day.ts'
import { type Decimal, divideRounded } from '../decimal.ts'
import {
  asCoarseAs,
  type DayRange,
  daysOfPeriodsIn,
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

/**
 * Returns how far back the periods that begin in a range are compared, where a row puts them together: each to the year
 * before, or all by as many periods as there are; days by months where the range is of whole months.
 */
const rangeDistance = (compare: Comparison, frequency: Frequency, { range, calendar }: Facts): Distance => {
  if (compare === 'year') return periodDistance(compare, frequency)
  const { from, to } = daysOfPeriodsIn(frequency, range, calendar)
  if (frequency === 'W' || (frequency === 'D' && !isOfMonths(range))) return { days: to - from + 1 }
  const [first, after] = [civil(from), civil(to + 1)]
  return { months: (after.year - first.year) * 12 + after.month - first.month }
}

/** Returns the first day of the period that a period is compared with. */
export const comparedPeriod = (compare: Comparison, frequency: Frequency, start: Day): Day =>
  dayBefore(start, periodDistance(compare, frequency))

/** Describes days of a range or period, and those that they are compared with. */
export type ComparedDays = { readonly days: DayRange; readonly with: DayRange }

/** Returns the last of some days that is not to come; the last of all where all are to come. */
const lastBegun = ({ from, to }: DayRange, { today }: Facts): Day => (today >= from ? Math.min(to, today) : to)

/**
 * Returns the days of the periods that begin in the range, up to today, and those that a row of all of them is compared
 * with: of as many periods.
 */
export const comparedDays = (compare: Comparison, frequency: Frequency, facts: Facts): ComparedDays => {
  const { range, calendar } = facts
  const days = daysOfPeriodsIn(frequency, { from: range.from, to: lastBegun(range, facts) }, calendar)
  return { days, with: rangeBefore(days, rangeDistance(compare, frequency, facts)) }
}

/**
 * Returns the days of an earlier period in which as many weeks begin as in a part of a period: its last ones where the part
 * is the end of its period, else those that come in it as those of the part do.
 */
const weeksLike = (part: DayRange, whole: DayRange, earlier: DayRange, { calendar }: Facts): DayRange => {
  const weeksOf = (range: DayRange): DayRange => daysOfPeriodsIn('W', range, calendar)
  const [own, all, there] = [weeksOf(part), weeksOf(whole), weeksOf(earlier)]
  const length = own.to - own.from
  const from = part.to === whole.to ? there.to - length : there.from + own.from - all.from
  return { from: Math.max(from, earlier.from), to: Math.min(from + length, earlier.to) }
}

/**
 * Returns the periods that the range cuts or that are under way, each with the same part of the earlier period; of `own`
 * weekly values, with as many weeks of it.
 */
export const comparedParts = (
  compare: Comparison,
  frequency: Frequency,
  facts: Facts,
  own: Frequency,
): (ComparedDays & { readonly start: Day })[] => {
  const { range, calendar } = facts
  const ends = [range.from, lastBegun(range, facts), range.to]
  const starts = new Set(ends.map((day) => periodStart(frequency, day, calendar)))
  return [...starts].flatMap((start) => {
    const end = nextPeriod(frequency, start) - 1
    const from = Math.max(start, range.from)
    const days = { from, to: lastBegun({ from, to: Math.min(end, range.to) }, facts) }
    if (days.from === start && days.to === end) return []
    const distance = periodDistance(compare, frequency)
    const before = rangeBefore(days, distance)
    // Keep the end of a period the end, as months differ in length.
    const earlier = dayBefore(start, distance)
    const whole = { from: earlier, to: nextPeriod(frequency, earlier) - 1 }
    if (own === 'W') return [{ start, days, with: weeksLike(days, { from: start, to: end }, whole, facts) }]
    return [{ start, days, with: { from: before.from, to: days.to === end ? whole.to : before.to } }]
  })
}

/** Returns the first day of the first period that a KPI's rows are compared with, or averaged over. */
const firstNeeded = (question: Question, facts: Facts, kpi: Kpi): Day => {
  const { compare, rolling = 1, rollingSum = 1 } = question
  const periods = Math.max(rolling, rollingSum)
  const frequency = answeredFrequency(question, kpi.frequency_id)
  const first = periodStart(frequency, facts.range.from, facts.calendar)
  let needed = first
  for (let count = 1; count < periods; count += 1) needed = periodBefore(frequency, needed)
  return compare ? Math.min(needed, comparedPeriod(compare, frequency, first)) : needed
}

/** Describes days before the range whose rows a question needs as well, and of which KPIs. */
type EarlierDays = DayRange & { readonly kpiIds: readonly number[] }

/**
 * Returns what a question needs of the time before its range: nothing, the range that it is compared with as far as that
 * lies before it, or as many days as the periods of each frequency take.
 */
export const earlierDays = (question: Question, facts: Facts, kpiIds?: readonly number[]): EarlierDays[] => {
  const { compare, rolling, rollingSum } = question
  const { range, kpis } = facts
  if (compare === undefined && rolling === undefined && rollingSum === undefined) return []
  const wanted = kpiIds && new Set(kpiIds)
  const asked = [...kpis.values()].filter(
    ({ id, frequency_id }) => isKnownFrequency(frequency_id) && (!wanted || wanted.has(id)),
  )
  const read = (from: Day, to: Day, of: readonly Kpi[]): EarlierDays => ({
    from: Math.max(from, FIRST_QUERY_DAY),
    to: Math.min(to, range.from - 1),
    kpiIds: of.map(({ id }) => id),
  })
  const reads =
    compare && joinsPeriods(question)
      ? [...Map.groupBy(asked, ({ frequency_id }) => frequency_id)].map(([frequency, of]) => {
          const { from, to } = comparedDays(compare, frequency, facts).with
          return read(from, to, of)
        })
      : [...Map.groupBy(asked, (kpi) => firstNeeded(question, facts, kpi))].map(([from, of]) =>
          read(from, range.to, of),
        )
  return reads.filter(({ from, to, kpiIds: ids }) => from <= to && ids.length > 0)
}

/** Finds an earlier row of the same KPI and items; undefined if it has none. */
type Earlier = (row: AnswerRow, start: Day | null) => AnswerRow | undefined

/** Names what a row is of, and its period; rows of a category have no KPI, but a unit, a function and a direction. */
const keyOf = (row: AnswerRow, start: Day | null): string => {
  const { kpiId, itemId, category_id, unit_id, aggregate_function, function: joined, direction } = row
  const of = category_id === null ? '' : `${category_id} ${unit_id} ${aggregate_function} ${joined} ${direction}`
  return `${kpiId} ${itemId} ${of} ${start}`
}

const finderOf = (...lists: readonly (readonly AnswerRow[])[]): Earlier => {
  const known = new Map(lists.flat().map((row) => [keyOf(row, row.entryDate), row]))
  return (row, start) => known.get(keyOf(row, start))
}

const isWithin = ({ entryDate }: AnswerRow, { from, to }: DayRange): boolean =>
  entryDate !== null && entryDate >= from && entryDate <= to

const compared = (row: AnswerRow, before: AnswerRow | undefined): AnswerRow => {
  const previous = before?.actual ?? null
  if (!before || previous === null) return row
  const difference = row.actual === null ? null : row.actual - previous
  const size = previous < 0n ? -previous : previous
  return {
    ...row,
    previous_actual: previous,
    previous_from: before.previous_from,
    previous_to: before.previous_to,
    difference,
    difference_percent: difference === null ? null : percentOf(difference, size),
  }
}

/** Returns the values of the last periods of a row, this one included, that are there. */
const lastValues = (row: AnswerRow, count: number, earlier: Earlier): Decimal[] => {
  if (row.periodId === null || row.entryDate === null) return []
  const values: Decimal[] = []
  let start = row.entryDate
  for (let at = 0; at < count; at += 1) {
    const actual = earlier(row, start)?.actual ?? null
    if (actual !== null) values.push(actual)
    start = periodBefore(row.periodId, start)
  }
  return values
}

const sumOf = (values: readonly Decimal[]): Decimal | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0n)

const averageOf = (values: readonly Decimal[]): Decimal | null => {
  const sum = sumOf(values)
  return sum === null ? null : divideRounded(sum, BigInt(values.length))
}

/** Returns a row with what it is compared with. */
type Comparer = (row: AnswerRow) => AnswerRow

/** Describes a question that compares, and all rows that were read for it. */
type Comparing = {
  readonly compare: Comparison
  readonly question: Question
  readonly facts: Facts
  readonly read: readonly AnswerRow[]
}

const ofEachFrequency = <T>(make: (frequency: Frequency) => T): ReadonlyMap<Frequency | null | undefined, T> =>
  new Map(asCoarseAs('D').map((frequency) => [frequency, make(frequency)]))

/**
 * Compares rows of a period each with an earlier one of `whole`; where the range cuts what finer values make, with the
 * same part of that. A value of the period itself has no parts.
 */
const comparePeriods = ({ compare, question, facts, read }: Comparing, whole: Earlier): Comparer => {
  const parts = ofEachFrequency((own) => {
    const answered = answeredFrequency(question, own)
    return own === answered ? [] : comparedParts(compare, answered, facts, own)
  })
  const partsOf = ({ kpiId }: AnswerRow): ReturnType<typeof comparedParts> => {
    return parts.get(facts.kpis.get(kpiId ?? 0)?.frequency_id) ?? []
  }
  const inParts = read.filter((row) => partsOf(row).some((part) => isWithin(row, part.with)))
  const ofParts = finderOf(aggregateRows(inParts, question, facts))
  return (row) => {
    const { entryDate, periodId } = row
    if (entryDate === null || periodId === null) return row
    const from = comparedPeriod(compare, periodId, entryDate)
    const part = partsOf(row).find(({ start }) => start === entryDate)
    const days = part?.with ?? { from, to: nextPeriod(periodId, from) - 1 }
    const before = (part ? ofParts : whole)(row, from)
    return compared(row, before && { ...before, previous_from: days.from, previous_to: days.to })
  }
}

/** Compares rows of a whole range with what their KPIs had in as many periods before. */
const compareRanges = ({ compare, question, facts, read }: Comparing): Comparer => {
  const days = ofEachFrequency((frequency) => comparedDays(compare, frequency, facts).with)
  const rows = read.flatMap((row) => {
    const own = days.get(row.periodId)
    return own && isWithin(row, own) ? [{ ...row, previous_from: own.from, previous_to: own.to }] : []
  })
  const earlier = finderOf(aggregateRows(rows, question, facts))
  return (row) => compared(row, earlier(row, null))
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
  const { compare, rolling, rollingSum } = question
  if (compare === undefined && rolling === undefined && rollingSum === undefined) return [...rows]
  if (compare && joinsPeriods(question)) return rows.map(compareRanges({ compare, question, facts, read }))
  const before = aggregateRows(read, question, facts)
  const comparer = compare && comparePeriods({ compare, question, facts, read }, finderOf(before))
  // Prefer the answer's own row of a period, also where the range cuts that period.
  const averaged = finderOf(before, rows)
  return rows.map((row) => {
    const shown = comparer ? comparer(row) : row
    if (rolling === undefined && rollingSum === undefined) return shown
    const average = rolling === undefined ? null : averageOf(lastValues(row, rolling, averaged))
    const sum = rollingSum === undefined ? null : sumOf(lastValues(row, rollingSum, averaged))
    return { ...shown, rolling_average: average, rolling_sum: sum }
  })
}
