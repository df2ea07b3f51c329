import type { Day } from '../day.ts'
import { type Decimal, divideRounded } from '../decimal.ts'
import { KpiError } from '../errors.ts'
import { isCoarser, periodStart } from '../period.ts'
import { frequencyNames } from '../resources/catalog.ts'
import type { Kpi } from '../resources/kpi.ts'
import type { AnswerRow } from './answer-row.ts'
import type { TimeFunction } from './functions.ts'
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

/** Returns how the values of several periods of a KPI are put together. */
export const functionOf = ({ functions }: Facts, { id, aggregate_function: own }: Kpi): TimeFunction =>
  functions?.get(id) ?? (own === 'AVG' ? 'avg' : 'sum')

const isLess = (one: Exact, other: Exact): boolean => one.top * other.bottom < other.top * one.bottom

/** Returns the row of a group that stands for all: the last, or that with the least or the greatest value. */
const chosenRow = (
  group: readonly AnswerRow[],
  how: 'last' | 'min' | 'max',
  actualOf: (row: AnswerRow) => Exact | null,
): AnswerRow | undefined => {
  const inOrder = group.toSorted((one, other) => (one.entryDate ?? 0) - (other.entryDate ?? 0))
  let chosen: { readonly row: AnswerRow; readonly actual: Exact } | undefined
  for (const row of inOrder) {
    const actual = actualOf(row)
    if (actual === null) continue
    const isBetter =
      !chosen || how === 'last' || (how === 'min' ? !isLess(chosen.actual, actual) : !isLess(actual, chosen.actual))
    if (isBetter) chosen = { row, actual }
  }
  return chosen?.row ?? inOrder.at(-1)
}

/** Rounds an exact value to four decimals. */
const rounded = (value: Exact | null): Decimal | null => value && divideRounded(value.top, value.bottom)

/**
 * Holds what the values of rows are before they are rounded, so that an average of averages is rounded once; of those that
 * are not put together by their KPI's own function, also the rows that they are made of.
 */
export type ExactValues = WeakMap<
  AnswerRow,
  Readonly<Record<'actual' | 'target', Exact | null>> & { readonly of?: readonly AnswerRow[] }
>

/** Returns the rows that rows are made of, as far as these are kept; a row that is made of none stands for itself. */
const sourcesOf = (rows: readonly AnswerRow[], exact: ExactValues): AnswerRow[] =>
  rows.flatMap((row) => exact.get(row)?.of ?? [row])

/** Describes how rows are put together. */
type Joining = {
  readonly keyOf: (row: AnswerRow) => string
  /** Returns what the row of each group has beside the aggregated values. */
  readonly made: (first: AnswerRow, group: readonly AnswerRow[]) => Partial<AnswerRow>
  readonly facts: Facts
  readonly exact: ExactValues
  /** Says how values are put together, where it is not the function of their KPI. */
  readonly how?: TimeFunction | undefined
}

/** Tells whether each value has a target: else the sum of targets is no target of the sum of values. */
const haveTargets = (group: readonly AnswerRow[]): boolean =>
  group.every(({ actual, target }) => actual === null || target !== null)

/** Returns the values of a group of rows, before they are rounded. */
const joinedValues = (
  group: readonly AnswerRow[],
  how: TimeFunction,
  exact: ExactValues,
): Record<'actual' | 'target', Exact | null> => {
  const exactOf = (row: AnswerRow, name: 'actual' | 'target'): Exact | null => {
    const value = exact.get(row)?.[name] ?? row[name]
    return typeof value === 'bigint' ? { top: value, bottom: 1n } : value
  }
  if (how === 'sum' || how === 'avg') {
    const valuesOf = (name: 'actual' | 'target'): Exact | null =>
      aggregate(
        group.map((row) => exact.get(row)?.[name] ?? row[name]),
        how === 'sum' ? 'SUM' : 'AVG',
      )
    return { actual: valuesOf('actual'), target: haveTargets(group) ? valuesOf('target') : null }
  }
  const chosen = chosenRow(group, how, (row) => exactOf(row, 'actual'))
  if (!chosen) return { actual: null, target: null }
  return { actual: exactOf(chosen, 'actual'), target: exactOf(chosen, 'target') }
}

