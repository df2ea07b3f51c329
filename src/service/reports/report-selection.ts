import { type Catalogue, hasTarget } from '../../domain/calculated/calculation.ts'
import type { DayRange } from '../../domain/period.ts'
import type { ReportItem, ReportKpi } from '../../domain/report.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { fullName } from '../../domain/resources/user.ts'
import type { Reader } from '../../store/db.ts'
import { breakdownItems } from '../../store/tables/breakdowns.ts'
import { units } from '../../store/tables/catalog.ts'
import { users } from '../../store/tables/users.ts'

/** Describes what to report: days, KPIs and users. Unknown ids select nothing. */
export type ReportQuery = {
  readonly days: DayRange
  readonly kpiIds?: ReadonlySet<number> | undefined
  readonly userIds?: ReadonlySet<number> | undefined
  /** Selects group items to report, instead of the usual items. */
  readonly groupItemIds?: ReadonlySet<number> | undefined
}

/** Loads the items of a variant's reports, or only those of some users. */
export type SelectItems = (tx: Reader, account: number, userIds?: ReadonlySet<number>) => Promise<ReportItem[]>

/** Holds the KPIs to report. */
export type Selected = { readonly entered: readonly ReportKpi[]; readonly calculated: readonly ReportKpi[] }

/** Loads the selected KPIs. */
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

/** Loads the selected users. */
export const selectUsers: SelectItems = async (tx, account, ids) => {
  const all = await users.list(tx, account)
  return all.filter(({ id }) => !ids || ids.has(id)).map((user) => ({ id: user.id, name: fullName(user) }))
}

/** Loads all breakdown items, including people; if users are selected, only their items. */
export const selectBreakdownItems: SelectItems = async (tx, account, userIds) => {
  const all = await breakdownItems.list(tx, account)
  const isAsked = (userId: number | null): boolean => !userIds || (userId !== null && userIds.has(userId))
  return all.filter(({ user_id }) => isAsked(user_id)).map(({ id, name }) => ({ id, name }))
}
