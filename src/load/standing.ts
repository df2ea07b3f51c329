import type { Client } from '../client/client.ts'
import { entryPages } from '../client/entry-pages.ts'
import { readIfAllowed } from '../client/read-if-allowed.ts'
import type { Day } from '../domain/day.ts'
import type { Entry, EntryDraft } from '../domain/resources/entry.ts'
import { ownerOf } from './owner.ts'
import type { Reference } from './reference.ts'

/** What is stored, by owner, KPI and day. */
export type StoredEntries = ReadonlyMap<string, Entry>

/** What the service holds of the entries that drafts speak of. */
export type Standing = {
  /** What is stored of some drafts, in the order of their keys; undefined where the key may not read it. */
  readonly of: (drafts: readonly EntryDraft[]) => Promise<StoredEntries | undefined>
}

/** How stored entries are found. */
export const storedKey = (owner: number, kpi: number, day: Day): string => `${owner}/${kpi}/${day}`

const ENTRIES = 'entries'

type Series = { readonly owner: number; readonly kpiId: number; from: Day; to: Day }

/** The stretches of sorted drafts that belong to one owner and KPI. */
const seriesOf = (drafts: readonly EntryDraft[]): Series[] => {
  const list: Series[] = []
  for (const draft of drafts) {
    const [owner, { kpi_id, entry_date }] = [ownerOf(draft), draft]
    const last = list.at(-1)
    if (last && last.owner === owner && last.kpiId === kpi_id) last.to = entry_date
    else list.push({ owner, kpiId: kpi_id, from: entry_date, to: entry_date })
  }
  return list
}

const fetchStored = async (client: Client, drafts: readonly EntryDraft[]): Promise<StoredEntries> => {
  const stored = new Map<string, Entry>()
  for (const { owner, ...series } of seriesOf(drafts)) {
    const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
    for await (const page of entryPages(client, { ...series, ...whose })) {
      // A service that does not know the filter answers those of all items.
      const own = owner < 0 ? page.filter(({ source_id }) => source_id === -owner) : page
      for (const entry of own) stored.set(storedKey(owner, entry.kpi_id, entry.entry_date), entry)
    }
  }
  return stored
}

/** Asks the service anew each time, exactly for the drafts at hand. It is asked but once whether the key may read at all. */
export const standingNow = (client: Client, { unchecked }: Pick<Reference, 'unchecked'>): Standing => ({
  of: async (drafts) => {
    if (unchecked.has(ENTRIES)) return undefined
    const stored = await readIfAllowed(client, fetchStored(client, drafts))
    if (!stored) unchecked.add(ENTRIES)
    return stored
  },
})