/** Puts rows together by a key; returns the row of each key, in the order in which the keys come. */
const aggregateByKey = (
  rows: readonly AnswerRow[],
  { keyOf, made, facts, exact, how }: Joining,
): Map<string, AnswerRow> =>
  new Map(
    [...Map.groupBy(rows, keyOf)].flatMap(([key, group]) => {
      const [first] = group
      if (!first) return []
      const own = kpiOf(facts, first).aggregate_function === 'AVG' ? 'avg' : 'sum'
      const values = {
        ...joinedValues(group, how ?? own, exact),
        ...(functionOf(facts, kpiOf(facts, first)) === own ? {} : { of: sourcesOf(group, exact) }),
      }
      const [actual, target] = [rounded(values.actual), rounded(values.target)]
      const row = { ...first, notes: null, actual, target, ...made(first, group) }
      exact.set(row, values)
      return [[key, row] as const]
    }),
  )

const aggregateBy = (rows: readonly AnswerRow[], joining: Joining): AnswerRow[] => [
  ...aggregateByKey(rows, joining).values(),
]

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
  { facts, exact, how }: Pick<Joining, 'facts' | 'exact' | 'how'>,
  by: NonNullable<Question['by']>,
): AnswerRow[] => {
  const isFiner = ({ periodId }: AnswerRow): boolean => periodId !== null && isCoarser(by, periodId)
  const startOf = ({ entryDate }: AnswerRow): Day => periodStart(by, entryDate ?? 0, facts.calendar)
  const aggregated = aggregateBy(rows.filter(isFiner), {
    keyOf: (row) => `${row.kpiId} ${row.itemId} ${startOf(row)}`,
    made: (first) => ({ periodId: by, period: frequencyNames[by], entryDate: startOf(first) }),
    facts,
    exact,
    how,
  })
  return [...aggregated, ...rows.filter((row) => !isFiner(row))].toSorted(inReportOrder(facts))
}

const NO_ITEM = { itemId: null, itemName: 'Total' } as const
const NO_PERIOD = { entryDate: null } as const

/** Returns the first or the last of the days that some rows have; null if they have none. */
const endOf = (
  group: readonly AnswerRow[],
  dayOf: (row: AnswerRow) => Day | null,
  choose: (one: Day, other: Day) => Day,
): Day | null =>
  group.reduce<Day | null>((end, row) => {
    const day = dayOf(row)
    return end === null || day === null ? (end ?? day) : choose(end, day)
  }, null)

