import { type DayRange, daysOfPeriodsIn, type Frequency } from '../domain/period.ts'
import { effectiveTarget, type Report, reportBuilder, type ReportItem, type ReportKpi } from '../domain/report.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { fullName } from '../domain/resources/user.ts'
import { type AssignedKpis, assignments } from '../store/assignments.ts'
import { units } from '../store/catalog.ts'
import type { Reader } from '../store/db.ts'
import { entryQueries } from '../store/entry-queries.ts'
import { kpis } from '../store/kpis.ts'
import { users } from '../store/users.ts'
import type { Context } from './context.ts'

/** What to report: days, and the KPIs and users to narrow to; ids that do not exist select nothing. */
export type ReportQuery = {
  readonly days: DayRange
  readonly kpiIds?: ReadonlySet<number> | undefined
  readonly userIds?: ReadonlySet<number> | undefined
}

const selectedKpis = async (tx: Reader, account: number, ids?: ReadonlySet<number>): Promise<ReportKpi[]> => {
  const unitOf = new Map((await units.list(tx, account)).map((unit) => [unit.id, unit]))
  const selected: ReportKpi[] = []
  for (const kpi of await kpis.list(tx, account)) {
    const unit = unitOf.get(kpi.unit_id)
    if (unit && (!ids || ids.has(kpi.id))) selected.push({ ...kpi, unit })
  }
  return selected
}

const selectedUsers = async (tx: Reader, account: number, ids?: ReadonlySet<number>): Promise<ReportItem[]> => {
  const all = await users.list(tx, account)
  return all.filter(({ id }) => !ids || ids.has(id)).map((user) => ({ id: user.id, name: fullName(user) }))
}

const byFrequency = (list: readonly ReportKpi[]): Map<Frequency, ReportKpi[]> =>
  Map.groupBy(list, ({ frequency_id }) => frequency_id)

const targetsOf = (
  tx: Reader,
  account: number,
  items: readonly ReportItem[],
  list: readonly ReportKpi[],
): Promise<AssignedKpis> => {
  const withTarget = list.filter(({ target_default }) => target_default !== null)
  return assignments.among(
    tx,
    account,
    items.map(({ id }) => id),
    withTarget.map(({ id }) => id),
  )
}

const mapById = <T extends Pick<Kpi, 'id'>>(list: readonly T[]): Map<number, T> =>
  new Map(list.map((one) => [one.id, one]))

/** The processed report by users (decisions, section 6), from one state of the store. */
export const report = ({ db, account }: Context, query: ReportQuery): Promise<Report> =>
  db.read(async (tx) => {
    const selected = await selectedKpis(tx, account.id, query.kpiIds)
    const items = await selectedUsers(tx, account.id, query.userIds)
    const targets = await targetsOf(tx, account.id, items, selected)
    const [kpiOf, itemOf] = [mapById(selected), mapById(items)]
    const builder = reportBuilder(account)
    for (const [frequency, list] of byFrequency(selected)) {
      const days = daysOfPeriodsIn(frequency, query.days, account)
      const of = { items: itemOf.keys(), kpis: list.map(({ id }) => id), days }
      await entryQueries.eachOf(tx, account.id, of, ({ itemId, kpiId, day, actual, target, notes }) => {
        const [kpi, item] = [kpiOf.get(kpiId), itemOf.get(itemId)]
        if (!kpi || !item) return
        const effective = effectiveTarget(target, targets.get(itemId)?.get(kpiId), kpi)
        builder.add(kpi, item, { day, actual, target: effective, notes })
      })
    }
    return builder.finish()
  })
