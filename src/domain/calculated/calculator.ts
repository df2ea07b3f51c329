import { targetOn } from '../targets/dated-targets.ts'
import type { Day } from '../day.ts'
import type { Decimal } from '../decimal.ts'
import type { KpiToCalculate, Plan } from './calculation.ts'
import {
  addInput,
  addResult,
  type Cells,
  type Input,
  type EffortPause,
  type ResultsByPeriod,
  seriesIn,
  type SeriesOf,
} from './series.ts'

/** Calculates from entries that are added one by one. Await the result of `add` before the next entry. */
export type Calculator<Key extends readonly number[]> = {
  readonly add: (key: Key, entry: Input) => void | Promise<void>
  readonly finish: () => Promise<void>
}

/** Processes the results of an item; the next item begins when the promise resolves. */
export type TakeSeries = (item: number, seriesOf: SeriesOf) => Promise<void>

/** Returns the effective target of a calculated KPI for an item, in the period that begins on a day. */
export type TargetOf = (kpi: KpiToCalculate, item: number, start: Day) => Decimal | null

/** Creates a calculator for items. Entries must be grouped by item; it holds those of one item. */
export const itemCalculator = (
  plan: Plan,
  targetOf: TargetOf,
  take: TakeSeries,
  pause: EffortPause,
): Calculator<[item: number]> => {
  let open: { readonly item: number; readonly cells: Cells } | undefined
  const finish = async (): Promise<void> => {
    if (!open) return
    const { item, cells } = open
    open = undefined
    await take(item, seriesIn(plan, { cells, targetOf: (kpi, start) => targetOf(kpi, item, start), pause }))
  }
  const addTo = (item: number, entry: Input): void => {
    open ??= { item, cells: new Map() }
    addInput(open.cells, entry)
  }
  return {
    add: ([item], entry) => (open && open.item !== item ? finish().then(() => addTo(item, entry)) : addTo(item, entry)),
    finish,
  }
}

/**
 * Creates a calculator for group items. Entries must be grouped by group item, then by member, that is the item of an
 * entry that carries the group item. It holds the entries of one group item, added up by day, and the sums of its
 * members' results.
 */
export const groupCalculator = (
  plan: Plan,
  targetOf: TargetOf,
  take: TakeSeries,
  pause: EffortPause,
): Calculator<[group: number, item: number]> => {
  type Open = { readonly group: number; readonly cells: Cells; readonly members: Map<number, ResultsByPeriod> }
  let open: Open | undefined

  const takeMember: TakeSeries = async (_member, seriesOf) => {
    for (const kpi of plan.used.values()) {
      if (!open || plan.catalogue.calculations.get(kpi.id)?.over !== 'results') continue
      const results: ResultsByPeriod = open.members.get(kpi.id) ?? new Map()
      open.members.set(kpi.id, results)
      for (const [start, result] of await seriesOf(kpi, kpi.frequency_id)) {
        const turn = addResult(results, start, result, pause)
        if (turn) await turn
      }
    }
  }
  const ofMembers = itemCalculator(plan, targetOf, takeMember, pause)
  const finish = async (): Promise<void> => {
    await ofMembers.finish()
    const done = open
    open = undefined
    if (!done) return
    const targetOfGroup = ({ target_default: base, targets }: KpiToCalculate, start: Day): Decimal | null =>
      targetOn({ base, targets }, start)
    await take(done.group, seriesIn(plan, { ...done, targetOf: targetOfGroup, pause }))
  }
  const addTo = (group: number, item: number, entry: Input): void | Promise<void> => {
    open ??= { group, cells: new Map(), members: new Map() }
    addInput(open.cells, entry)
    return ofMembers.add([item], entry)
  }
  return {
    add: ([group, item], entry) =>
      open && open.group !== group ? finish().then(() => addTo(group, item, entry)) : addTo(group, item, entry),
    finish,
  }
}
