import type { Client } from '../../client/client.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { createSorter } from '../external-sort/sorter.ts'
import { finderIn, keep, type Key, keyOf } from './entry-list.ts'
import {
  readOnce,
  readPages,
  type ReadWith,
  type Standing,
  type StoredEntries,
  type StoredEntry,
  storedKey,
} from './existing-entries.ts'
import { type Footprint, type Wanted, wantedOf } from './key-ranges.ts'
import { readReport, requestsForReport } from './read-report.ts'

/** Describes what to prefetch, and how. */
export type Ahead = {
  readonly client: Client
  readonly reference: ReadWith
  /** Names a folder for what does not fit in memory. */
  readonly folder: string
  /** Yields all drafts in the order of their keys, as often as they are asked for. */
  readonly drafts: () => Iterable<EntryDraft>
  /** Tells whether what the report says of an entry is not enough, so that it is looked up in the list. */
  readonly isUnsure: (draft: EntryDraft, stored: StoredEntry) => boolean
  /** Names the source to read, where that is not chosen by the fewest requests. */
  readonly source?: 'pages' | 'report'
}

/** Sets how many requests the list of entries may take and still be preferred to the report, as it tells everything. */
const FEW_PAGES = 4

const only = function* (drafts: Iterable<EntryDraft>, isOne: (draft: EntryDraft) => boolean): Generator<EntryDraft> {
  for (const draft of drafts) if (isOne(draft)) yield draft
}

/** Tells whether the report is the better source of so many entries. */
const isForReport = (footprint: Footprint, source: Ahead['source']): boolean => {
  if (footprint.count === 0 || source === 'pages') return false
  const pages = Math.ceil(footprint.count / 500)
  return source === 'report' || (pages > FEW_PAGES && pages > requestsForReport(footprint))
}

/**
 * Prefetches the existing entries of a file in few requests and constant memory, and answers by merging: entries of
 * daily KPIs come from the report, what that does not tell and all others from the list of entries.
 */
export const standingAhead = ({ client, reference, folder, drafts, isUnsure, source }: Ahead): Standing => {
  const [exact, reported] = [createSorter(folder), createSorter(folder)]
  type Find = (key: Key) => StoredEntry | undefined
  let reading: Promise<Find | undefined> | undefined

  const readExactly = (wanted: Wanted): Promise<void> =>
    readPages(client, wanted, (entry, owner) =>
      keep(exact, [owner, entry.kpi_id, entry.entry_date], { ...entry, isTargetOpen: false }, entry.id),
    )
  const isDaily = ({ kpi_id }: EntryDraft): boolean => reference.kpis.byId.get(kpi_id)?.frequency_id === 'D'
  const wantedWhere = (isOne: (draft: EntryDraft) => boolean): Wanted => wantedOf(() => only(drafts(), isOne))
  const unsure = (): Wanted => {
    const findReported = finderIn(reported)
    return wantedWhere((draft) => {
      const stored = findReported(keyOf(draft))
      return stored !== undefined && isUnsure(draft, stored)
    })
  }
  const readAll = async (): Promise<Find> => {
    const daily = wantedWhere(isDaily)
    const isReported =
      isForReport(daily.footprint, source) &&
      (await readReport(client, daily.footprint, reference, (key, entry) => keep(reported, key, entry)))
    await readExactly(isReported ? wantedWhere((draft) => !isDaily(draft)) : wantedOf(drafts))
    if (isReported) await readExactly(unsure())
    const [findExact, findReported] = [finderIn(exact), finderIn(reported)]
    return isReported ? (key) => findExact(key) ?? findReported(key) : findExact
  }
  return {
    of: async (asked) => {
      reading ??= readOnce(client, reference, readAll)
      const find = await reading
      if (!find) return undefined
      const stored = new Map<string, StoredEntry>()
      for (const draft of asked) {
        const key = keyOf(draft)
        const found = find(key)
        if (found) stored.set(storedKey(...key), found)
      }
      return stored satisfies StoredEntries
    },
    close: () => {
      exact.close()
      reported.close()
    },
  }
}