/** Returns the periods and values that a group is made of, and the days that they are compared with. */
const extentOf = (group: readonly AnswerRow[]): Partial<AnswerRow> => ({
  first_date: endOf(group, (row) => row.first_date ?? row.entryDate, Math.min),
  last_date: endOf(group, (row) => row.last_date ?? row.entryDate, Math.max),
  values: group.reduce((sum, { values, actual }) => sum + (values ?? Number(actual !== null)), 0),
  previous_from: endOf(group, (row) => row.previous_from, Math.min),
  previous_to: endOf(group, (row) => row.previous_to, Math.max),
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

/** Returns the key of a row in an answer, and of rows of a category also their function, which must be the same. */
const groupKey = (row: AnswerRow, { keyOf }: Group, facts: Facts): string =>
  `${keyOf(row, facts)} ${functionOf(facts, kpiOf(facts, row))}`

/** Says how a question puts rows together. */
type Grouped = Pick<Joining, 'facts' | 'exact'> & {
  readonly group: Group
  readonly by: Question['by']
  readonly groupBy: NonNullable<Question['groupBy']>
  /** Returns what the row of a group has. */
  readonly made: Joining['made']
}

/**
 * Returns the rows of KPIs that are not put together by their own function: periods are by `how`, and items by that. The last
 * values are those of each item; the least and the greatest are those of all items together.
 */
const groupByFunction = (
  rows: readonly AnswerRow[],
  how: TimeFunction,
  { facts, exact, group, by, groupBy, made }: Grouped,
): Map<string, AnswerRow> => {
  const keyOf = (row: AnswerRow): string => groupKey(row, group, facts)
  const inPeriods = (of: readonly AnswerRow[]): readonly AnswerRow[] =>
    by === undefined ? of : byPeriod(of, { facts, exact, how }, by)
  const ofItem = ({ kpiId, itemId }: AnswerRow): string => `${kpiId} ${itemId}`
  const joined = { facts, exact, made: (_: AnswerRow, all: readonly AnswerRow[]) => extentOf(all) }
  if (groupBy === 'item') return aggregateByKey(inPeriods(rows), { facts, exact, keyOf, made, how })
  const joinsTime = groupBy !== 'period'
  if (how === 'last') {
    const items = inPeriods(rows)
    const last = joinsTime ? aggregateBy(items, { ...joined, keyOf: ofItem, how }) : items
    return aggregateByKey(last, { facts, exact, keyOf, made })
  }
  const periods = aggregateBy(rows, {
    ...joined,
    keyOf: ({ kpiId, periodId, entryDate }) => `${kpiId} ${periodId} ${entryDate}`,
    made: (_, all) => ({ ...(joinsTime ? extentOf(all) : {}), ...NO_ITEM }),
  })
  if (!joinsTime) return aggregateByKey(inPeriods(periods), { facts, exact, keyOf, made, how })
  const kpis = aggregateBy(inPeriods(periods), { ...joined, keyOf: ({ kpiId }) => String(kpiId), how })
  return aggregateByKey(kpis, { facts, exact, keyOf, made })
}

/** Returns rows with the function by which each was put together. */
const withFunctions = (rows: readonly AnswerRow[], facts: Facts): AnswerRow[] =>
  rows.map((row) => ({ ...row, function: row.function ?? functionOf(facts, kpiOf(facts, row)) }))

/** Returns rows by the functions of their KPIs that are not their own; `own` holds all others. */
const splitByFunction = (rows: readonly AnswerRow[], { functions, kpis }: Facts) =>
  Map.groupBy(rows, ({ kpiId }) => {
    const how = functions?.get(kpiId ?? 0)
    return how === undefined || how === kpis.get(kpiId ?? 0)?.aggregate_function.toLowerCase() ? 'own' : how
  })

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
  const byFunction = splitByFunction(rows, facts)
  const hasFunctions = question.function !== undefined || question.hasFunctions === true
  const named = hasFunctions ? withFunctions(rows, facts) : rows
  if (groupBy === undefined) {
    if (by === undefined) return [...named]
    const periods = [...splitByFunction(named, facts)].flatMap(([how, of]) =>
      byPeriod(of, { facts, exact, how: how === 'own' ? undefined : how }, by),
    )
    return byFunction.size > 1 ? periods.toSorted(inReportOrder(facts)) : periods
  }
  const group = GROUPS[groupBy]
  const made: Joining['made'] = (first, all) => ({ ...(total ? {} : extentOf(all)), ...group.made(first, facts) })
  const found = new Map<string, AnswerRow>()
  const keyOf = (row: AnswerRow): string => groupKey(row, group, facts)
  for (const [how, of] of splitByFunction(named, facts)) {
    const periods = how === 'own' && by !== undefined ? byPeriod(of, { facts, exact }, by) : of
    const grouped =
      how === 'own'
        ? aggregateByKey(periods, { facts, exact, keyOf, made })
        : groupByFunction(of, how, { facts, exact, group, by, groupBy, made })
    for (const [key, row] of grouped) found.set(key, row)
  }
  if (byFunction.size < 2) return [...found.values()]
  // Keep the order in which groups come, whatever their functions are.
  const inOrder = by === undefined ? named : byPeriod(named, { facts, exact: new WeakMap() }, by)
  return [...new Set(inOrder.map(keyOf))].flatMap((key) => found.get(key) ?? [])
}

/** Returns what puts all rows together that have one function, as `--group-by kpi` does it. */
const TOGETHER = { group: { keyOf: () => '', made: () => ({}) }, groupBy: 'kpi', made: () => ({}) } as const

/**
 * Returns the actual value of all these rows of an answer together, as `--group-by` has it: by the function of their KPI, or
 * the sum of several KPIs. Null where nothing can be said: KPIs are only added up where all are sums in one unit, with one
 * function over time, of which more is better or worse alike.
 */
export const totalOf = (
  rows: readonly AnswerRow[],
  facts: Facts,
  { by, exact }: { readonly by: Question['by']; readonly exact: ExactValues },
): Decimal | null => {
  const [first, ...others] = new Set(rows.map((row) => kpiOf(facts, row)))
  const isAddable = others.every(
    (other) =>
      first?.aggregate_function === 'SUM' &&
      other.aggregate_function === 'SUM' &&
      other.unit_id === first.unit_id &&
      other.value_direction === first.value_direction &&
      functionOf(facts, other) === functionOf(facts, first),
  )
  if (!isAddable) return null
  const [parts] = splitByFunction(rows, facts)
  if (!parts) return null
  const [how] = parts
  const all =
    how === 'own'
      ? aggregateBy(rows, { keyOf: () => '', made: () => ({}), facts, exact })
      : groupByFunction(sourcesOf(rows, exact), how, { ...TOGETHER, facts, exact, by }).values()
  return [...all][0]?.actual ?? null
}
