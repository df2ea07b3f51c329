import type { Calendar, Frequency } from '../../src/domain/period.ts'
import type { Kpi } from '../../src/domain/resources/kpi.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'
import type { Unit } from '../../src/domain/resources/catalog.ts'
import type { User } from '../../src/domain/resources/user.ts'
import type { Variant } from '../../src/domain/variants.ts'
import { dateOf } from './calendar.ts'
import { worked, type Written } from './formula-model.ts'
import { averageOf, type Rational, rational, sumOf, tenThousandths } from './rational.ts'

/** An entry, its target as it was sent, and the group items that it carries. */
export type EntryFact = {
  readonly id: number
  /** A user, or the group item that it is of itself. */
  readonly item: number
  readonly kpi_id: number
  readonly entry_date: number
  readonly actual: bigint | null
  readonly target: bigint | null
  readonly notes: string | null
  readonly groups: readonly number[]
}

/** How a calculated KPI is defined. */
export type CalculationFact = {
  readonly formula: Written
  readonly over: 'results' | 'inputs'
  readonly target_from: 'default' | 'formula'
}

/** All that an account holds which a report is made of. */
export type Facts = {
  readonly calendar: Calendar
  readonly kpis: readonly Kpi[]
  readonly units: readonly Unit[]
  readonly users: readonly User[]
  readonly groupItems: readonly { readonly id: number; readonly name: string }[]
  /** Targets of KPIs on days before their first dated one. */
  readonly bases: ReadonlyMap<number, bigint | null>
  /** Dated targets of KPIs, by `kpi`, and of users, by `user kpi`. */
  readonly dated: ReadonlyMap<string, readonly { readonly from: number; readonly target: bigint }[]>
  /** Users' own targets, by `user kpi`. */
  readonly targets: ReadonlyMap<string, bigint | null>
  readonly entries: readonly EntryFact[]
  /** By the id of the KPI. */
  readonly calculations: ReadonlyMap<number, CalculationFact>
}

/** What is asked for; both days are included. */
export type Asked = {
  /** The newer variant reports all breakdown items where the classic one reports users. */
  readonly variant: Variant
  readonly from: number
  readonly to: number
  readonly kpiIds?: readonly number[] | undefined
  readonly userIds?: readonly number[] | undefined
  readonly groupItemIds?: readonly number[] | undefined
}

const NAMES = { D: 'Daily', W: 'Weekly', M: 'Monthly', Q: 'Quarterly', Y: 'Yearly' } as const
const DIRECTIONS = { U: 'Up', D: 'Down', N: 'None' } as const
/** A decimal has 14 digits before its point and 4 behind it. */
const TOO_LARGE = 10n ** 18n

/** Whether a period begins on the day, as a wall calendar shows it. */
const isFirst = (frequency: Frequency, day: number, { week_start, fiscal_year_start }: Calendar): boolean => {
  const date = dateOf(day)
  const monthOfYear = (date.getUTCMonth() + 1 - fiscal_year_start + 12) % 12
  if (frequency === 'D') return true
  if (frequency === 'W') return date.getUTCDay() === (week_start === 'monday' ? 1 : 0)
  if (date.getUTCDate() !== 1) return false
  return frequency === 'M' || monthOfYear % (frequency === 'Q' ? 3 : 12) === 0
}

/** What was found out once, as the model asks for the same days again and again. */
const starts = new Map<string, number>()

/** The day on which the period of a day begins: the last one, from there back, on which one does. */
const startOf = (frequency: Frequency, day: number, calendar: Calendar): number => {
  const key = `${frequency} ${day} ${calendar.week_start} ${calendar.fiscal_year_start}`
  const start = starts.get(key) ?? (isFirst(frequency, day, calendar) ? day : startOf(frequency, day - 1, calendar))
  starts.set(key, start)
  return start
}

const begins = (frequency: Frequency, day: number, calendar: Calendar): boolean =>
  startOf(frequency, day, calendar) === day

/** The days of the period that begins on a day. */
const daysFrom = (frequency: Frequency, start: number, calendar: Calendar): number[] => {
  const days = [start]
  for (let day = start + 1; !begins(frequency, day, calendar); day += 1) days.push(day)
  return days
}

const byEach =
  <T>(...keys: readonly ((one: T) => number)[]) =>
  (left: T, right: T): number =>
    keys.map((key) => key(left) - key(right)).find((difference) => difference !== 0) ?? 0

/** The sum or average of what there is. */
const aggregated = (kpi: Kpi, values: readonly (Rational | undefined)[]): Rational | undefined => {
  const present = values.filter((value) => value !== undefined)
  if (present.length === 0) return undefined
  return kpi.aggregate_function === 'SUM' ? sumOf(present) : averageOf(present)
}

const numberOf = (value: bigint | null | undefined): Rational | undefined =>
  value === null || value === undefined ? undefined : rational(value, 10_000n)

