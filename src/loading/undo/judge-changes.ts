import type { Client } from '../../client/client.ts'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { NOTHING, sameValues } from '../../domain/rules.ts'
import { type EntryKey, storedKey } from '../../domain/entry-key.ts'
import { type ExistingEntry, readExisting } from '../existing/existing-entries.ts'
import { differenceOf, type EntryChange, holds } from '../../domain/entry-changes.ts'

/** Sets by how many seconds the clocks of the machines of a service may differ. */
export const CLOCK_SPREAD = 60

/**
 * Describes what becomes of an entry that an import changed: one that it created is removed, another gets back what it
 * had; it is left alone with a reason, or `done` if it is already as before.
 */
export type EntryOutcome = {
  readonly change: EntryChange
  readonly action: 'remove' | 'restore' | 'done' | 'leave'
  /** Holds the id of the entry; null if it is not there. */
  readonly id: number | null
  readonly reason?: string
}

/** Says that an entry is not there any more. */
export const DELETED = 'was deleted since'

/** Describes what tells whether an entry was stored after a run. */
export type Since = {
  /** Holds when the run ended, by the clock of the service; undefined where that is not known. */
  readonly served: Instant | undefined
  /** Holds the entries that later imports found missing, and stored. */
  readonly storedAnew: ReadonlySet<string>
}

/** Tells whether an entry was stored first after a run. */
const isNewer = ({ createdAt }: ExistingEntry, { key }: EntryChange, { served, storedAnew }: Since): boolean =>
  storedAnew.has(storedKey(...key)) ||
  (served !== undefined && createdAt !== undefined && createdAt > served + CLOCK_SPREAD)

const judgeCreated = (change: EntryChange, entry: ExistingEntry | undefined, since: Since): EntryOutcome => {
  if (!entry) return { change, action: 'done', id: null }
  const id = entry.ids.at(-1) ?? null
  if (isNewer(entry, change, since)) return { change, action: 'leave', id, reason: 'was stored anew since' }
  if (entry.ids.length > 1)
    return { change, action: 'leave', id, reason: `is there ${entry.ids.length} times: ${entry.ids.join(', ')}` }
  const left = { ...NOTHING, ...change.after }
  if (sameValues(entry, left)) return { change, action: 'remove', id }
  return { change, action: 'leave', id, reason: `was changed since: ${differenceOf(entry, left)}` }
}

/** Returns what becomes of an entry, from what is stored now. */
const judge = (change: EntryChange, entry: ExistingEntry | undefined, since: Since): EntryOutcome => {
  const { before, after } = change
  if (!before) return judgeCreated(change, entry, since)
  if (!entry) return { change, action: 'leave', id: null, reason: DELETED }
  const id = entry.ids.at(-1) ?? null
  if (holds(entry, before)) return { change, action: 'done', id }
  if (holds(entry, after)) return { change, action: 'restore', id }
  return { change, action: 'leave', id, reason: `was changed since: ${differenceOf(entry, after)}` }
}

/** Returns a draft of an entry that holds its key alone. */
export const keyDraft = ([owner, kpi_id, entry_date]: EntryKey): EntryDraft =>
  owner < 0 ? { source_id: -owner, kpi_id, entry_date } : { user_id: owner, kpi_id, entry_date }

/** Describes an entry that is stored, with what becomes of it. */
export type Judged = { readonly outcome: EntryOutcome; readonly stored: ExistingEntry | undefined }

/** Says of entries that were deleted whether their KPIs were, too. */
const nameDeletedKpis = async (client: Client, judged: readonly Judged[]): Promise<readonly Judged[]> => {
  if (!judged.some(({ outcome }) => outcome.reason === DELETED)) return judged
  const kpis = new Set((await client.kpis.list()).map(({ id }) => id))
  return judged.map(({ outcome, stored }) => {
    const isWithKpi = outcome.reason === DELETED && !kpis.has(outcome.change.key[1])
    return { outcome: isWithKpi ? { ...outcome, reason: `${DELETED}, with its KPI` } : outcome, stored }
  })
}

/** Judges entries by what is stored now, or what is foreseen of it. */
export const judgeStored = async (
  client: Client,
  changes: readonly EntryChange[],
  since: Since,
  foreseen?: Foreseen,
): Promise<readonly Judged[]> => {
  const reading = readExisting(client, { unchecked: new Set() })
  const stored = await reading.of(changes.map(({ key }) => keyDraft(key)))
  if (!stored) throw new KpiError('forbidden', 'this key may not read entries, so it cannot be seen what was changed')
  const judged = changes.map((change) => {
    const key = storedKey(...change.key)
    const entry = foreseen?.has(key) ? foreseen.get(key) : stored.get(key)
    return { outcome: judge(change, entry, since), stored: entry }
  })
  return nameDeletedKpis(client, judged)
}

/** Holds what later parts of a run would leave of entries; undefined stands for one that they would remove. */
export type Foreseen = Map<string, ExistingEntry | undefined>

/** Returns what an outcome leaves of an entry. */
const leftBy = ({ action, change }: EntryOutcome, stored: ExistingEntry | undefined): ExistingEntry | undefined => {
  if (action === 'remove') return undefined
  return stored && action === 'restore' ? { ...stored, ...change.before } : stored
}

/**
 * Returns what would become of entries that an import changed, once what is foreseen has come; foresees that as well.
 */
export const judgeChanges = async (
  client: Client,
  changes: readonly EntryChange[],
  since: Since,
  foreseen?: Foreseen,
): Promise<EntryOutcome[]> => {
  const judged = await judgeStored(client, changes, since, foreseen)
  for (const { outcome, stored } of judged) foreseen?.set(storedKey(...outcome.change.key), leftBy(outcome, stored))
  return judged.map(({ outcome }) => outcome)
}
