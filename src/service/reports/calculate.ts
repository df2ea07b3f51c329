import { setImmediate } from 'node:timers/promises'
import type { Catalogue, Plan } from '../../domain/calculated/calculation.ts'
import {
  type Calculator,
  groupCalculator,
  itemCalculator,
  type TakeSeries,
  type TargetOf,
} from '../../domain/calculated/calculator.ts'
import type { EffortPause } from '../../domain/calculated/series.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { DayRange } from '../../domain/period.ts'
import { effectiveTarget } from '../../domain/report.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { Reader } from '../../store/db.ts'
import { assignments } from '../../store/tables/assignments.ts'
import { entryQueries, type GroupFilter, type ReportedEntry } from '../../store/tables/entry-queries.ts'

/** Returns the effective target of an entry: its own, else its user's, else its KPI's. */
type EntryTarget = (entry: Pick<ReportedEntry, 'itemId' | 'kpiId' | 'target'>) => Decimal | null

/** Describes what calculating works with. */
export type Calculating = {
  readonly tx: Reader
  readonly account: number
  readonly plan: Plan
  readonly targetOf: EntryTarget
}

/** Finds the targets of users for the KPIs that have one and are looked at. */
export const loadTargets = async (
  tx: Reader,
  account: number,
  catalogue: Catalogue<Kpi>,
  users: Iterable<number>,
  kpis: Iterable<number>,
): Promise<EntryTarget> => {
  const withTarget = [...new Set(kpis)].filter((id) => (catalogue.kpis.get(id)?.target_default ?? null) !== null)
  const own = await assignments.amongMany(tx, account, users, withTarget)
  return ({ itemId, kpiId, target }) => {
    const kpi = catalogue.kpis.get(kpiId)
    return kpi ? effectiveTarget(target, own.get(itemId)?.get(kpiId), kpi) : null
  }
}

/** Sets how much is computed at a time: one or two milliseconds. */
const EFFORT_A_TURN = 2000

/** Creates a pause for others whenever a computation has taken so much effort that they should not wait any longer. */
export const createEffortPause = (): EffortPause => {
  let spent = 0
  return (effort) => {
    spent += effort
    if (spent < EFFORT_A_TURN) return undefined
    spent = 0
    return setImmediate()
  }
}

type Needed = { readonly kpis: Iterable<number>; readonly days: DayRange }
type Visit<Key> = (key: Key, entry: ReportedEntry) => void | Promise<void>

const feed = async <Key extends readonly number[]>(
  { plan: { inputs, span }, targetOf }: Calculating,
  calculator: Calculator<Key>,
  read: (of: Needed, visit: Visit<Key>) => Promise<void>,
): Promise<void> => {
  if (!span) return
  await read({ kpis: inputs.keys(), days: span }, (key, entry) => {
    const days = inputs.get(entry.kpiId)
    if (!days || entry.day < days.from || entry.day > days.to) return undefined
    return calculator.add(key, { ...entry, target: targetOf(entry) })
  })
  await calculator.finish()
}

const targetOfItem = ({ targetOf }: Calculating): TargetOf => {
  return ({ id: kpiId }, itemId) => targetOf({ itemId, kpiId, target: null })
}

/** Calculates for items, one after the other. */
export const calculateItems = (calculating: Calculating, items: Iterable<number>, take: TakeSeries): Promise<void> => {
  const { tx, account, plan } = calculating
  return feed(calculating, itemCalculator(plan, targetOfItem(calculating), take, createEffortPause()), (of, visit) =>
    entryQueries.eachOf(tx, account, { ...of, items }, (entry) => visit([entry.itemId], entry)),
  )
}

/** Calculates for group items, one after the other. */
export const calculateGroups = (
  calculating: Calculating,
  filter: Pick<GroupFilter, 'groups' | 'users'>,
  take: TakeSeries,
): Promise<void> => {
  const { tx, account, plan } = calculating
  return feed(calculating, groupCalculator(plan, targetOfItem(calculating), take, createEffortPause()), (of, visit) =>
    entryQueries.eachOfMembers(tx, account, { ...filter, ...of }, (group, entry) =>
      visit([group, entry.itemId], entry),
    ),
  )
}
