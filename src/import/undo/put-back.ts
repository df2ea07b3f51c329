import type { Client } from '../../client/client.ts'
import type { Instant } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { type EntryValues, sameValues } from '../../domain/rules.ts'
import type { EntryKey } from '../entry-key.ts'
import { type ExistingEntry, readExisting, storedKey } from '../existing/existing-entries.ts'
import type { EntryChange } from './change-lines.ts'
import { CLOCK_SPREAD } from './take-back.ts'

/**
 * Describes what becomes of an entry that an import changed: one that it created is removed, another gets back what it
 * had; it is left alone with a reason, or `done` if it is already as before.
 */
export type EntryFate = {
  readonly change: EntryChange
  readonly action: 'remove' | 'restore' | 'done' | 'leave'
  /** Holds the id of the entry; null if it is not there. */
  readonly id: number | null
  readonly reason?: string
}

const NAMES = ['actual', 'target', 'notes'] as const

const textOf = (value: bigint | string | null | undefined): string => {
  if (value === null || value === undefined) return 'none'
  return typeof value === 'bigint' ? formatDecimal(value) : `"${value}"`
}

const holds = (entry: EntryValues, values: Partial<EntryValues>): boolean =>
  NAMES.every((name) => values[name] === undefined || values[name] === entry[name])

/** Says how an entry differs from what the import left: `actual is 5, not 3`. */
const differenceOf = (entry: EntryValues, after: Partial<EntryValues>): string =>
  NAMES.filter((name) => after[name] !== undefined && after[name] !== entry[name])
    .map((name) => `${name} is ${textOf(entry[name])}, not ${textOf(after[name])}`)
    .join(', ')

const NOTHING: EntryValues = { actual: null, target: null, notes: null }

const DELETED = 'was deleted since'

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

const judgeCreated = (change: EntryChange, entry: ExistingEntry | undefined, since: Since): EntryFate => {
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
const judge = (change: EntryChange, entry: ExistingEntry | undefined, since: Since): EntryFate => {
  const { before, after } = change
  if (!before) return judgeCreated(change, entry, since)
  if (!entry) return { change, action: 'leave', id: null, reason: DELETED }
  const id = entry.ids.at(-1) ?? null
  if (holds(entry, before)) return { change, action: 'done', id }
  if (holds(entry, after)) return { change, action: 'restore', id }
  return { change, action: 'leave', id, reason: `was changed since: ${differenceOf(entry, after)}` }
}

const keyDraft = ([owner, kpi_id, entry_date]: EntryKey): EntryDraft =>
  owner < 0 ? { source_id: -owner, kpi_id, entry_date } : { user_id: owner, kpi_id, entry_date }

/** Describes an entry that is stored, with what becomes of it. */
type Judged = { readonly fate: EntryFate; readonly stored: ExistingEntry | undefined }

/** Says of entries that were deleted whether their KPIs were, too. */
const nameDeletedKpis = async (client: Client, judged: readonly Judged[]): Promise<readonly Judged[]> => {
  if (!judged.some(({ fate }) => fate.reason === DELETED)) return judged
  const kpis = new Set((await client.kpis.list()).map(({ id }) => id))
  return judged.map(({ fate, stored }) => {
    const isWithKpi = fate.reason === DELETED && !kpis.has(fate.change.key[1])
    return { fate: isWithKpi ? { ...fate, reason: `${DELETED}, with its KPI` } : fate, stored }
  })
}

const judgeStored = async (
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
    return { fate: judge(change, entry, since), stored: entry }
  })
  return nameDeletedKpis(client, judged)
}

/** Holds what later parts of a run would leave of entries; undefined stands for one that they would remove. */
export type Foreseen = Map<string, ExistingEntry | undefined>

/** Returns what a fate leaves of an entry. */
const leftBy = ({ action, change }: EntryFate, stored: ExistingEntry | undefined): ExistingEntry | undefined => {
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
): Promise<EntryFate[]> => {
  const judged = await judgeStored(client, changes, since, foreseen)
  for (const { fate, stored } of judged) foreseen?.set(storedKey(...fate.change.key), leftBy(fate, stored))
  return judged.map(({ fate }) => fate)
}

const isRefused = (error: unknown): error is KpiError =>
  error instanceof KpiError && ['conflict', 'invalid', 'forbidden'].includes(error.code)

/** Runs a write of an entry by its id; returns the fate, or one that says why the service refuses it. */
const orLeave = async (fate: EntryFate, write: (id: number) => Promise<unknown>): Promise<EntryFate> => {
  try {
    if (fate.id !== null) await write(fate.id)
    return fate
  } catch (error) {
    if (error instanceof KpiError && error.code === 'not_found')
      return { ...fate, action: fate.action === 'remove' ? 'done' : 'leave', id: null, reason: DELETED }
    if (isRefused(error)) return { ...fate, action: 'leave', reason: error.message }
    throw error
  }
}

/** Puts back one entry by its id, whoever is locked or no longer assigned: all of it to a service that may clear the rest. */
const restoreOne = (client: Client, { fate, stored }: Judged): Promise<EntryFate> => {
  const { before = {}, key } = fate.change
  const { actual = null, target = null, notes = null } = stored ?? {}
  const patch = client.isBundled() ? before : { ...keyDraft(key), actual, target, notes, ...before }
  return orLeave(fate, (id) => client.entries.update(id, patch))
}

/** Puts back entries: together where the service takes that, else one by one. */
const restore = async (client: Client, judged: readonly Judged[]): Promise<EntryFate[]> => {
  if (client.isBundled() && judged.length > 1) {
    const drafts = judged.map(({ fate: { change } }) => ({ ...keyDraft(change.key), ...change.before }))
    try {
      await client.entries.addMany(drafts)
      return judged.map(({ fate }) => fate)
    } catch (error) {
      if (!isRefused(error)) throw error
    }
  }
  const fates: EntryFate[] = []
  for (const one of judged) fates.push(await restoreOne(client, one))
  return fates
}

/**
 * Takes back what an import made of some entries, if they still are as it left them, and yields what became of each: the
 * same once more changes nothing.
 */
export async function* putBack(
  client: Client,
  changes: readonly EntryChange[],
  since: Since,
): AsyncGenerator<EntryFate> {
  const judged = await judgeStored(client, changes, since)
  yield* await restore(
    client,
    judged.filter(({ fate }) => fate.action === 'restore'),
  )
  for (const { fate } of judged) {
    if (fate.action === 'remove') yield await orLeave(fate, (id) => client.entries.remove(id))
    else if (fate.action !== 'restore') yield fate
  }
}
