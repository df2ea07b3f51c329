import type { Client } from '../../client/client.ts'
import { Fault } from '../../domain/errors.ts'
import { type Measure, measureOf } from '../../domain/numbers/measure.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { isProvisional, type Lookup } from './lookup.ts'
import { findUnitBy, unitsOf } from './percentages.ts'

/** Holds what says in which units the values of KPIs are. */
type Measured = {
  readonly kpis: Lookup<Kpi>
  /** Names the KPI of all rows. */
  readonly constant: string | undefined
  /** Names the unit of new KPIs. */
  readonly unitOfNew: string | undefined
  /** Returns the units that a file gives a KPI. */
  readonly unitsOfFile: (kpi: number) => readonly { readonly text: string }[]
}

/**
 * Returns a function that gives what the values of a KPI are: of one that the service has by its unit, of a new one by the unit
 * that it will get. Fetches the units, if the key may read them.
 */
export const measuresOf = async (
  client: Client,
  { kpis, constant, unitOfNew, unitsOfFile }: Measured,
): Promise<(kpi: number | undefined) => Measure | undefined> => {
  const units = (await unitsOf(client)) ?? []
  const given = unitOfNew === undefined ? undefined : findUnitBy(units, unitOfNew)
  const unitOf = ({ id, unit_id }: Kpi) => {
    if (!isProvisional(id)) return units.find((unit) => unit.id === unit_id)
    const [shown] = unitsOfFile(id)
    return given ?? (shown && { name: shown.text, display_format: '', is_percentage: false })
  }
  const measures = new Map<number, Measure | undefined>()
  const found = constant === undefined ? undefined : kpis.find(constant)
  return (kpi) => {
    // Take the KPI of all rows for 0, which stands for it while a file is profiled.
    const id = kpi === 0 && found && !(found instanceof Fault) ? found.id : kpi
    const known = id === undefined ? undefined : kpis.byId.get(id)
    if (id === undefined || !known) return undefined
    if (!measures.has(id)) measures.set(id, measureOf(known.name, unitOf(known)))
    return measures.get(id)
  }
}
