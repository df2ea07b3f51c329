import type { Decimal } from '../../domain/decimal.ts'
import type { EntrySum } from '../../domain/resources/entry-run.ts'
import type { DayRange } from '../../domain/period.ts'
import { entryQueries, type SelectedEntry } from '../../store/tables/entry-queries.ts'
import { users as userStore } from '../../store/tables/users.ts'
import type { Context } from '../context.ts'

/** Selects entries: those of some users, breakdown items and KPIs, or of all, within a range of days. */
export type EntrySelection = {
  readonly users?: ReadonlySet<number> | undefined
  /** Holds breakdown items, also of people. */
  readonly items?: ReadonlySet<number> | undefined
  readonly kpis: ReadonlySet<number> | undefined
  readonly days: DayRange
}

/** Visits the entries of a selection in the order of their keys; other requests run in between. */
export const eachSelected = (
  { db, account }: Context,
  { users, items, kpis, days }: EntrySelection,
  visit: (entry: SelectedEntry) => void,
): Promise<void> =>
  db.readLong(async (tx) => {
    // An id of an item that is not a user selects nothing as one of a user.
    const people = users && (await userStore.findMany(tx, account.id, users)).keys()
    const owners = people || items ? new Set([...(people ?? []), ...(items ?? [])]) : undefined
    await entryQueries.eachSelected(tx, account.id, { items: owners, kpis, days }, visit)
  })

/** Returns what the entries of a selection come to, by KPI. */
export const sumEntries = async (ctx: Context, selection: EntrySelection): Promise<readonly EntrySum[]> => {
  const sums = new Map<number, { entries: number; actual: Decimal | null }>()
  await eachSelected(ctx, selection, ({ kpiId, actual }) => {
    const sum = sums.get(kpiId) ?? { entries: 0, actual: null }
    sum.entries += 1
    if (actual !== null) sum.actual = (sum.actual ?? 0n) + actual
    sums.set(kpiId, sum)
  })
  return [...sums].map(([kpi_id, sum]) => ({ kpi_id, ...sum })).toSorted((one, other) => one.kpi_id - other.kpi_id)
}
