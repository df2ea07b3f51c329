import { type Day, formatDay } from './day.ts'
import { hasAnyTarget, type TargetFacts, targetOn, type TargetTimeline } from './targets/dated-targets.ts'
import { type Decimal, divideRounded } from './decimal.ts'
import { KpiError } from './errors.ts'
import { ANSWER_LIMIT, MEBIBYTE, ROW_NOTES_LIMIT } from './limits.ts'
import { type Calendar, periodStart } from './period.ts'
import { frequencyNames, type Unit } from './resources/catalog.ts'
import type { Kpi } from './resources/kpi.ts'
import type { ReportRow } from './resources/report-row.ts'

/** Describes what a report row shows of its KPI. */
export type ReportKpi = Pick<
  Kpi,
  | 'id'
  | 'name'
  | 'description'
  | 'frequency_id'
  | 'target_default'
  | 'value_direction'
  | 'aggregate_function'
  | 'sort_order'
> & {
  readonly unit: Pick<Unit, 'display_format' | 'is_percentage'>
  /** Tells whether the KPI has a target: a default one or, if it is calculated, one from its formula. */
  readonly has_target: boolean
}

/** Describes the owner of a row's values: a user or a group item. */
export type ReportItem = { readonly id: number; readonly name: string }

/** Describes an entry for the report; its target is the effective one, see `effectiveTarget`. */
type ReportEntry = {
  readonly day: Day
  readonly actual: Decimal | null
  readonly target: Decimal | null
  readonly notes: string | null
}

/** Describes the first rows in the order of the report, and how many rows there are in all. */
export type Report = { readonly rows: Iterable<ReportRow>; readonly total: number }

/** Returns a target on a day. */
const onDay = (target: Decimal | null | undefined | TargetTimeline, start: Day): Decimal | null | undefined =>
  typeof target === 'object' && target !== null ? targetOn(target, start) : target

/**
 * Returns the effective target of an entry: its own, else its user's, else the KPI's; null if the KPI has none. Dated
 * ones count by the first day of the entry's period.
 */
export const effectiveTarget = (
  own: Decimal | null,
  users: Decimal | null | undefined | TargetTimeline,
  kpi: TargetFacts,
  start: Day,
): Decimal | null => {
  if (!hasAnyTarget(kpi)) return null
  const { target_default: base, targets } = kpi
  return own ?? onDay(users, start) ?? (targets ? targetOn({ base, targets }, start) : base)
}

/** Describes the values that one row has collected so far. */
type Period = {
  readonly kpi: ReportKpi
  readonly item: ReportItem
  readonly start: Day
  actuals: number
  actual: Decimal
  targets: number
  target: Decimal
  notes: string | null
  /** Holds the length of the notes, even if they have been dropped. */
  length: number
}

const emptyPeriod = (kpi: ReportKpi, item: ReportItem, start: Day): Period => {
  return { kpi, item, start, actuals: 0, actual: 0n, targets: 0, target: 0n, notes: null, length: 0 }
}

/** Adds notes to a period. Beyond the limit only their length is kept. */
const addNotes = (period: Period, notes: string): void => {
  const isFirst = period.length === 0
  period.length += notes.length + (isFirst ? 0 : 1)
  if (isFirst) period.notes = notes
  else if (period.notes !== null) period.notes = period.length > ROW_NOTES_LIMIT ? null : `${period.notes}\n${notes}`
}

const addEntry = (period: Period, entry: ReportEntry): void => {
  if (entry.actual !== null) {
    // Most periods have one entry; adding nothing to it would make a number again.
    period.actual = period.actuals === 0 ? entry.actual : period.actual + entry.actual
    period.actuals += 1
  }
  if (entry.target !== null) {
    period.target = period.targets === 0 ? entry.target : period.target + entry.target
    period.targets += 1
  }
  if (entry.notes !== null) addNotes(period, entry.notes)
}

/** Returns a sum or average. It is exact until it is rounded here, once. */
const aggregate = (kpi: ReportKpi, sum: Decimal, count: number): Decimal | null => {
  if (count === 0) return null
  return count === 1 || kpi.aggregate_function === 'SUM' ? sum : divideRounded(sum, BigInt(count))
}

/** Names the directions in which a KPI's values are better. */
export const directionNames: Record<Kpi['value_direction'], string> = { U: 'Up', D: 'Down', N: 'None' }

const rowOf = (period: Period): ReportRow => {
  const { kpi, item } = period
  return {
    kpiId: kpi.id,
    kpiName: kpi.name,
    kpiDescription: kpi.description,
    itemId: item.id,
    itemName: item.name,
    periodId: kpi.frequency_id,
    period: frequencyNames[kpi.frequency_id],
    labelFormat: kpi.unit.display_format,
    isPercentage: kpi.unit.is_percentage ? 1 : 0,
    hasTarget: kpi.has_target ? 1 : 0,
    direction: kpi.value_direction,
    directionName: directionNames[kpi.value_direction],
    entryDate: period.start,
    actual: aggregate(kpi, period.actual, period.actuals),
    target: aggregate(kpi, period.target, period.targets),
    notes: period.notes,
  }
}

