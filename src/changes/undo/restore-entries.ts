import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { entryWithTarget } from '../../client/operations/entry-with-target.ts'
import { Aborted } from '../../client/transport.ts'
import { ownerOf, storedKey } from '../../domain/entry-key.ts'
import { isRefused } from '../../domain/errors.ts'
import { BATCH_LIMIT, type Entry, type EntryDraft } from '../../domain/resources/entry.ts'
import type { NotedEntry, RunRecord } from '../../runs/run-record.ts'

/** Returns the id that a record has now: another one where it was created again; undefined where it is not there. */
type NewIds = (kind: 'kpi' | 'user' | 'group_item', id: number) => number | undefined

const draftOf = (entry: NotedEntry, newIdOf: NewIds): EntryDraft | undefined => {
  const { kpi_id, user_id, source_id, entry_date, actual, target, notes } = entry
  const kpi = newIdOf('kpi', kpi_id)
  const user = user_id === null ? undefined : newIdOf('user', user_id)
  const source = source_id === null ? undefined : newIdOf('group_item', source_id)
  const owner = user === undefined ? (source === undefined ? undefined : { source_id: source }) : { user_id: user }
  return kpi === undefined || owner === undefined
    ? undefined
    : { ...owner, kpi_id: kpi, entry_date, actual, target, notes }
}

/** Says how many entries are stored, and why the first that is not was refused. */
type Stored = { readonly stored: number; readonly why?: string | undefined }

/** Stores entries together, or one by one where one of them is refused. */
const store = async (client: Client, drafts: readonly EntryDraft[]): Promise<Stored> => {
  if (client.isBundled() && drafts.length > 1) {
    try {
      await client.entries.addMany(drafts)
      return { stored: drafts.length }
    } catch (error) {
      if (!isRefused(error)) throw error
    }
  }
  let [stored, why]: [number, string | undefined] = [0, undefined]
  for (const draft of drafts) {
    try {
      await client.entries.add(draft)
      stored += 1
    } catch (error) {
      if (!isRefused(error)) throw error
      why ??= error.message
    }
  }
  return { stored, why }
}

const entryKeyOf = (one: Pick<EntryDraft, 'kpi_id' | 'entry_date' | 'user_id' | 'source_id'>): string =>
  storedKey(ownerOf(one), one.kpi_id, one.entry_date)

/** Returns those of some entries whose keys are free; of others it counts those that hold the same already. */
const withoutStored = async (
  client: Client,
  drafts: readonly EntryDraft[],
): Promise<{ readonly missing: readonly EntryDraft[]; readonly same: number }> => {
  const there = new Map<string, Entry>()
  for (const [kpiId, some] of Map.groupBy(drafts, ({ kpi_id }) => kpi_id)) {
    const days = some.map(({ entry_date }) => entry_date)
    const wanted = new Set(some.map(entryKeyOf))
    const range = { from: Math.min(...days), to: Math.max(...days) }
    for await (const page of entryPages(client, { ...range, kpiId }))
      for (const one of page) if (wanted.has(entryKeyOf(one))) there.set(entryKeyOf(one), one)
  }
  const isSame = (draft: EntryDraft): boolean => {
    const stored = there.get(entryKeyOf(draft))
    return (
      stored !== undefined && (['actual', 'target', 'notes'] as const).every((name) => stored[name] === draft[name])
    )
  }
  const missing = drafts.filter((draft) => !there.has(entryKeyOf(draft)))
  return { missing, same: drafts.filter(isSame).length }
}

/** Describes how entries are stored again: what stops it, whether they may be there by now, and what is called once some are. */
type Restoring = {
  readonly signal: AbortSignal
  readonly mayBeThere: boolean
  readonly onRestored: () => void
}

/**
 * Stores the entries again that were deleted, or whose KPIs were; where they may be there again by now, looks first. Returns how many,
 * how many are left out, as the service refuses them or their KPI or owner is missing, and the first reason. Repeating it changes
 * nothing.
 */
export const restoreEntries = async (
  client: Client,
  run: Pick<RunRecord, 'entries'>,
  newIdOf: NewIds,
  { signal, mayBeThere, onRestored }: Restoring,
): Promise<Stored & { readonly left: number }> => {
  let [stored, left, why]: [number, number, string | undefined] = [0, 0, undefined]
  for (const some of run.entries(BATCH_LIMIT)) {
    if (signal.aborted) throw new Aborted('it was interrupted')
    const drafts = some.flatMap((entry) => draftOf(entry, newIdOf) ?? [])
    const { missing, same } = mayBeThere ? await withoutStored(client, drafts) : { missing: drafts, same: 0 }
    const count = await store(client, missing)
    stored += count.stored
    if (count.stored > 0) onRestored()
    left += some.length - count.stored - same
    if (drafts.length < some.length) why ??= 'the KPI, or whose they are, is not there'
    why ??= count.why ?? (missing.length + same < drafts.length ? 'they were stored again since' : undefined)
  }
  return { stored, left, why }
}

/**
 * Clears the targets that a change that is taken back wrote onto entries, by `--keep-history` or where a service has one
 * target for all days; returns how many. An
 * entry whose target was changed since keeps it.
 */
export const clearKeptTargets = async (
  client: Client,
  run: Pick<RunRecord, 'keptEntries'>,
  signal: AbortSignal,
): Promise<number> => {
  let count = 0
  for (const some of run.keptEntries(BATCH_LIMIT)) {
    for (const [kpiId, kept] of Map.groupBy(some, ({ kpi_id }) => kpi_id)) {
      const targets = new Map(kept.map((one) => [entryKeyOf(one), one.target]))
      const days = kept.map(({ entry_date }) => entry_date)
      const range = { from: Math.min(...days), to: Math.max(...days) }
      const found: Entry[] = []
      for await (const page of entryPages(client, { ...range, kpiId }))
        found.push(...page.filter((one) => one.target !== null && targets.get(entryKeyOf(one)) === one.target))
      for (const entry of found) {
        if (signal.aborted) throw new Aborted('it was interrupted')
        await client.entries.update(
          entry.id,
          client.isBundled() ? { target: null } : entryWithTarget(client, entry, null),
        )
        count += 1
      }
    }
  }
  return count
}