/** Whose entries are looked at: an item's, or, of a group item, all that belong to it; `entries` are those. */
type Scope = { readonly entries: readonly EntryFact[]; readonly item: number; readonly isGroup: boolean }

/** What a KPI comes to in a period, before anything is rounded. */
type Came = { readonly actual: Rational | undefined; readonly target: Rational | undefined }

const kpiOf = ({ kpis }: Facts, id: number): Kpi => {
  const kpi = kpis.find((one) => one.id === id)
  if (!kpi) throw new Error(`there is no KPI ${id}`)
  return kpi
}

/** Whether a KPI has a target of its own, on any day. */
const hasOwn = ({ bases, dated }: Facts, { id }: Kpi): boolean =>
  (bases.get(id) ?? null) !== null || (dated.get(`${id}`) ?? []).length > 0

/** The last of dated targets that begins on the day or before, else the base. */
const onDay = (facts: Facts, key: string, base: bigint | null | undefined, day: number): bigint | null | undefined => {
  let found = base
  let last = -Infinity
  for (const { from, target } of facts.dated.get(key) ?? []) {
    if (from > day || from < last) continue
    found = target
    last = from
  }
  return found
}

const hasTarget = (facts: Facts, kpi: Kpi): boolean => {
  const calculation = facts.calculations.get(kpi.id)
  if (hasOwn(facts, kpi) || calculation?.target_from !== 'formula') return hasOwn(facts, kpi)
  return calculation.formula.kpis.every((id) => hasTarget(facts, kpiOf(facts, id)))
}

/** The target of a KPI for everybody, in the period that begins on a day. */
const commonTarget = (facts: Facts, { id }: Kpi, start: number): bigint | null =>
  onDay(facts, `${id}`, facts.bases.get(id), start) ?? null

/** The target of an item for a KPI that has one: its own where it has one, and that of the KPI else. */
const targetFor = (facts: Facts, kpi: Kpi, item: number, own: bigint | null, start: number): bigint | null => {
  const key = `${item} ${kpi.id}`
  if (!hasOwn(facts, kpi)) return null
  return own ?? onDay(facts, key, facts.targets.get(key), start) ?? commonTarget(facts, kpi, start)
}

const entriesIn = (facts: Facts, kpi: Kpi, frequency: Frequency, start: number, scope: Scope): EntryFact[] => {
  return scope.entries
    .filter((entry) => entry.kpi_id === kpi.id && startOf(frequency, entry.entry_date, facts.calendar) === start)
    .toSorted(
      byEach<EntryFact>(
        (entry) => entry.entry_date,
        (entry) => entry.id,
      ),
    )
}

const enteredCame = (facts: Facts, kpi: Kpi, frequency: Frequency, start: number, scope: Scope): Came => {
  const entries = entriesIn(facts, kpi, frequency, start, scope)
  return {
    actual: aggregated(
      kpi,
      entries.map(({ actual }) => numberOf(actual)),
    ),
    target: aggregated(
      kpi,
      entries.map(({ item, target, entry_date }) =>
        numberOf(targetFor(facts, kpi, item, target, startOf(kpi.frequency_id, entry_date, facts.calendar))),
      ),
    ),
  }
}

/** Results of one KPI made one by its own function; a result without an actual is none. */
const together = (kpi: Kpi, results: readonly Came[]): Came => {
  const there = results.filter(({ actual }) => actual !== undefined)
  return {
    actual: aggregated(
      kpi,
      there.map(({ actual }) => actual),
    ),
    target: aggregated(
      kpi,
      there.map(({ target }) => target),
    ),
  }
}

const membersOf = ({ entries }: Scope): Scope[] =>
  [...new Set(entries.map(({ item }) => item))].map((item) => {
    return { item, isGroup: false, entries: entries.filter((entry) => entry.item === item) }
  })

const formulaCame = (
  facts: Facts,
  kpi: Kpi,
  { formula, target_from }: CalculationFact,
  start: number,
  scope: Scope,
) => {
  const inputs = new Map(
    formula.kpis.map((id) => [id, came(facts, kpiOf(facts, id), kpi.frequency_id, start, scope)] as const),
  )
  const actual = worked(formula, (id) => inputs.get(id)?.actual)
  if (typeof actual === 'string') return { actual: undefined, target: undefined }
  if (hasOwn(facts, kpi)) {
    const own = scope.isGroup ? commonTarget(facts, kpi, start) : targetFor(facts, kpi, scope.item, null, start)
    return { actual, target: numberOf(own) }
  }
  const target = hasTarget(facts, kpi) && target_from === 'formula' && worked(formula, (id) => inputs.get(id)?.target)
  return { actual, target: typeof target === 'object' ? target : undefined }
}

