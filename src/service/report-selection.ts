import { type Catalogue, hasTarget } from '../domain/calculation.ts'
import type { DayRange } from '../domain/period.ts'
import type { ReportItem, ReportKpi } from '../domain/report.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { fullName } from '../domain/resources/user.ts'
import { units } from '../store/catalog.ts'
import type { Reader } from '../store/db.ts'
import { users } from '../store/users.ts'

/** What to report: days, and the KPIs and users to narrow to; ids that do not exist select nothing. */
export type ReportQuery = {
  readonly days: DayRange
  readonly kpiIds?: ReadonlySet<number> | undefined
  readonly userIds?: ReadonlySet<number> | undefined
  /** Reports group items instead of users. */
  readonly groupItemIds?: ReadonlySet<number> | undefined
}

/** KPIs that are reported. */
export type Selected = { readonly entered: readonly ReportKpi[]; readonly calculated: readonly ReportKpi[] }

/** The KPIs that are asked for, those that are entered and those that are calculated. */
export const selectKpis = async (
  tx: Reader,
  account: number,
  catalogue: Catalogue<Kpi>,
  ids?: ReadonlySet<number>,
): Promise<Selected> => {
  const unitOf = new Map((await units.list(tx, account)).map((unit) => [unit.id, unit]))
  const [entered, calculated]: [ReportKpi[], ReportKpi[]] = [[], []]
  for (const kpi of catalogue.kpis.values()) {
    const unit = unitOf.get(kpi.unit_id)
    if (!unit || (ids && !ids.has(kpi.id))) continue
    const list = catalogue.calculations.has(kpi.id) ? calculated : entered
    list.push({ ...kpi, unit, has_target: hasTarget(catalogue, kpi) })
  }
  return { entered, calculated }
}

/** The users that are asked for. */
export const selectUsers = async (tx: Reader, account: number, ids?: ReadonlySet<number>): Promise<ReportItem[]> => {
  const all = await users.list(tx, account)
  return all.filter(({ id }) => !ids || ids.has(id)).map((user) => ({ id: user.id, name: fullName(user) }))
}
