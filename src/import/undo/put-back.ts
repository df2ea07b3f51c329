import type { Client } from '../../client/client.ts'
import type { Instant } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { type EntryValues, sameValues } from '../../domain/rules.ts'
import type { EntryKey } from '../entry-key.ts'
import { type ExistingEntry, readExisting, storedKey } from '../existing/existing-entries.ts'
import { pollUntil, type Timing } from '../third-party/reconcile.ts'
import { checkEntryAnswer, maySendAgain, notStored } from '../third-party/response-check.ts'
import type { EntryChange } from './change-lines.ts'
import { CLOCK_SPREAD, requireNotStopped } from './take-back.ts'

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

/** Puts back one entry by its id, whoever is locked or no longer assigned, on the bundled service. */
const restoreOne = ({ fate }: Judged, client: Client): Promise<EntryFate> =>
  orLeave(fate, async (id) => {
    const { kpi_id } = await client.entries.update(id, fate.change.before ?? {})
    if (kpi_id === fate.change.key[1]) return
    throw new KpiError('unavailable', `the service answered something else than entry ${id}`, { mayBeDone: true })
  })

/** Describes why an answer does not prove that an entry was stored; undefined if it does. */
type Unproven = ReturnType<typeof checkEntryAnswer>
type Restored = { readonly fate: EntryFate; readonly unproven: Unproven }

/** Puts back one entry on a third-party service, which is sent all of it as it may clear the rest. */
const restoreElsewhere = async ({ fate, stored }: Judged, client: Client): Promise<Restored> => {
  const { before, key } = fate.change
  const { actual = null, target = null, notes = null } = stored ?? {}
  const draft = { ...keyDraft(key), actual, target, notes, ...before }
  let unproven: Unproven
  const done = await orLeave(fate, async (id) => {
    unproven = checkEntryAnswer(await client.entries.change(id, draft), draft, stored)
  })
  return { fate: done, unproven }
}

/**
 * Puts back entries on a third-party service, one by one. Those whose answers prove nothing are read back, and sent again a
 * few times where they are not put back.
 */
async function* restoreAllElsewhere(
  client: Client,
  judged: readonly Judged[],
  since: Since,
  timing: Timing,
): AsyncGenerator<readonly EntryFate[]> {
  let open = judged
  for (let sent = 1; open.length > 0; sent += 1) {
    const doubted: { readonly change: EntryChange; readonly unproven: NonNullable<Unproven> }[] = []
    for (const one of open) {
      requireNotStopped(timing)
      const { fate, unproven } = await restoreElsewhere(one, client)
      if (unproven) doubted.push({ change: fate.change, unproven })
      else yield [fate]
    }
    const changes = doubted.map(({ change }) => change)
    const look = (): Promise<readonly Judged[]> => judgeStored(client, changes, since)
    const isAllBack = (seen: readonly Judged[]): boolean => !seen.some(({ fate }) => fate.action === 'restore')
    const seen = doubted.length > 0 ? await pollUntil(timing, look, isAllBack) : []
    const fates: EntryFate[] = []
    open = seen.filter(({ fate }, at) => {
      const unproven = doubted[at]?.unproven
      const isOpen = fate.action === 'restore' && unproven !== undefined
      if (isOpen && maySendAgain(unproven, sent)) return true
      if (fate.action === 'done') fates.push({ ...fate, action: 'restore' })
      else fates.push(isOpen ? { ...fate, action: 'leave', reason: notStored(unproven) } : fate)
      return false
    })
    if (fates.length > 0) yield fates
  }
}

/** Puts back entries in one request; returns false if the service refuses one of them. */
const restoreTogether = async (client: Client, judged: readonly Judged[]): Promise<boolean> => {
  try {
    await client.entries.addMany(judged.map(({ fate: { change } }) => ({ ...keyDraft(change.key), ...change.before })))
    return true
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
}

/** Puts back entries: together where the service takes that, else one by one. */
async function* restore(
  client: Client,
  judged: readonly Judged[],
  since: Since,
  timing: Timing,
): AsyncGenerator<readonly EntryFate[]> {
  if (!client.isBundled()) return yield* restoreAllElsewhere(client, judged, since, timing)
  if (judged.length > 0 && (await restoreTogether(client, judged))) yield judged.map(({ fate }) => fate)
  else
    for (const one of judged) {
      requireNotStopped(timing)
      yield [await restoreOne(one, client)]
    }
}

/** Removes entries in one step; returns false if one of them is not removed. */
const removeTogether = async (client: Client, fates: readonly EntryFate[]): Promise<boolean> => {
  if (!client.entries.removeTogether || fates.length < 2) return false
  try {
    await client.entries.removeTogether(fates.flatMap(({ id }) => id ?? []))
    return true
  } catch (error) {
    if (isRefused(error) || (error instanceof KpiError && error.code === 'not_found')) return false
    throw error
  }
}

/** Removes entries: some together where that is one step, else one by one. */
async function* remove(
  client: Client,
  fates: readonly EntryFate[],
  timing: Timing,
): AsyncGenerator<readonly EntryFate[]> {
  for (let at = 0; at < fates.length; at += client.addStep) {
    const some = fates.slice(at, at + client.addStep)
    requireNotStopped(timing)
    if (await removeTogether(client, some)) yield some
    else
      for (const fate of some) {
        requireNotStopped(timing)
        yield [await orLeave(fate, (id) => client.entries.remove(id))]
      }
  }
}

/**
 * Takes back what an import made of some entries, if they still are as it left them, and yields what became of them as soon
 * as it is done: the same once more changes nothing.
 */
export async function* putBack(
  client: Client,
  changes: readonly EntryChange[],
  since: Since,
  timing: Timing,
): AsyncGenerator<readonly EntryFate[]> {
  const judged = await judgeStored(client, changes, since)
  const changed = judged.filter(({ fate }) => fate.action === 'restore')
  yield* restore(client, changed, since, timing)
  const fates = judged.map(({ fate }) => fate)
  yield* remove(
    client,
    fates.filter(({ action }) => action === 'remove'),
    timing,
  )
  yield fates.filter(({ action }) => action === 'done' || action === 'leave')
}
