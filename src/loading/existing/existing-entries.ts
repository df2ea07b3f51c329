import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import type { EntryQuery } from '../../client/operations/queries.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import type { Instant } from '../../domain/day.ts'
import { ENTRIES_PAGE, type Entry, type EntryDraft } from '../../domain/resources/entry.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { keyOf, ownerOf, storedKey } from '../../domain/entry-key.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import {
  type DayRangeExtent,
  dayRangesOf,
  type KeyRanges,
  seriesOf,
  type WantedDrafts,
  wantedDrafts,
} from './key-ranges.ts'

/** Receives a stored entry with its owner. */
type EntrySink = (entry: Entry, owner: number) => void

type PageQuery = Omit<EntryQuery, 'page'>

/**
 * Describes a set of queries for entries, and the requests that it takes if nothing but the wanted entries is stored.
 */
type Plan = { readonly requests: number; readonly queries: () => Iterable<PageQuery> | AsyncIterable<PageQuery> }

const ofOwner = (owner: number): Pick<EntryQuery, 'userId' | 'sourceId'> =>
  owner < 0 ? { sourceId: -owner } : { userId: owner }

const requestsFor = (rows: number): number => 1 + Math.floor(rows / ENTRIES_PAGE)

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0)

/** Returns the filter that all queries share. */
const shared = ({ owners, kpis }: KeyRanges): Partial<PageQuery> => {
  const [[owner], [kpi]] = [[...owners.keys()], [...kpis.keys()]]
  return {
    ...(owners.size === 1 && owner !== undefined && ofOwner(owner)),
    ...(kpis.size === 1 && kpi !== undefined && { kpiId: kpi }),
  }
}

const byEach = (extents: ReadonlyMap<number, DayRangeExtent>, narrow: (id: number) => Partial<PageQuery>): Plan => ({
  requests: sum([...extents.values()].map(({ count }) => requestsFor(count))),
  queries: () => [...extents].map(([id, { from, to }]) => ({ from, to, ...narrow(id) })),
})

/**
 * Returns the ways to query, first the one over all owners and KPIs, then the narrower ones by their number of
 * requests.
 */
const plansFor = (wanted: WantedDrafts): Plan[] => {
  const { ranges } = wanted
  const { owners, kpis, series, count } = ranges
  const all = shared(ranges)
  const stretches = dayRangesOf(ranges, ENTRIES_PAGE)
  const whole: Plan = {
    requests: sum(stretches.map((one) => requestsFor(one.count))),
    queries: () => stretches.map(({ from, to }) => ({ from, to, ...all })),
  }
  const bySeries: Plan = {
    requests: series + Math.floor(count / ENTRIES_PAGE),
    queries: async function* () {
      for await (const { owner, kpi, from, to } of seriesOf(wanted)) yield { from, to, ...ofOwner(owner), kpiId: kpi }
    },
  }
  const parts = [
    ...(owners.size > 1 ? [byEach(owners, (id) => ({ ...all, ...ofOwner(id) }))] : []),
    ...(kpis.size > 1 ? [byEach(kpis, (id) => ({ ...all, kpiId: id }))] : []),
    ...(series > 1 ? [bySeries] : []),
  ]
  return [whole, ...parts.toSorted((left, right) => left.requests - right.requests)]
}

/**
 * Tells whether an entry lies outside its query: then the service ignores the filters, and narrower queries would not
 * help.
 */
const isAstray = ({ from, to, userId, sourceId, kpiId }: PageQuery, entry: Entry): boolean =>
  entry.entry_date < from ||
  entry.entry_date > to ||
  (userId !== undefined && entry.user_id !== userId) ||
  (sourceId !== undefined && entry.source_id !== sourceId) ||
  (kpiId !== undefined && entry.kpi_id !== kpiId)

/**
 * Runs a plan with at most `most` requests; returns false if it needs more. There is no limit for a service that
 * ignores the filters.
 */
const follow = async (
  client: Client,
  { queries }: Plan,
  most: number,
  visit: (entry: Entry) => void,
): Promise<boolean> => {
  const before = client.requests()
  let isLimited = true
  for await (const query of queries()) {
    for await (const page of entryPages(client, query)) {
      page.forEach(visit)
      isLimited &&= !page.some((entry) => isAstray(query, entry))
      if (isLimited && client.requests() - before > most) return false
    }
  }
  return true
}

