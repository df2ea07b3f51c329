import { type Calendar, type DayRange, daysOfPeriodsIn } from '../period.ts'
import type { CalculatedKpi } from '../resources/calculated-kpi.ts'
import type { Kpi } from '../resources/kpi.ts'
import type { Formula } from './formula.ts'

/** Describes how a calculated KPI is calculated, with its formula parsed. */
export type Calculation = Pick<CalculatedKpi, 'over' | 'target_from'> & { readonly formula: Formula }

/** Describes what calculating needs to know of a KPI. */
export type KpiToCalculate = Pick<Kpi, 'id' | 'frequency_id' | 'aggregate_function' | 'target_default'>

/**
 * Describes all KPIs of an account that have values, and the formulas of those that are calculated: never in a circle.
 */
export type Catalogue<K extends KpiToCalculate = KpiToCalculate> = {
  readonly kpis: ReadonlyMap<number, K>
  readonly calculations: ReadonlyMap<number, Calculation>
}

/**
 * Tells whether a KPI has a target: its default one or, where it is calculated so, one from the targets of all its
 * inputs.
 */
export const hasTarget = (catalogue: Catalogue, kpi: KpiToCalculate): boolean => {
  if (kpi.target_default !== null) return true
  const calculation = catalogue.calculations.get(kpi.id)
  if (calculation?.target_from !== 'formula') return false
  return calculation.formula.kpis.every((id) => {
    const input = catalogue.kpis.get(id)
    return input !== undefined && hasTarget(catalogue, input)
  })
}

/** Describes what has to be read to calculate KPIs for a range of days. */
export type Plan = {
  readonly catalogue: Catalogue
  readonly calendar: Calendar
  /** Lists every calculated KPI that is used on the way. */
  readonly used: ReadonlyMap<number, KpiToCalculate>
  /** Lists the entered KPIs that are used, with the days whose entries each needs. */
  readonly inputs: ReadonlyMap<number, DayRange>
  /** Holds all of those days; undefined where nothing has to be read. */
  readonly span: DayRange | undefined
}

const widen = (range: DayRange | undefined, { from, to }: DayRange): DayRange =>
  range ? { from: Math.min(range.from, from), to: Math.max(range.to, to) } : { from, to }

/** Plans the calculation of KPIs for their periods that begin within the days, and of what those are made from. */
export const planCalculation = (
  catalogue: Catalogue,
  calendar: Calendar,
  kpis: Iterable<KpiToCalculate>,
  days: DayRange,
): Plan => {
  const used = new Map<number, KpiToCalculate>()
  const inputs = new Map<number, DayRange>()
  /** Adds what a KPI needs; `within` is made of whole periods of the frequency that asks for it. */
  const need = (kpi: KpiToCalculate, within: DayRange): void => {
    if (within.from > within.to) return
    const calculation = catalogue.calculations.get(kpi.id)
    if (!calculation) {
      inputs.set(kpi.id, widen(inputs.get(kpi.id), within))
      return
    }
    used.set(kpi.id, kpi)
    const own = daysOfPeriodsIn(kpi.frequency_id, within, calendar)
    for (const id of calculation.formula.kpis) {
      const input = catalogue.kpis.get(id)
      if (input) need(input, own)
    }
  }
  for (const kpi of kpis) need(kpi, days)
  const span = [...inputs.values()].reduce<DayRange | undefined>(widen, undefined)
  return { catalogue, calendar, used, inputs, span }
}
