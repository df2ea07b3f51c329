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

/** Takes entries one by one and calculates from them; what it answers is to be waited for before the next one. */
export type Calculator<Key extends readonly number[]> = {
  readonly add: (key: Key, entry: Input) => void | Promise<void>
  readonly finish: () => Promise<void>
}

/** Takes the results of an item; the entries of the next one come when it is done with them. */
export type TakeSeries = (item: number, seriesOf: SeriesOf) => Promise<void>

/** Returns the effective target of a calculated KPI for an item. */
export type TargetOf = (kpi: KpiToCalculate, item: number) => Decimal | null

/** Calculates item after item; the entries of an item must come together. It holds those of one item. */
export const itemCalculator = (
  plan: Plan,
  targetOf: TargetOf,
  take: TakeSeries,
  pace: EffortPause,
): Calculator<[item: number]> => {
  let open: { readonly item: number; readonly cells: Cells } | undefined
  const finish = async (): Promise<void> => {
    if (!open) return
    const { item, cells } = open
    open = undefined
    await take(item, seriesIn(plan, { cells, targetOf: (kpi) => targetOf(kpi, item), pace }))
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
 * Calculates group item after group item; the entries of a group item must come together, and among them those of a
 * member. Its members are the items whose entries carry it. It holds the entries of one group item by day, and its
 * members' results, added up.
 */
export const groupCalculator = (
  plan: Plan,
  targetOf: TargetOf,
  take: TakeSeries,
  pace: EffortPause,
): Calculator<[group: number, item: number]> => {
  type Open = { readonly group: number; readonly cells: Cells; readonly members: Map<number, ResultsByPeriod> }
  let open: Open | undefined

  const takeMember: TakeSeries = async (_member, seriesOf) => {
    for (const kpi of plan.used.values()) {
      if (!open || plan.catalogue.calculations.get(kpi.id)?.over !== 'results') continue
      const pile: ResultsByPeriod = open.members.get(kpi.id) ?? new Map()
      open.members.set(kpi.id, pile)
      for (const [start, result] of await seriesOf(kpi, kpi.frequency_id)) {
        const turn = addResult(pile, start, result, pace)
        if (turn) await turn
      }
    }
  }
  const ofMembers = itemCalculator(plan, targetOf, takeMember, pace)
  const finish = async (): Promise<void> => {
    await ofMembers.finish()
    const done = open
    open = undefined
    if (!done) return
    await take(done.group, seriesIn(plan, { ...done, targetOf: ({ target_default }) => target_default, pace }))
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
