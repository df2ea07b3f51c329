import type { KpiToCalculate, Plan } from './calculation.ts'
import type { Decimal } from './decimal.ts'
import { addInput, addResult, type Cells, type Input, type Pile, seriesIn, type SeriesOf } from './series.ts'

/** Takes entries one by one and calculates from them. */
export type Calculator<Key extends readonly number[]> = {
  readonly add: (key: Key, entry: Input) => void
  readonly finish: () => void
}

/** The target that holds for a calculated KPI of an item. */
export type TargetOf = (kpi: KpiToCalculate, item: number) => Decimal | null

/** Calculates for one item after the other; the entries of an item must come together. Holds those of one item. */
export const itemCalculator = (
  plan: Plan,
  targetOf: TargetOf,
  take: (item: number, seriesOf: SeriesOf) => void,
): Calculator<[item: number]> => {
  let open: { readonly item: number; readonly cells: Cells } | undefined
  const finish = (): void => {
    if (!open) return
    const { item, cells } = open
    open = undefined
    take(item, seriesIn(plan, { cells, targetOf: (kpi) => targetOf(kpi, item) }))
  }
  return {
    add: ([item], entry) => {
      if (open?.item !== item) finish()
      open ??= { item, cells: new Map() }
      addInput(open.cells, entry)
    },
    finish,
  }
}

/**
 * Calculates for one group item after the other; the entries of a group item must come together, and among them those of
 * a member. Its members are the items whose entries carry it. Holds the entries of one group item, by day, and the
 * results of its members, added up.
 */
export const groupCalculator = (
  plan: Plan,
  targetOf: TargetOf,
  take: (group: number, seriesOf: SeriesOf) => void,
): Calculator<[group: number, item: number]> => {
  type Open = { readonly group: number; readonly cells: Cells; readonly members: Map<number, Pile> }
  let open: Open | undefined

  const takeMember = (_member: number, seriesOf: SeriesOf): void => {
    for (const kpi of plan.used.values()) {
      if (!open || plan.catalogue.calculations.get(kpi.id)?.over !== 'results') continue
      const pile: Pile = open.members.get(kpi.id) ?? new Map()
      open.members.set(kpi.id, pile)
      for (const [start, result] of seriesOf(kpi, kpi.frequency_id)) addResult(pile, start, result)
    }
  }
  const ofMembers = itemCalculator(plan, targetOf, takeMember)
  const finish = (): void => {
    ofMembers.finish()
    if (open) take(open.group, seriesIn(plan, { ...open, targetOf: ({ target_default }) => target_default }))
    open = undefined
  }
  return {
    add: ([group, item], entry) => {
      if (open?.group !== group) finish()
      open ??= { group, cells: new Map(), members: new Map() }
      ofMembers.add([item], entry)
      addInput(open.cells, entry)
    },
    finish,
  }
}
