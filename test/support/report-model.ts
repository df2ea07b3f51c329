import type { Calendar } from '../../src/domain/period.ts'
import type { Entry } from '../../src/domain/resources/entry.ts'
import type { Kpi } from '../../src/domain/resources/kpi.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'
import type { Unit } from '../../src/domain/resources/unit.ts'
import type { User } from '../../src/domain/resources/user.ts'
import { dateOf } from './calendar.ts'

/** All that an account holds which a report is made of. An entry's target is the one that was sent. */
export type Facts = {
  readonly calendar: Calendar
  readonly kpis: readonly Kpi[]
  readonly units: readonly Unit[]
  readonly users: readonly User[]
  /** Users' own targets, by `user kpi`. */
  readonly targets: ReadonlyMap<string, bigint | null>
  readonly entries: readonly Omit<Entry, 'id' | 'created_at' | 'updated_at'>[]
}

/** What is asked for; both days are included. */
export type Asked = {
  readonly from: number
  readonly to: number
  readonly kpiIds?: readonly number[] | undefined
  readonly userIds?: readonly number[] | undefined
}

const NAMES = { D: 'Daily', W: 'Weekly', M: 'Monthly', Q: 'Quarterly', Y: 'Yearly' } as const
const DIRECTIONS = { U: 'Up', D: 'Down', N: 'None' } as const

/** Whether a period begins on the day, as a wall calendar shows it. */
const begins = (kpi: Kpi, day: number, { week_start, fiscal_year_start }: Calendar): boolean => {
  const date = dateOf(day)
  const monthOfYear = (date.getUTCMonth() + 1 - fiscal_year_start + 12) % 12
  if (kpi.frequency_id === 'D') return true
  if (kpi.frequency_id === 'W') return date.getUTCDay() === (week_start === 'monday' ? 1 : 0)
  if (date.getUTCDate() !== 1) return false
  return kpi.frequency_id === 'M' || monthOfYear % (kpi.frequency_id === 'Q' ? 3 : 12) === 0
}

/** The day on which the period of a day begins: the last one, from there back, on which one does. */
const startOf = (kpi: Kpi, day: number, calendar: Calendar): number =>
  begins(kpi, day, calendar) ? day : startOf(kpi, day - 1, calendar)

/** The sum or average of ten-thousandths, rounded as on paper: half a ten-thousandth goes away from zero. */
const processed = (kpi: Kpi, values: readonly (bigint | null)[]): bigint | null => {
  const present = values.filter((value) => value !== null)
  if (present.length === 0) return null
  const sum = present.reduce((total, value) => total + value, 0n)
  if (kpi.aggregate_function === 'SUM') return sum
  const count = BigInt(present.length)
  const magnitude = sum < 0n ? -sum : sum
  const rounded = magnitude / count + ((magnitude % count) * 2n >= count ? 1n : 0n)
  return sum < 0n ? -rounded : rounded
}

const byEach =
  <T>(...keys: readonly ((one: T) => number)[]) =>
  (left: T, right: T): number =>
    keys.map((key) => key(left) - key(right)).find((difference) => difference !== 0) ?? 0

const rowOf = (facts: Facts, kpi: Kpi, user: User, day: number): ReportRow | undefined => {
  const own = facts.targets.get(`${user.id} ${kpi.id}`) ?? null
  const unit = facts.units.find(({ id }) => id === kpi.unit_id)
  const entries = facts.entries
    .filter((entry) => entry.kpi_id === kpi.id && entry.user_id === user.id)
    .filter((entry) => startOf(kpi, entry.entry_date, facts.calendar) === day)
    .toSorted(byEach((entry) => entry.entry_date))
  const notes = entries.map((entry) => entry.notes).filter((note) => note !== null)
  const hasTarget = kpi.target_default !== null
  if (entries.length === 0 || !unit) return undefined
  return {
    kpiId: kpi.id,
    kpiName: kpi.name,
    kpiDescription: kpi.description,
    itemId: user.id,
    itemName: [user.first_name, user.last_name].filter((name) => name !== null).join(' '),
    periodId: kpi.frequency_id,
    period: NAMES[kpi.frequency_id],
    labelFormat: unit.display_format,
    isPercentage: unit.is_percentage ? 1 : 0,
    hasTarget: hasTarget ? 1 : 0,
    direction: kpi.value_direction,
    directionName: DIRECTIONS[kpi.value_direction],
    entryDate: day,
    actual: processed(
      kpi,
      entries.map((entry) => entry.actual),
    ),
    target: hasTarget
      ? processed(
          kpi,
          entries.map((entry) => entry.target ?? own ?? kpi.target_default),
        )
      : null,
    notes: notes.length === 0 ? null : notes.join('\n'),
  }
}

/** The report, day by day, KPI by KPI, user by user: slow, and plainly what decisions section 6 says. */
export const modelReport = (facts: Facts, { from, to, kpiIds, userIds }: Asked): ReportRow[] => {
  const kpis = facts.kpis.toSorted(
    byEach<Kpi>(
      ({ sort_order }) => sort_order,
      ({ id }) => id,
    ),
  )
  const users = facts.users.toSorted(byEach<User>(({ id }) => id))
  const days = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  return days.flatMap((day) =>
    kpis
      .filter((kpi) => (!kpiIds || kpiIds.includes(kpi.id)) && begins(kpi, day, facts.calendar))
      .flatMap((kpi) =>
        users
          .filter(({ id }) => !userIds || userIds.includes(id))
          .map((user) => rowOf(facts, kpi, user, day))
          .filter((row) => row !== undefined),
      ),
  )
}