/** What a KPI comes to in the period, of its own frequency or a coarser one, that begins on a day. */
const came = (facts: Facts, kpi: Kpi, frequency: Frequency, start: number, scope: Scope): Came => {
  const calculation = facts.calculations.get(kpi.id)
  if (!calculation) return enteredCame(facts, kpi, frequency, start, scope)
  if (frequency !== kpi.frequency_id) {
    const starts = daysFrom(frequency, start, facts.calendar).filter((day) =>
      begins(kpi.frequency_id, day, facts.calendar),
    )
    return together(
      kpi,
      starts.map((day) => came(facts, kpi, kpi.frequency_id, day, scope)),
    )
  }
  if (scope.isGroup && calculation.over === 'results') {
    return together(
      kpi,
      membersOf(scope).map((member) => came(facts, kpi, frequency, start, member)),
    )
  }
  return formulaCame(facts, kpi, calculation, start, scope)
}

type Named = { readonly id: number; readonly name: string }

const rounded = (value: Rational | undefined): bigint | null => (value ? tenThousandths(value) : null)
const isTooLarge = (value: bigint | null): boolean => value !== null && (value >= TOO_LARGE || value <= -TOO_LARGE)

const valuesOf = (facts: Facts, kpi: Kpi, day: number, scope: Scope): Partial<ReportRow> | undefined => {
  const result = came(facts, kpi, kpi.frequency_id, day, scope)
  const [actual, target] = [rounded(result.actual), rounded(result.target)]
  if (facts.calculations.has(kpi.id)) {
    if (actual === null || isTooLarge(actual)) return undefined
    return { actual, target: isTooLarge(target) ? null : target, notes: null }
  }
  const entries = entriesIn(facts, kpi, kpi.frequency_id, day, scope)
  const notes = entries.map((entry) => entry.notes).filter((note) => note !== null)
  if (entries.length === 0) return undefined
  return { actual, target, notes: notes.length === 0 ? null : notes.join('\n') }
}

const rowOf = (facts: Facts, kpi: Kpi, item: Named, day: number, scope: Scope): object | undefined => {
  const unit = facts.units.find(({ id }) => id === kpi.unit_id)
  const values = valuesOf(facts, kpi, day, scope)
  if (!values || !unit) return undefined
  return {
    kpiId: kpi.id,
    kpiName: kpi.name,
    kpiDescription: kpi.description,
    itemId: item.id,
    itemName: item.name,
    periodId: kpi.frequency_id,
    period: NAMES[kpi.frequency_id],
    labelFormat: unit.display_format,
    isPercentage: unit.is_percentage ? 1 : 0,
    hasTarget: hasTarget(facts, kpi) ? 1 : 0,
    direction: kpi.value_direction,
    directionName: DIRECTIONS[kpi.value_direction],
    entryDate: day,
    ...values,
  }
}

const nameOf = (user: User): string => [user.first_name, user.last_name].filter((name) => name !== null).join(' ')

/** The items of a report, in order, each with the entries that belong to it. */
const scopesOf = (facts: Facts, { variant, userIds, groupItemIds }: Asked): { item: Named; scope: Scope }[] => {
  const users = facts.users.map((user) => ({ id: user.id, name: nameOf(user) }))
  const isOf = (item: number): boolean => !userIds || (userIds.includes(item) && users.some(({ id }) => id === item))
  const usual = variant === 'v1' ? [...users, ...facts.groupItems] : users
  const items = groupItemIds
    ? facts.groupItems.filter(({ id }) => groupItemIds.includes(id))
    : usual.filter(({ id }) => isOf(id))
  return items
    .toSorted(byEach(({ id }) => id))
    .map((item) => {
      const entries = groupItemIds
        ? facts.entries.filter(
            (entry) => isOf(entry.item) && (entry.item === item.id || entry.groups.includes(item.id)),
          )
        : facts.entries.filter((entry) => entry.item === item.id)
      return { item, scope: { entries, item: item.id, isGroup: groupItemIds !== undefined } }
    })
    .filter(({ scope }) => scope.entries.length > 0)
}

/** The report, day by day, KPI by KPI, item by item: slow, and plainly by the rules of reports. */
export const modelReport = (facts: Facts, asked: Asked): object[] => {
  const kpis = facts.kpis.toSorted(
    byEach<Kpi>(
      ({ sort_order }) => sort_order,
      ({ id }) => id,
    ),
  )
  const scopes = scopesOf(facts, asked)
  const days = Array.from({ length: asked.to - asked.from + 1 }, (_, at) => asked.from + at)
  return days.flatMap((day) =>
    kpis
      .filter(({ id }) => !asked.kpiIds || asked.kpiIds.includes(id))
      .filter(({ frequency_id }) => begins(frequency_id, day, facts.calendar))
      .flatMap((kpi) => scopes.map(({ item, scope }) => rowOf(facts, kpi, item, day, scope)))
      .filter((row) => row !== undefined),
  )
}
