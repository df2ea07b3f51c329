import type { Day } from '../day.ts'
import { type Decimal, divideRounded } from '../decimal.ts'
import { KpiError } from '../errors.ts'
import { isCoarser, periodStart } from '../period.ts'
import { frequencyNames } from '../resources/catalog.ts'
import type { Kpi } from '../resources/kpi.ts'
import type { AnswerRow } from './answer-row.ts'
import type { Facts, Question } from './question.ts'

/** Returns the KPI of a row; throws if the service reports one that it does not list. */
export const kpiOf = ({ kpis }: Facts, { kpiId, kpiName }: AnswerRow): Kpi => {
  const kpi = kpis.get(kpiId ?? 0)
  if (kpi) return kpi
  throw new KpiError(
    'unsupported',
    `the service reports KPI ${kpiId} (${kpiName}), but does not list it among the KPIs`,
  )
}

/** Returns the unit of a row's KPI, or of its KPIs. */
export const unitOf = (facts: Facts, row: AnswerRow): number => row.unit_id ?? kpiOf(facts, row).unit_id

/** Returns the name of a unit. */
export const unitName = ({ units }: Facts, id: number): string => units.get(id) ?? `unit ${id}`

/** Holds a value before it is rounded, as a fraction. */
type Exact = { readonly top: bigint; readonly bottom: bigint }

const ZERO: Exact = { top: 0n, bottom: 1n }

const divisorOf = (one: bigint, other: bigint): bigint => (other === 0n ? one : divisorOf(other, one % other))

const plus = (one: Exact, other: Exact): Exact => {
  const bottom = (one.bottom / divisorOf(one.bottom, other.bottom)) * other.bottom
  return { top: one.top * (bottom / one.bottom) + other.top * (bottom / other.bottom), bottom }
}

/** Returns the exact sum or average of the values that are there; null if there are none. */
const aggregate = (values: readonly (Exact | Decimal | null)[], how: 'SUM' | 'AVG'): Exact | null => {
  let [whole, count, parts] = [0n, 0n, ZERO]
  for (const value of values) {
    if (value === null) continue
    if (typeof value === 'bigint') whole += value
    else parts = plus(parts, value)
    count += 1n
  }
  if (count === 0n) return null
  const { top, bottom } = plus({ top: whole, bottom: 1n }, parts)
  return { top, bottom: how === 'SUM' ? bottom : bottom * count }
}

/** Rounds an exact value to four decimals. */
const rounded = (value: Exact | null): Decimal | null => value && divideRounded(value.top, value.bottom)

/** Holds what the values of rows are before they are rounded, so that an average of averages is rounded once. */
export type ExactValues = WeakMap<AnswerRow, Readonly<Record<'actual' | 'target', Exact | null>>>

/** Describes how rows are put together. */
type Joining = {
  readonly keyOf: (row: AnswerRow) => string
  /** Returns what the row of each group has beside the aggregated values. */
  readonly made: (first: AnswerRow, group: readonly AnswerRow[]) => Partial<AnswerRow>
  readonly facts: Facts
  readonly exact: ExactValues
}

/** Tells whether each value has a target: else the sum of targets is no target of the sum of values. */
const haveTargets = (group: readonly AnswerRow[]): boolean =>
  group.every(({ actual, target }) => actual === null || target !== null)

/** Puts rows together by a key. */
const aggregateBy = (rows: readonly AnswerRow[], { keyOf, made, facts, exact }: Joining): AnswerRow[] =>
  [...Map.groupBy(rows, keyOf).values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const how = kpiOf(facts, first).aggregate_function
    const valuesOf = (name: 'actual' | 'target'): Exact | null =>
      aggregate(
        group.map((row) => exact.get(row)?.[name] ?? row[name]),
        how,
      )
    const values = { actual: valuesOf('actual'), target: haveTargets(group) ? valuesOf('target') : null }
    const [actual, target] = [rounded(values.actual), rounded(values.target)]
    const row = { ...first, notes: null, actual, target, ...made(first, group) }
    exact.set(row, values)
    return [row]
  })

/** Orders rows as a report does: by day, the KPI's place and id, and item. */
export const inReportOrder = ({ kpis }: Facts) => {
  const place = ({ kpiId }: AnswerRow): number => kpis.get(kpiId ?? 0)?.sort_order ?? 0
  return (one: AnswerRow, other: AnswerRow): number =>
    (one.entryDate ?? 0) - (other.entryDate ?? 0) ||
    place(one) - place(other) ||
    (one.kpiId ?? 0) - (other.kpiId ?? 0) ||
    (one.itemId ?? 0) - (other.itemId ?? 0)
}