/**
 * Reads the existing entries of drafts from the list of entries, in few requests. It begins with the widest queries; if
 * these meet so many other entries that narrower ones would have been done by then, it goes on with those. An entry may
 * be visited more than once. Entries that no draft has are skipped.
 */
export const readPages = async (client: Client, wanted: WantedDrafts, visit: EntrySink): Promise<void> => {
  const { owners, kpis, days, count } = wanted.ranges
  if (count === 0) return
  const visitWanted = (entry: Entry): void => {
    const owner = ownerOf(entry)
    if (owners.has(owner) && kpis.has(entry.kpi_id) && days.has(entry.entry_date)) visit(entry, owner)
  }
  const plans = plansFor(wanted)
  for (const [at, plan] of plans.entries()) {
    const most = plans[at + 1]?.requests ?? Infinity
    if (await follow(client, plan, Math.max(most, plan.requests), visitWanted)) return
  }
}

/** Describes what is stored for one owner, KPI and day. */
export type ExistingEntry = EntryValues & {
  /**
   * Lists the ids of all entries of the key, the latest last, whose values these are: a service whose POST does not
   * update may store several. Empty if only the report showed the entry.
   */
  readonly ids: readonly number[]
  /** Tells whether the entry may have no target of its own, because the report shows the default then. */
  readonly isTargetOpen: boolean
  /** Holds when the latest was stored first, where the list of entries showed it. */
  readonly createdAt?: Instant
}

/** Maps owner, KPI and day to what is stored. */
export type ExistingEntryMap = ReadonlyMap<string, ExistingEntry>

/** Finds the existing entries of drafts. */
export type ExistingEntries = {
  /**
   * Returns the existing entries of some drafts, which must come in the order of their keys; undefined if the API key
   * may not read entries.
   */
  readonly of: (drafts: readonly EntryDraft[]) => Promise<ExistingEntryMap | undefined>
  /** Removes temporary files. */
  readonly close: () => void
}

/** Names the reference data that reading existing entries needs. */
export type ReadWith = Pick<Reference, 'kpis' | 'sources' | 'userTarget' | 'unchecked'>

const ENTRIES = 'entries'

/** Adds one more entry of a key; the values of the one with the highest id, the latest, count. */
export const addEntry = (known: ExistingEntry | undefined, entry: Entry): ExistingEntry => {
  const { id, actual, target, notes, created_at: createdAt } = entry
  const ids = [...new Set([...(known?.ids ?? []), id])].toSorted((left, right) => left - right)
  return known && ids.at(-1) !== id ? { ...known, ids } : { actual, target, notes, ids, isTargetOpen: false, createdAt }
}

const fetchStored = async (client: Client, drafts: readonly EntryDraft[]): Promise<ExistingEntryMap> => {
  const stored = new Map<string, ExistingEntry>()
  await readPages(client, await wantedDrafts(() => [drafts]), (entry, owner) => {
    const key = storedKey(owner, entry.kpi_id, entry.entry_date)
    stored.set(key, addEntry(stored.get(key), entry))
  })
  return stored
}

/** Reads entries. If the API key may not read them, it notes that, returns undefined, and does not ask again. */
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

/** Remembers what was found of drafts while these are in use, so that who asks again does not start from the beginning. */
export const rememberFound = ({ of, close }: ExistingEntries): ExistingEntries => {
  const known = new WeakMap<EntryDraft, ExistingEntry | 'nothing'>()
  return {
    of: async (drafts) => {
      if (drafts.some((draft) => !known.has(draft))) {
        const found = await of(drafts)
        if (found) for (const draft of drafts) known.set(draft, found.get(storedKey(...keyOf(draft))) ?? 'nothing')
        return found
      }
      return new Map(
        drafts.flatMap((draft) => {
          const entry = known.get(draft)
          return entry && entry !== 'nothing' ? [[storedKey(...keyOf(draft)), entry] as const] : []
        }),
      )
    },
    close,
  }
}

/** Returns existing entries that are read from the service at each call, for exactly the given drafts. */
export const readExisting = (client: Client, reference: Pick<Reference, 'unchecked'>): ExistingEntries => ({
  of: (drafts) => readOnce(client, reference, () => fetchStored(client, drafts)),
  close: () => undefined,
})
