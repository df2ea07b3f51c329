import type { Client } from '../client/client.ts'
import { entryPages } from '../client/operations/entry-pages.ts'
import type { DayRange } from '../domain/period.ts'
import type { Entry } from '../domain/resources/entry.ts'
import { ownerOf } from '../domain/entry-key.ts'

/** Describes which entries to write: those of these users, breakdown items and KPIs, or all. */
export type Selection = DayRange & {
  readonly users: readonly number[] | undefined
  readonly sources: readonly number[] | undefined
  readonly kpis: readonly number[] | undefined
}

const only = (ids: readonly number[] | undefined): number | undefined => (ids?.length === 1 ? ids[0] : undefined)

const among = (ids: readonly number[] | undefined): ((id: number | null) => boolean) => {
  const wanted = ids && new Set(ids)
  return (id) => wanted === undefined || (id !== null && wanted.has(id))
}

/** Orders entries by owner and KPI, so that the same entries always come in the same order. */
const inOrder = (one: Entry, other: Entry): number => ownerOf(one) - ownerOf(other) || one.kpi_id - other.kpi_id

/** Yields the selected entries, a day at a time. */
export async function* entriesByDay(client: Client, selection: Selection): AsyncGenerator<readonly Entry[]> {
  const { from, to, users, sources, kpis } = selection
  const [ofUsers, ofSources, ofKpis] = [among(users), among(sources), among(kpis)]
  const filters = { userId: only(users), sourceId: only(sources), kpiId: only(kpis) }
  let day: Entry[] = []
  for await (const page of entryPages(client, { from, to, ...filters })) {
    for (const entry of page) {
      if (!ofUsers(entry.user_id) || !ofSources(entry.source_id) || !ofKpis(entry.kpi_id)) continue
      if (day[0] && day[0].entry_date !== entry.entry_date) {
        yield day.sort(inOrder)
        day = []
      }
      day.push(entry)
    }
  }
  if (day.length > 0) yield day.sort(inOrder)
}
