import { setImmediate } from 'node:timers/promises'
import type { Catalogue, Plan } from '../../domain/calculated/calculation.ts'
import type { Calculator, TakeSeries, TargetOf } from '../../domain/calculated/calculator.ts'
import type { EffortPause } from '../../domain/calculated/series.ts'
import { hasAnyTarget } from '../../domain/targets/dated-targets.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { type Calendar, type DayRange, periodStart } from '../../domain/period.ts'
import { effectiveTarget } from '../../domain/report.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { Reader } from '../../store/db.ts'
import { assignments } from '../../store/tables/assignments.ts'
import { entryQueries, type GroupFilter, type ReportedEntry } from '../../store/tables/entry-queries.ts'

/** Returns the effective target of an entry: its own, else its user's, else its KPI's. */
type EntryTarget = (entry: Pick<ReportedEntry, 'itemId' | 'kpiId' | 'target' | 'day'>) => Decimal | null

/** Describes what a calculation needs. */
export type CalculationContext = {
  readonly tx: Reader
  readonly account: number
  readonly plan: Plan
  readonly targetOf: EntryTarget
}

/** Loads the targets of users, for those of the given KPIs that have a target. */
export const loadTargets = async (
  tx: Reader,
  account: Calendar & { readonly id: number },
  catalogue: Catalogue<Kpi>,
  users: Iterable<number>,
  kpis: Iterable<number>,
): Promise<EntryTarget> => {
  const withTarget = [...new Set(kpis)].filter((id) => {
    const kpi = catalogue.kpis.get(id)
    return kpi !== undefined && hasAnyTarget(kpi)
  })
  const own = await assignments.amongMany(tx, account.id, users, withTarget)
  return ({ itemId, kpiId, target, day }) => {
    const kpi = catalogue.kpis.get(kpiId)
    if (!kpi) return null
    const users = own.get(itemId)?.get(kpiId)
    const isDated = kpi.targets || (typeof users === 'object' && users !== null)
    return effectiveTarget(target, users, kpi, isDated ? periodStart(kpi.frequency_id, day, account) : day)
  }
}

/** Sets the effort after which to pause, which takes one or two milliseconds. */
const EFFORT_PER_TURN = 2000

/** Creates a function that sums up effort, and lets other requests run when it exceeds `EFFORT_PER_TURN`. */
export const createEffortPause = (): EffortPause => {
  let spent = 0
  return (effort) => {
    spent += effort
    if (spent < EFFORT_PER_TURN) return undefined
    spent = 0
    return setImmediate()
  }
}

type Needed = { readonly kpis: Iterable<number>; readonly days: DayRange }
type Visit<Key> = (key: Key, entry: ReportedEntry) => void | Promise<void>

const feed = async <Key extends readonly number[]>(
  { plan: { inputs, span }, targetOf }: CalculationContext,
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

const targetOfItem = ({ targetOf }: CalculationContext): TargetOf => {
  return ({ id: kpiId }, itemId, day) => targetOf({ itemId, kpiId, target: null, day })
}

/** Calculates the series of items, one item after the other. */
export const calculateItems = async (
  context: CalculationContext,
  items: Iterable<number>,
  take: TakeSeries,
): Promise<void> => {
  const { tx, account, plan } = context
  const { itemCalculator } = await import('../../domain/calculated/calculator.ts')
  return feed(context, itemCalculator(plan, targetOfItem(context), take, createEffortPause()), (of, visit) =>
    entryQueries.eachOf(tx, account, { ...of, items }, (entry) => visit([entry.itemId], entry)),
  )
}

/** Calculates the series of group items, one after the other. */
export const calculateGroups = async (
  context: CalculationContext,
  filter: Pick<GroupFilter, 'groups' | 'users'>,
  take: TakeSeries,
): Promise<void> => {
  const { tx, account, plan } = context
  const { groupCalculator } = await import('../../domain/calculated/calculator.ts')
  return feed(context, groupCalculator(plan, targetOfItem(context), take, createEffortPause()), (of, visit) =>
    entryQueries.eachOfMembers(tx, account, { ...filter, ...of }, (group, entry) =>
      visit([group, entry.itemId], entry),
    ),
  )
}
