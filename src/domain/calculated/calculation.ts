import { type Calendar, type DayRange, daysOfPeriodsIn } from '../period.ts'
import type { CalculatedKpi } from '../resources/calculated-kpi.ts'
import type { Kpi } from '../resources/kpi.ts'
import type { Formula } from './formula.ts'

/** How a calculated KPI is calculated, its formula read. */
export type Calculation = Pick<CalculatedKpi, 'over' | 'target_from'> & { readonly formula: Formula }

/** What calculating asks of a KPI. */
export type KpiToCalculate = Pick<Kpi, 'id' | 'frequency_id' | 'aggregate_function' | 'target_default'>

/** All KPIs of an account that have values, and which of them are calculated how: never in a circle. */
export type Catalogue<K extends KpiToCalculate = KpiToCalculate> = {
  readonly kpis: ReadonlyMap<number, K>
  readonly calculations: ReadonlyMap<number, Calculation>
}

/** Whether a KPI has a target: its own default, or, where it is calculated so, one over the targets of all its inputs. */
export const hasTarget = (catalogue: Catalogue, kpi: KpiToCalculate): boolean => {
  if (kpi.target_default !== null) return true
  const calculation = catalogue.calculations.get(kpi.id)
  if (calculation?.target_from !== 'formula') return false
  return calculation.formula.kpis.every((id) => {
    const input = catalogue.kpis.get(id)
    return input !== undefined && hasTarget(catalogue, input)
  })
}

/** What has to be read to calculate KPIs for a range of days. */
export type Plan = {
  readonly catalogue: Catalogue
  readonly calendar: Calendar
  /** Every calculated KPI that is used on the way. */
  readonly used: ReadonlyMap<number, KpiToCalculate>
  /** The entered KPIs that all is made from, and the days whose entries each is needed of. */
  readonly inputs: ReadonlyMap<number, DayRange>
  /** All of those days; none where nothing has to be read. */
  readonly span: DayRange | undefined
}

const widen = (range: DayRange | undefined, { from, to }: DayRange): DayRange =>
  range ? { from: Math.min(range.from, from), to: Math.max(range.to, to) } : { from, to }

/** Plans the calculation of KPIs: of their periods that begin within the days, and of what those are made from. */
export const planCalculation = (
  catalogue: Catalogue,
  calendar: Calendar,
  kpis: Iterable<KpiToCalculate>,
  days: DayRange,
): Plan => {
  const used = new Map<number, KpiToCalculate>()
  const inputs = new Map<number, DayRange>()
  /** `within` is made of whole periods of the frequency that asks for the KPI. */
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