/** Aggregates rows of finer periods to periods of the frequency asked for; coarser rows stay as they are. */
const byPeriod = (
  rows: readonly AnswerRow[],
  facts: Facts,
  exact: ExactValues,
  by: NonNullable<Question['by']>,
): AnswerRow[] => {
  const isFiner = ({ periodId }: AnswerRow): boolean => periodId !== null && isCoarser(by, periodId)
  const startOf = ({ entryDate }: AnswerRow): Day => periodStart(by, entryDate ?? 0, facts.calendar)
  const aggregated = aggregateBy(rows.filter(isFiner), {
    keyOf: (row) => `${row.kpiId} ${row.itemId} ${startOf(row)}`,
    made: (first) => ({ periodId: by, period: frequencyNames[by], entryDate: startOf(first) }),
    facts,
    exact,
  })
  return [...aggregated, ...rows.filter((row) => !isFiner(row))].toSorted(inReportOrder(facts))
}

const NO_ITEM = { itemId: null, itemName: 'Total' } as const
const NO_PERIOD = { entryDate: null } as const

/** Returns the first or the last of the days that some rows have in a field; null if they have none. */
const endOf = (
  group: readonly AnswerRow[],
  name: 'entryDate' | 'previous_from' | 'previous_to',
  choose: (one: Day, other: Day) => Day,
): Day | null =>
  group.reduce<Day | null>(
    (end, { [name]: day }) => (end === null || day === null ? (end ?? day) : choose(end, day)),
    null,
  )

/** Returns the periods and values that a group is made of, and the days that they are compared with. */
const extentOf = (group: readonly AnswerRow[]): Partial<AnswerRow> => ({
  first_date: endOf(group, 'entryDate', Math.min),
  last_date: endOf(group, 'entryDate', Math.max),
  values: group.filter(({ actual }) => actual !== null).length,
  previous_from: endOf(group, 'previous_from', Math.min),
  previous_to: endOf(group, 'previous_to', Math.max),
})

/** Returns what tells the rows of a category apart. */
const categoryFields = (facts: Facts, row: AnswerRow): Partial<AnswerRow> => {
  const { category_id, unit_id, aggregate_function } = kpiOf(facts, row)
  const category = facts.categories.get(category_id) ?? `category ${category_id}`
  return { category_id, category, unit_id, unit: unitName(facts, unit_id), aggregate_function }
}

/** Describes a way to group: what its rows have in common, and what a row no longer tells. */
type Group = {
  readonly keyOf: (row: AnswerRow, facts: Facts) => string
  readonly made: (row: AnswerRow, facts: Facts) => Partial<AnswerRow>
}

const GROUPS: Readonly<Record<NonNullable<Question['groupBy']>, Group>> = {
  period: { keyOf: ({ kpiId, entryDate }) => `${kpiId} ${entryDate}`, made: () => NO_ITEM },
  item: { keyOf: ({ kpiId, itemId }) => `${kpiId} ${itemId}`, made: () => NO_PERIOD },
  kpi: { keyOf: ({ kpiId }) => `${kpiId}`, made: () => ({ ...NO_ITEM, ...NO_PERIOD }) },
  category: {
    // Values of different units cannot be put together, nor sums with averages, nor what is good with what is bad.
    keyOf: (row, facts) => {
      const { category_id, unit_id, aggregate_function, value_direction } = kpiOf(facts, row)
      return `${category_id} ${unit_id} ${aggregate_function} ${value_direction}`
    },
    made: (row, facts) => ({
      ...NO_ITEM,
      ...NO_PERIOD,
      ...categoryFields(facts, row),
      kpiId: null,
      kpiName: null,
      kpiDescription: null,
      periodId: null,
      period: null,
    }),
  },
}

/**
 * Returns the rows of an answer with all that a question puts together: finer periods, items, groups. Notes in `exact`
 * what their values are before they are rounded.
 */
export const aggregateRows = (
  rows: readonly AnswerRow[],
  question: Question,
  facts: Facts,
  exact: ExactValues = new WeakMap(),
): AnswerRow[] => {
  const { by, total, groupBy = total ? 'period' : undefined } = question
  const periods = by === undefined ? [...rows] : byPeriod(rows, facts, exact, by)
  if (groupBy === undefined) return periods
  const { keyOf, made } = GROUPS[groupBy]
  return aggregateBy(periods, {
    keyOf: (row) => keyOf(row, facts),
    made: (first, group) => ({ ...(total ? {} : extentOf(group)), ...made(first, facts) }),
    facts,
    exact,
  })
}

/**
 * Returns the actual value of all these rows together: by the function of their KPI, or the sum of several KPIs. Null where
 * nothing can be said: KPIs are only added up where all are sums in one unit, of which more is better or worse alike.
 */
export const totalOf = (rows: readonly AnswerRow[], facts: Facts, exact: ExactValues): Decimal | null => {
  const [first, ...others] = new Set(rows.map((row) => kpiOf(facts, row)))
  const isAddable = others.every(
    (other) =>
      first?.aggregate_function === 'SUM' &&
      other.aggregate_function === 'SUM' &&
      other.unit_id === first.unit_id &&
      other.value_direction === first.value_direction,
  )
  if (!isAddable) return null
  const [all] = aggregateBy(rows, { keyOf: () => '', made: () => ({}), facts, exact })
  return all?.actual ?? null
}
