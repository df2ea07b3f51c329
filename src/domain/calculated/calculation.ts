import { hasAnyTarget } from '../targets/dated-targets.ts'
import { type Calendar, type DayRange, daysOfPeriodsIn } from '../period.ts'
import type { CalculatedKpi } from '../resources/calculated-kpi.ts'
import type { Kpi } from '../resources/kpi.ts'
import type { Formula } from './formula.ts'

/** Describes how a KPI is calculated, with its formula parsed. */
export type Calculation = Pick<CalculatedKpi, 'over' | 'target_from'> & { readonly formula: Formula }

/** Describes what a calculation needs to know of a KPI. */
export type KpiToCalculate = Pick<Kpi, 'id' | 'frequency_id' | 'aggregate_function' | 'target_default' | 'targets'>

/** Describes all KPIs of an account that have values, and the formulas of the calculated ones, which have no cycles. */
export type Catalogue<K extends KpiToCalculate = KpiToCalculate> = {
  readonly kpis: ReadonlyMap<number, K>
  readonly calculations: ReadonlyMap<number, Calculation>
}

/**
 * Tells whether a KPI has a target: its default one or, if `target_from` says so, one from the targets of all its
 * inputs.
 */
export const hasTarget = (catalogue: Catalogue, kpi: KpiToCalculate): boolean => {
  if (hasAnyTarget(kpi)) return true
  const calculation = catalogue.calculations.get(kpi.id)
  if (calculation?.target_from !== 'formula') return false
  return calculation.formula.kpis.every((id) => {
    const input = catalogue.kpis.get(id)
    return input !== undefined && hasTarget(catalogue, input)
  })
}

/** Describes what must be read to calculate KPIs for a range of days. */
export type Plan = {
  readonly catalogue: Catalogue
  readonly calendar: Calendar
  /** Holds every calculated KPI that the calculation needs, also for its inputs. */
  readonly used: ReadonlyMap<number, KpiToCalculate>
  /** Holds the days of entries to read for each KPI that is not calculated. */
  readonly inputs: ReadonlyMap<number, DayRange>
  /** Holds a range with all of those days; undefined if nothing must be read. */
  readonly span: DayRange | undefined
}

const widen = (range: DayRange | undefined, { from, to }: DayRange): DayRange =>
  range ? { from: Math.min(range.from, from), to: Math.max(range.to, to) } : { from, to }

/** Plans which KPIs and days to read to calculate `kpis` for the periods that begin in `days`. */
export const planCalculation = (
  catalogue: Catalogue,
  calendar: Calendar,
  kpis: Iterable<KpiToCalculate>,
  days: DayRange,
): Plan => {
  const used = new Map<number, KpiToCalculate>()
  const inputs = new Map<number, DayRange>()
  /** Adds what a KPI needs; `within` covers whole periods of the KPI that uses it. */
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