/** Yields rows as they are read: 10,000 at once take as long as many small requests. */
function* rowsOf(periods: readonly Period[]): Generator<ReportRow> {
  for (const period of periods) yield rowOf(period)
}

/** Orders rows by `entryDate`, the KPI's `sort_order` and id, and `itemId`. */
const inReportOrder = (left: Period, right: Period): number =>
  left.start - right.start ||
  left.kpi.sort_order - right.kpi.sort_order ||
  left.kpi.id - right.kpi.id ||
  left.item.id - right.item.id

const tooLarge = (what: string, advice: string): KpiError =>
  new KpiError('too_large', `${what}; ask for ${advice}, or read the notes from the list of entries`)

/** Refuses a report whose notes are longer than an answer may be, and says what to request instead. */
const requireShortNotes = (periods: readonly Period[]): void => {
  let all = 0
  for (const { kpi, item, start, length } of periods) {
    all += length
    if (length <= ROW_NOTES_LIMIT) continue
    const row = `KPI ${kpi.id} (${kpi.name}) for ${item.name} on ${formatDay(start)}`
    const what = `the notes of ${row} alone are over ${ROW_NOTES_LIMIT / MEBIBYTE} million characters`
    throw tooLarge(what, 'the users of a group item one by one')
  }
  if (all <= ANSWER_LIMIT) return
  const what = `the notes of this report are over ${ANSWER_LIMIT / MEBIBYTE} million characters`
  throw tooLarge(what, 'fewer days, KPIs, users or group items at a time')
}

/** Bounds the characters of notes beyond the limit of an answer; then those of the last rows are dropped. */
const SURPLUS_NOTES_LIMIT = 8 * MEBIBYTE

/** Collects entries and makes the report from them. */
export type ReportBuilder<Result = Report> = {
  /**
   * Adds an entry. Entries of a KPI and item must follow each other, by day. The result of a formula for a period is
   * one entry on its first day.
   */
  readonly add: (kpi: ReportKpi, item: ReportItem, entry: ReportEntry) => void
  readonly finish: () => Result
}

/**
 * Builds the processed report: one row per KPI, item and period. Keeps the first `limit` rows in order and counts all.
 * It never holds more than twice as many rows, nor many more notes than an answer may have. Throws if the notes are too
 * long, once all rows are known.
 */
export const reportBuilder = (calendar: Calendar, limit: number): ReportBuilder => {
  let periods: Period[] = []
  let total = 0
  let held = 0
  let open: Period | undefined
  /** Holds the last of the first rows: what is behind it is only counted. */
  let last: Period | undefined

  const keepFirst = (): void => {
    periods = periods.sort(inReportOrder).slice(0, limit)
    last = periods.length < limit ? undefined : periods.at(-1)
    // Later rows can only push these back, so notes that are beyond the limit now will not be sent.
    let all = 0
    held = 0
    for (const period of periods) {
      all += period.length
      if (all > ANSWER_LIMIT) period.notes = null
      held += period.notes?.length ?? 0
    }
  }
  const begin = (kpi: ReportKpi, item: ReportItem, start: Day): Period => {
    total += 1
    if (periods.length >= limit * 2) keepFirst()
    const period = emptyPeriod(kpi, item, start)
    if (!last || inReportOrder(period, last) < 0) periods.push(period)
    return period
  }
  return {
    add: (kpi, item, entry) => {
      const start = periodStart(kpi.frequency_id, entry.day, calendar)
      if (open?.kpi !== kpi || open.item !== item || open.start !== start) open = begin(kpi, item, start)
      addEntry(open, entry)
      held += entry.notes?.length ?? 0
      if (held > ANSWER_LIMIT + SURPLUS_NOTES_LIMIT) keepFirst()
    },
    finish: () => {
      keepFirst()
      requireShortNotes(periods)
      return { rows: rowsOf(periods), total }
    },
  }
}

/** Takes each row of a report as soon as it is complete, with its KPI; returns what they make once all have come. */
export type RowTaker<Result> = {
  readonly take: (row: ReportRow, kpi: ReportKpi) => void
  readonly finish: () => Result
}

/** Builds the same rows one after another, in the order of their entries, and keeps none. */
export const passingBuilder = <Result>(calendar: Calendar, taker: RowTaker<Result>): ReportBuilder<Result> => {
  let open: Period | undefined
  const close = (): void => {
    if (open) taker.take(rowOf(open), open.kpi)
  }
  return {
    add: (kpi, item, entry) => {
      const start = periodStart(kpi.frequency_id, entry.day, calendar)
      if (open?.kpi !== kpi || open.item !== item || open.start !== start) {
        close()
        open = emptyPeriod(kpi, item, start)
      }
      addEntry(open, entry)
    },
    finish: () => {
      close()
      return taker.finish()
    },
  }
}
