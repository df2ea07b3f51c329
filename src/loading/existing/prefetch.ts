import type { Client } from '../../client/client.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { createSorter } from '../../blocks/sorter.ts'
import { type EntryKey, keyOf, storedKey } from '../../domain/entry-key.ts'
import { addToList, createFinder } from './entry-list.ts'
import {
  readOnce,
  readPages,
  type ReadWith,
  type ExistingEntries,
  type ExistingEntryMap,
  type ExistingEntry,
} from './existing-entries.ts'
import { type DraftChunks, type KeyRanges, type WantedDrafts, wantedDrafts } from './key-ranges.ts'
import { readReport, requestsForReport } from './read-report.ts'

/** Describes what to prefetch, and how. */
export type PrefetchOptions = {
  readonly client: Client
  readonly reference: ReadWith
  /** Names the folder for temporary files. */
  readonly folder: string
  readonly drafts: DraftChunks
  /** Ends the work on the drafts where it asks to. */
  readonly signal?: AbortSignal
  /** Tells whether the report does not show enough of an entry, so that it must be read from the list. */
  readonly isUnsure: (draft: EntryDraft, stored: ExistingEntry) => boolean
  /** Names the source to read; if it is left out, the source that takes the fewest requests is used. */
  readonly source?: 'pages' | 'report'
}

/** Sets up to how many requests the list of entries is preferred to the report, because it shows everything. */
const FEW_PAGES = 4

/** Tells whether the report is the better source for entries in these ranges. */
const isForReport = (ranges: KeyRanges, source: PrefetchOptions['source']): boolean => {
  if (ranges.count === 0 || source === 'pages') return false
  const pages = Math.ceil(ranges.count / 500)
  return source === 'report' || (pages > FEW_PAGES && pages > requestsForReport(ranges))
}

/**
 * Prefetches the existing entries of a file in few requests and constant memory, and finds them by merging. Entries of
 * daily KPIs come from the report; what the report does not show, and all other entries, come from the list. After a
 * failure, the next call reads again.
 */
export const prefetchExisting = ({
  client,
  reference,
  folder,
  drafts,
  isUnsure,
  source,
  signal,
}: PrefetchOptions): ExistingEntries => {
  const [exact, reported] = [createSorter(folder), createSorter(folder)]
  type Find = (key: EntryKey) => ExistingEntry | undefined
  let reading: Promise<Find | undefined> | undefined

  const readExactly = async (wanted: Promise<WantedDrafts>): Promise<void> =>
    readPages(client, await wanted, (entry, owner) =>
      addToList(exact, [owner, entry.kpi_id, entry.entry_date], { ...entry, isTargetOpen: false }, entry.id),
    )
  const isDaily = ({ kpi_id }: EntryDraft): boolean => reference.kpis.byId.get(kpi_id)?.frequency_id === 'D'
  const wantedWhere = (isOne: (draft: EntryDraft) => boolean): Promise<WantedDrafts> =>
    wantedDrafts(async function* () {
      for await (const chunk of drafts()) yield chunk.filter(isOne)
    }, signal)
  const unsure = (): Promise<WantedDrafts> => {
    const findReported = createFinder(reported)
    return wantedWhere((draft) => {
      const stored = findReported(keyOf(draft))
      return stored !== undefined && isUnsure(draft, stored)
    })
  }
  const readAll = async (): Promise<Find> => {
    const daily = await wantedWhere(isDaily)
    const isReported =
      isForReport(daily.ranges, source) &&
      (await readReport(client, daily.ranges, reference, (key, entry) => addToList(reported, key, entry)))
    await readExactly(isReported ? wantedWhere((draft) => !isDaily(draft)) : wantedDrafts(drafts, signal))
    if (isReported) await readExactly(unsure())
    const [findExact, findReported] = [createFinder(exact), createFinder(reported)]
    return isReported ? (key) => findExact(key) ?? findReported(key) : findExact
  }
  return {
    of: async (asked) => {
      reading ??= readOnce(client, reference, readAll).catch((error: unknown) => {
        exact.clear()
        reported.clear()
        reading = undefined
        throw error
      })
      const find = await reading
      if (!find) return undefined
      const stored = new Map<string, ExistingEntry>()
      for (const draft of asked) {
        const key = keyOf(draft)
        const found = find(key)
        if (found) stored.set(storedKey(...key), found)
      }
      return stored satisfies ExistingEntryMap
    },
    close: () => {
      exact.close()
      reported.close()
    },
  }
}
