import type { Client } from '../../client/client.ts'
import { readIfAllowed } from '../../client/read-if-allowed.ts'
import type { Day } from '../../domain/day.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { wantedOf } from './footprint.ts'
import type { Reference } from '../reference.ts'
import { readPages } from './pages.ts'

/** What is stored of one owner, KPI and day. */
export type StoredEntry = EntryValues & {
  /**
   * All entries of the key, the latest last, whose values these are: a service whose POST does not update may hold
   * several. Empty where only the report told of it.
   */
  readonly ids: readonly number[]
  /** Whether the entry may just as well have no target of its own: the report shows the default there. */
  readonly isTargetOpen: boolean
}

/** What is stored, by owner, KPI and day. */
export type StoredEntries = ReadonlyMap<string, StoredEntry>

/** What the service holds of the entries that drafts speak of. */
export type Standing = {
  /** What is stored of some drafts, in the order of their keys; undefined where the key may not read it. */
  readonly of: (drafts: readonly EntryDraft[]) => Promise<StoredEntries | undefined>
  /** Removes what lay on disk. */
  readonly close: () => void
}

/** How stored entries are found. */
export const storedKey = (owner: number, kpi: number, day: Day): string => `${owner}/${kpi}/${day}`

/** What of a reference it takes to read what is stored. */
export type ReadWith = Pick<Reference, 'kpis' | 'sources' | 'userTarget' | 'unchecked'>

const ENTRIES = 'entries'

/** One more entry of a key: of several the latest counts, which has the highest id. */
export const withEntry = (known: StoredEntry | undefined, { id, actual, target, notes }: Entry): StoredEntry => {
  const ids = [...new Set([...(known?.ids ?? []), id])].toSorted((left, right) => left - right)
  return known && ids.at(-1) !== id ? { ...known, ids } : { actual, target, notes, ids, isTargetOpen: false }
}

const fetchStored = async (client: Client, drafts: readonly EntryDraft[]): Promise<StoredEntries> => {
  const stored = new Map<string, StoredEntry>()
  await readPages(
    client,
    wantedOf(() => drafts),
    (entry, owner) => {
      const key = storedKey(owner, entry.kpi_id, entry.entry_date)
      stored.set(key, withEntry(stored.get(key), entry))
    },
  )
  return stored
}

/** What the key may not read is asked for but once, and noted. */
export const readOnce = async <T>(
  client: Client,
  { unchecked }: Pick<Reference, 'unchecked'>,
  read: () => Promise<T>,
): Promise<T | undefined> => {
  if (unchecked.has(ENTRIES)) return undefined
  const found = await readIfAllowed(client, read())
  if (found === undefined) unchecked.add(ENTRIES)
  return found
}

/** Asks the service anew each time, exactly for the drafts at hand. */
export const standingNow = (client: Client, reference: Pick<Reference, 'unchecked'>): Standing => ({
  of: (drafts) => readOnce(client, reference, () => fetchStored(client, drafts)),
  close: () => undefined,
})
