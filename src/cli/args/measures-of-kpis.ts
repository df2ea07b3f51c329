import type { Client } from '../../client/client.ts'
import { type Measure, measureOf } from '../../domain/numbers/measure.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { unitsOf } from '../../reading/directory/percentages.ts'

/** Returns what values of KPIs are; `given` holds a unit that replaces theirs, and the name of one that is new. */
export const measuresOfKpis = async (
  client: Client,
  ids: readonly number[],
  { name = '', unit_id: unit }: AnyRecord = {},
): Promise<Measure[]> => {
  const units = (await unitsOf(client)) ?? []
  const known = ids.length === 0 ? [] : (await client.kpis.list()).filter(({ id }) => ids.includes(id))
  const of = ids.length === 0 ? [{ name: String(name), unit_id: unit }] : known
  const usual = units.find((one) => one.name === kpi.fields.unit_id.usual)
  return of.map((one) => {
    const wanted = unit ?? one.unit_id ?? usual?.id
    return measureOf(
      one.name,
      units.find(({ id }) => id === wanted),
    )
  })
}
