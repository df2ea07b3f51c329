import { setImmediate } from 'node:timers/promises'
import type { Instant } from '../../domain/day.ts'
import {
  changesIn,
  changesToText,
  differenceOf,
  type EntryChange,
  holds,
  valuesText,
} from '../../domain/entry-changes.ts'
import { hasAnyTarget } from '../../domain/targets/dated-targets.ts'
import { compareKeys, type EntryKey } from '../../domain/entry-key.ts'
import { KpiError } from '../../domain/errors.ts'
import { type CreatedAgain, type RunEntry, type UndoneBatch } from '../../domain/resources/entry-run.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { USER_ITEMS_LIMIT } from '../../domain/limits.ts'
import { type EntryValues, faultsOfValues, NOTHING, sameValues } from '../../domain/rules.ts'
import type { Reader, Writer } from '../../store/db.ts'
import { breakdownItems } from '../../store/tables/breakdowns.ts'
import { addToRanges, entries as store, type SeriesRange, type StoredEntry } from '../../store/tables/entries.ts'
import { itemSets } from '../../store/tables/item-sets.ts'
import { kpis as kpiStore } from '../../store/tables/kpis.ts'
import { type RunBatch, runBatches, type RunName, runs } from '../../store/tables/runs.ts'
import { users } from '../../store/tables/users.ts'
import type { Context } from '../context.ts'
import { setWith } from './entry-references.ts'

/** Describes what becomes of an entry when the batch that wrote it is taken back. */
type Judged = {
  /**
   * Holds what the batch changed of an entry that was there, or created and went with its KPI; undefined for another that it
   * created.
   */
  readonly change: EntryChange | undefined
  /** Holds the key that the entry of a change has now. */
  readonly key?: EntryKey
  /** Holds what is stored now, or what later batches of the run leave of it once they are taken back. */
  readonly stored: StoredEntry | undefined
  readonly action: 'remove' | 'restore' | 'done' | 'leave'
  /** Says why it is left alone, in words that tell nothing of what is stored. */
  readonly reason?: string
}

/** Holds what a batch made of entries, and what becomes of each; `gone` counts those that it created, and that are gone. */
type JudgedBatch = {
  readonly batch: RunBatch
  readonly present: Present
  readonly judged: readonly Judged[]
  readonly gone: number
  /** Holds the entries that it created, and that are gone with their KPIs, which may be created again. */
  readonly withoutKpi: readonly EntryChange[]
  /** Holds the other runs that have written entries since, by the revisions of these, the last first. */
  readonly heldBy: ReadonlyMap<number, string>
}

/** Holds what there is of what the changes of a batch need: KPIs, items, and the entries of ids. */
type Present = {
  readonly kpis: ReadonlyMap<number, Kpi>
  readonly items: ReadonlyMap<number, unknown>
  readonly ids: ReadonlySet<number>
  /** Holds the sets of group items, each with these. */
  readonly sets: ReadonlyMap<number, readonly number[]>
}

/** Describes which batch of a run to take back, or to look at, and what was created again since. */
type AskedBatch = { readonly run: string; readonly before: number | undefined; readonly again: CreatedAgain }

/** Sets how many entries are read or removed at a time: other requests run in between. */
const AT_A_TIME = 500

const CHANGED = 'was changed since'
const DELETED = 'was deleted since'

const changesOf = ({ changes = '' }: RunBatch): EntryChange[] =>
  changes.split('\n').flatMap((line) => [...changesIn(line)])

const keyText = (item: number, kpi: number, day: number): string => `${item}/${kpi}/${day}`

/** Returns the key that an entry has now, as its KPI or item may have been created again. */
const keyNow = ([item, kpi, day]: EntryKey, { kpis, items }: CreatedAgain): EntryKey => [
  items.get(item) ?? item,
  kpis.get(kpi) ?? kpi,
  day,
]

/** Returns a change with the id that its group item has now, as that may have been created again. */
const carriedNow = (change: EntryChange, { items }: CreatedAgain): EntryChange => {
  const { carried } = change
  return carried ? { ...change, carried: { ...carried, item: items.get(carried.item) ?? carried.item } } : change
}

/** Returns ranges that cover the entries of keys, and few others. */
const rangesOf = (keys: readonly EntryKey[]): SeriesRange[] => {
  const ranges: SeriesRange[] = []
  for (const key of keys.toSorted(compareKeys)) addToRanges(ranges, ...key)
  return ranges
}

/** Returns the ids of the entries that a batch created, or of those that an undo left alone. */
const idsOf = ({ firstId, created, leftIds }: RunBatch): readonly number[] =>
  leftIds ?? Array.from({ length: created }, (_, at) => firstId + at)

function* parts<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += AT_A_TIME) yield list.slice(at, at + AT_A_TIME)
}

/** Returns what is stored of the entries that a batch changed, by their keys, and of those that it created. */
const loadStored = async (
  tx: Reader,
  account: number,
  batch: RunBatch,
  keys: readonly EntryKey[],
): Promise<readonly [changed: ReadonlyMap<string, StoredEntry>, created: readonly StoredEntry[]]> => {
  const changed = new Map<string, StoredEntry>()
  for (const stored of await store.within(tx, account, rangesOf(keys)))
    changed.set(keyText(stored.item_id, stored.kpi_id, stored.entry_date), stored)
  const created: StoredEntry[] = []
  for (const ids of parts(idsOf(batch))) {
    created.push(...(await store.withIds(tx, account, ids)))
    await setImmediate()
  }
  return [changed, created]
}

/** Holds an entry of a batch, under its key of now, with what is stored there. */
type Met = Pick<Judged, 'stored'> & { readonly change: EntryChange; readonly key: EntryKey }

/** Tells whether an undo stored an entry again under another key. */
const isMoved = ({ change, key }: Pick<Judged, 'change' | 'key'>): boolean =>
  change !== undefined && key !== undefined && compareKeys(key, change.key) !== 0

/** Tells whether an entry that went with its KPI was stored again as it was then. */
const isStoredAgain = ({ change, stored }: Pick<Judged, 'change' | 'stored'>): boolean =>
  change !== undefined && stored?.revision === 0 && sameValues(stored, { ...NOTHING, ...change.after })

/**
 * Tells whether an entry still is as a batch left it: the one that it met, with the values that it wrote, and written since by
 * nobody, or by somebody beside these values. A later run may have meant the same values, and something else before them. One
 * that an undo stored again under another key is of no run, until what a later run made of it is taken back.
 */
const isAsLeft = (stored: StoredEntry, { change, key }: Met, { revision, firstId }: RunBatch): boolean => {
  if (!holds(stored, change.after)) return false
  const isOfNobodyElse = stored.revision === revision || stored.revision === 0
  return isOfNobodyElse && (isMoved({ change, key }) || stored.id < firstId)
}

/**
 * Judges an entry that a batch created, and that went with its KPI: if it was stored again with the values that the batch gave
 * it, or has them as what a later run made of it was taken back, it goes.
 */
const judgeStoredAgain = (met: Met, { revision }: RunBatch): Judged => {
  const { change, stored } = met
  if (!stored) return { ...met, action: 'done' }
  const isSame = stored.revision === revision || (change.revision === undefined && isStoredAgain(met))
  return isSame ? { ...met, action: 'remove' } : { ...met, action: 'leave', reason: CHANGED }
}

/** Judges an entry that a batch deleted: it is stored again, unless something else is there now. */
const judgeGone = (met: Met, { before }: EntryChange, id: number, { kpis, items, ids }: Present): Judged => {
  const { key, stored } = met
  const leave = (reason: string): Judged => ({ ...met, action: 'leave', reason })
  if (stored)
    return sameValues(stored, { ...NOTHING, ...before }) ? { ...met, action: 'done' } : leave('was stored again since')
  if (!kpis.has(key[1])) return leave('cannot be stored again, as its KPI was deleted')
  if (!items.has(key[0])) return leave('cannot be stored again, as the user or item was deleted')
  return ids.has(id) ? leave('is stored under another user, KPI or day') : { ...met, action: 'restore' }
}

/**
 * Judges an entry that a batch put a group item onto, or took it off: that is turned back, unless the entry is another one now
 * or is so already. A group item that is gone is put onto none.
 */
const judgeCarried = (
  met: Met,
  { id, item, isOff }: NonNullable<EntryChange['carried']>,
  { sets, items }: Present,
): Judged => {
  const { stored } = met
  if (stored?.id !== id) return { ...met, action: 'done' }
  const held = sets.get(stored.item_set ?? 0) ?? []
  if (held.includes(item) === (isOff === true)) return { ...met, action: 'done' }
  const leave = (reason: string): Judged => ({ ...met, action: 'leave', reason })
  if (isOff && !items.has(item)) return leave('cannot get the group item again, as that was deleted')
  if (isOff && held.length >= USER_ITEMS_LIMIT) return leave('carries as many group items as there may be')
  return { ...met, action: 'restore' }
}

const judgeChanged = (met: Met, batch: RunBatch, present: Present): Judged => {
  const { change, key, stored } = met
  const { before, gone, carried } = change
  const { kpis } = present
  if (gone) return judgeGone(met, change, gone.id, present)
  if (carried) return judgeCarried(met, carried, present)
  if (!before) return judgeStoredAgain(met, batch)
  const kpi = kpis.get(key[1])
  const leave = (reason: string): Judged => ({ ...met, action: 'leave', reason })
  if (!stored || !kpi) return leave(kpi ? DELETED : `${DELETED}, with its KPI`)
  if (holds(stored, before)) return { ...met, action: 'done' }
  if (!isAsLeft(stored, met, batch)) return leave(CHANGED)
  const [fault] = faultsOfValues({ ...stored, ...before }, kpi)
  return fault ? leave(`${fault.field}: ${fault.message}`) : { ...met, action: 'restore' }
}

/**
 * Returns what will be stored once the later batches of a run are taken back. Two batches of a run hold one entry only where
 * one of them was sent again.
 */
const foresee = (tx: Reader, name: RunName, { revision: own }: RunBatch) => {
  const known = new Map<number, Promise<ReadonlyMap<string, EntryChange> | undefined>>()
  const changesAt = async (revision: number): Promise<ReadonlyMap<string, EntryChange> | undefined> => {
    const batch = await runBatches.find(tx, name, revision)
    return batch && new Map(changesOf(batch).map((change) => [keyText(...change.key), change]))
  }
  const leftBy = async (stored: StoredEntry | undefined): Promise<StoredEntry | undefined> => {
    if (!stored || stored.revision <= own) return stored
    const reading = known.get(stored.revision) ?? changesAt(stored.revision)
    known.set(stored.revision, reading)
    const changes = await reading
    if (!changes) return stored
    const change = changes.get(keyText(stored.item_id, stored.kpi_id, stored.entry_date))
    if (!change?.before) return undefined
    if (!holds(stored, change.after)) return stored
    return leftBy({ ...stored, ...change.before, revision: change.revision ?? 0 })
  }
  return leftBy
}

/** Returns the revision that an entry has, or had when it went with its KPI if it was stored again so; 0 if it is of no run. */
const writerOf = (one: Judged): number => {
  const { change, stored } = one
  return (change && !change.before && isStoredAgain(one) ? change.revision : stored?.revision) ?? 0
}

/** Bounds how many later writes of an entry are followed: what is left then is named once these are taken back. */
const MOST_LAYERS = 20

/**
 * Finds the runs that have written entries since a batch that these are not taken back of: the one that an entry is of now, and
 * those whose values would be there again once that is taken back, by their revisions.
 */
const findHolders = async (
  tx: Reader,
  account: number,
  { revision: own }: RunBatch,
  judged: readonly Judged[],
): Promise<ReadonlyMap<number, string>> => {
  const found = new Map<number, string>()
  const held = judged.flatMap((one) => {
    const { action, stored } = one
    if (!stored || (action !== 'leave' && action !== 'done')) return []
    return [[writerOf(one), keyText(stored.item_id, stored.kpi_id, stored.entry_date)] as const]
  })
  let layer = Map.groupBy(held, ([revision]) => revision)
  for (let depth = 0; depth < MOST_LAYERS; depth += 1) {
    const later = [...layer.keys()].filter((revision) => revision !== 0 && revision !== own)
    if (later.length === 0) return found
    const below: (readonly [number, string])[] = []
    for (const [revision, run] of await runBatches.runsOf(tx, account, later)) {
      found.set(revision, run)
      const batch = await runBatches.find(tx, { account, run }, revision)
      const keys = new Set(layer.get(revision)?.map(([, key]) => key))
      for (const { key, revision: before = 0 } of batch ? changesOf(batch) : [])
        if (before > own && keys.has(keyText(...key))) below.push([before, keyText(...key)])
    }
    layer = Map.groupBy(below, ([revision]) => revision)
  }
  return found
}

/** Loads what tells whether deleted entries can be stored again, and which entries carry a group item. */
const loadPresent = async (
  tx: Reader,
  account: number,
  changes: readonly EntryChange[],
  { keys, changed }: { readonly keys: readonly EntryKey[]; readonly changed: ReadonlyMap<string, StoredEntry> },
): Promise<Omit<Present, 'kpis'>> => {
  const gone = changes.flatMap((change) => change.gone ?? [])
  const carried = new Set(changes.flatMap((change) => change.carried?.item ?? []))
  const ids = new Set<number>()
  for (const some of parts(gone)) {
    const stored = await store.withIds(
      tx,
      account,
      some.map(({ id }) => id),
    )
    for (const { id } of stored) ids.add(id)
    await setImmediate()
  }
  const needed = [...(gone.length === 0 ? [] : keys.map(([item]) => item)), ...carried]
  const items = needed.length === 0 ? new Map() : await breakdownItems.findMany(tx, account, needed)
  const asked = new Set([
    ...gone.flatMap(({ set }) => set ?? []),
    ...(carried.size > 0 ? [...changed.values()].flatMap(({ item_set }) => item_set ?? []) : []),
  ])
  return { items, ids, sets: asked.size === 0 ? new Map() : await itemSets.withIds(tx, account, asked) }
}

/**
 * Judges what becomes of the entries of the last batch of a run, or of the last one before a revision; undefined if there is
 * none.
 */
const judgeBatch = async (
  tx: Reader,
  account: number,
  { run, before, again }: AskedBatch,
): Promise<JudgedBatch | undefined> => {
  const name = { account, run }
  const batch = (await runs.isKept(tx, name)) ? await runBatches.last(tx, name, before) : undefined
  if (!batch) return undefined
  const changes = changesOf(batch).map((change) => carriedNow(change, again))
  const keys = changes.map(({ key }) => keyNow(key, again))
  const kpis = await kpiStore.findMany(tx, account, new Set(keys.map(([, kpi]) => kpi)))
  const [changed, created] = await loadStored(tx, account, batch, keys)
  const present = { kpis, ...(await loadPresent(tx, account, changes, { keys, changed })) }
  const foreseen = foresee(tx, name, batch)
  const all: Judged[] = []
  for (const [at, change] of changes.entries()) {
    const key = keys[at] ?? change.key
    all.push(judgeChanged({ change, key, stored: await foreseen(changed.get(keyText(...key))) }, batch, present))
  }
  // Leave out what went with its KPI and was not stored again: it counts as gone.
  const judged = all.filter(({ change, stored }) => stored !== undefined || change?.before !== undefined)
  const storedAgain = judged.filter(({ change }) => change && !change.before).length
  const withoutKpi = all.flatMap(({ change, key, stored }) =>
    change && key && !change.before && !stored && !kpis.has(key[1]) ? [change] : [],
  )
  let gone = Math.max(0, idsOf(batch).length - created.length - storedAgain)
  for (const one of created) {
    const stored = await foreseen(one)
    if (!stored) gone += 1
    else if (stored.revision === batch.revision) judged.push({ change: undefined, stored, action: 'remove' })
    else judged.push({ change: undefined, stored, action: 'leave', reason: CHANGED })
  }
  const found = await findHolders(tx, account, batch, judged)
  const later = [...found].filter(([, other]) => other !== run).sort(([one], [other]) => other - one)
  return { batch, present, judged, gone, withoutKpi, heldBy: new Map(later) }
}

const heldIn = ({ heldBy }: JudgedBatch, one: Judged): string | undefined => heldBy.get(writerOf(one))

/** Counts reasons: `2 was changed since; 1 was deleted since`. */
const countReasons = (judged: readonly Judged[]): string | null => {
  const counts = Map.groupBy(
    judged.flatMap(({ reason }) => reason ?? []),
    (reason) => reason,
  )
  return counts.size === 0 ? null : [...counts].map(([reason, all]) => `${all.length} ${reason}`).join('; ')
}

const countsOf = async (tx: Reader, name: RunName, all: JudgedBatch | undefined): Promise<UndoneBatch> => {
  const { batch, judged, gone, heldBy } = all ?? NO_BATCH
  const count = (wanted: Judged['action']): number => judged.filter(({ action }) => action === wanted).length
  return {
    run: name.run,
    is_kept: all !== undefined || (await runs.isKept(tx, name)),
    revision: batch.revision,
    restored: count('restore'),
    removed: count('remove'),
    unchanged: count('done') + gone,
    left: count('leave'),
    batches: all ? await runBatches.count(tx, name, batch.revision) : 0,
    reasons: countReasons(judged),
    held_by: heldBy.size === 0 ? null : [...new Set(heldBy.values())].join(','),
  }
}

const NO_BATCH: Pick<JudgedBatch, 'judged' | 'gone' | 'heldBy'> & { readonly batch: Pick<RunBatch, 'revision'> } = {
  batch: { revision: 0 },
  judged: [],
  gone: 0,
  heldBy: new Map(),
}

/**
 * Returns what is kept of a batch after it was taken back: what was left alone, what another run holds as it was before, and
 * what went with its KPI.
 */
const restOf = (all: JudgedBatch): RunBatch | undefined => {
  const rest = all.judged.filter((one) => one.action === 'leave' || (one.action === 'done' && heldIn(all, one)))
  if (rest.length + all.withoutKpi.length === 0) return undefined
  const changes = [...rest.flatMap(({ change }) => change ?? []), ...all.withoutKpi]
  return {
    ...all.batch,
    created: 0,
    leftIds: rest.flatMap(({ change, stored }) => (change || !stored ? [] : stored.id)),
    changes: changes.length > 0 ? changesToText(changes) : undefined,
  }
}

const lengthOf = ({ changes = '' }: Pick<RunBatch, 'changes'>): number => Buffer.byteLength(changes)

/** Stores entries again that a batch deleted, as they were; of a set of group items that is gone they carry none. */
const storeAgain = async (
  tx: Writer,
  account: number,
  now: Instant,
  { judged, present }: JudgedBatch,
): Promise<void> => {
  const rows = judged.flatMap(({ action, change, key }): StoredEntry[] => {
    if (action !== 'restore' || !change?.gone || !key) return []
    const { gone, before, revision = 0 } = change
    const [item_id, kpi_id, entry_date] = key
    const item_set = gone.set !== null && present.sets.has(gone.set) ? gone.set : null
    const times = { created_at: gone.createdAt, updated_at: now }
    return [{ id: gone.id, item_id, kpi_id, entry_date, ...NOTHING, ...before, ...times, item_set, revision }]
  })
  for (const some of parts(rows)) {
    await store.putBack(tx, account, some)
    await setImmediate()
  }
}

/** Takes a group item off the entries that a batch put it onto, and puts it onto those that a batch took it off. */
const turnBack = async (tx: Writer, account: number, { judged, present }: JudgedBatch): Promise<void> => {
  const newSets = new Map<string, number | null>()
  const rows: StoredEntry[] = []
  for (const { action, change, stored } of judged) {
    if (action !== 'restore' || !change?.carried || !stored) continue
    const { item, isOff } = change.carried
    const items = present.sets.get(stored.item_set ?? 0) ?? []
    const name = `${stored.item_set} ${item}`
    const set = newSets.get(name) ?? (await setWith(tx, account, items, { item, isOff: !isOff }))
    newSets.set(name, set)
    rows.push({ ...stored, item_set: set })
  }
  await store.setItems(tx, account, rows)
}

const takeBack = async (tx: Writer, { now }: Context, name: RunName, all: JudgedBatch): Promise<void> => {
  const { batch, judged } = all
  const { account } = name
  await storeAgain(tx, account, now, all)
  await turnBack(tx, account, all)
  const restored = judged.flatMap((one) => {
    const { action, stored, change } = one
    if (action !== 'restore' || !stored || !change || change.carried) return []
    const isOfBefore = stored.revision === batch.revision || isMoved(one)
    const revision = isOfBefore ? (change.revision ?? 0) : stored.revision
    return { ...stored, ...change.before, updated_at: now, revision }
  })
  await store.update(tx, account, restored)
  const removed = judged.flatMap(({ action, stored }) => (action === 'remove' && stored ? stored.id : []))
  for (const ids of parts(removed)) await store.removeMany(tx, account, ids)
  const rest = restOf(all)
  if (rest) await runBatches.update(tx, name, rest)
  else await runBatches.remove(tx, name, batch.revision)
  const freed = lengthOf(batch) - (rest ? lengthOf(rest) : 0)
  if (freed > 0) await runs.shrink(tx, name, freed)
}

const mayRead = ({ credentials }: Context): boolean => credentials?.mayReadEntries ?? true

/** Refuses to take back the run of other credentials with a key that may not read entries. */
const requireOwn = async (tx: Reader, ctx: Context, name: RunName): Promise<void> => {
  const owner = mayRead(ctx) ? undefined : await runs.keyOf(tx, name)
  if (owner === undefined || owner === ctx.credentials?.key) return
  throw new KpiError(
    'forbidden',
    `run ${name.run} is not of this key, which may only write and so take back its own; a key with entries:read as well takes back others`,
  )
}

/**
 * Takes back the last batch of a run, or the last one before a revision, and counts what became of its entries: those that it
 * created and nothing has written since are removed, those that hold what it left get back what they held, and others are left
 * alone, and stay kept. A dry run only counts.
 */
export const undoBatch = (ctx: Context, asked: AskedBatch, isDry: boolean): Promise<UndoneBatch> => {
  const name = { account: ctx.account.id, run: asked.run }
  const judge = async (tx: Reader): Promise<JudgedBatch | undefined> => {
    await requireOwn(tx, ctx, name)
    return judgeBatch(tx, name.account, asked)
  }
  const shown = (counts: UndoneBatch): UndoneBatch => (mayRead(ctx) ? counts : { ...counts, held_by: null })
  if (isDry) return ctx.db.read(async (tx) => shown(await countsOf(tx, name, await judge(tx))))
  return ctx.db.write(async (tx) => {
    const all = await judge(tx)
    if (all) await takeBack(tx, ctx, name, all)
    return shown(await countsOf(tx, name, all))
  })
}

/** Returns the reason for leaving an entry alone, with what it holds, for those who may read that. */
const reasonWithValues = ({ reason, change, stored }: Judged): string | null => {
  if (reason !== CHANGED || !stored) return reason ?? null
  return `${reason}: ${change?.before ? differenceOf(stored, change.after) : valuesText(stored)}`
}

/** Lists what a batch of a run made of entries, with what is stored now and what taking it back would do; empty if there is none. */
export const listBatch = ({ db, account }: Context, asked: AskedBatch): Promise<readonly RunEntry[]> =>
  db.read(async (tx) => {
    const { run } = asked
    const all = await judgeBatch(tx, account.id, asked)
    if (!all) return []
    const { batch, judged, gone } = all
    const places = judged.map(
      ({ key, stored }): EntryKey => key ?? [stored?.item_id ?? 0, stored?.kpi_id ?? 0, stored?.entry_date ?? 0],
    )
    const people = await users.findMany(tx, account.id, new Set(places.map(([item]) => item)))
    const kpis = await kpiStore.findMany(tx, account.id, new Set(places.map(([, kpi]) => kpi)))
    const hidden = new Set([...kpis.values()].filter((one) => !hasAnyTarget(one)).map(({ id }) => id))
    const rows = judged.map((one, at): RunEntry => {
      const { change, stored, action } = one
      const [item, kpi, day] = places[at] ?? [0, 0, 0]
      // A target is hidden while its KPI has none.
      const shown = ({ actual, target, notes }: EntryValues): EntryValues => ({
        actual,
        target: hidden.has(kpi) ? null : target,
        notes,
      })
      const is = shown(stored ?? NOTHING)
      const was = change?.before ? shown({ ...(stored ?? NOTHING), ...change.before }) : NOTHING
      return {
        run,
        revision: batch.revision,
        action,
        entries: 1,
        entry_id: stored?.id ?? null,
        user_id: people.has(item) ? item : null,
        source_id: item,
        kpi_id: kpi,
        entry_date: day,
        ...is,
        old_actual: was.actual,
        old_target: was.target,
        old_notes: was.notes,
        reason: reasonWithValues(one),
        held_by: heldIn(all, one) ?? null,
      }
    })
    const sorted = rows.toSorted(
      (one, other) => (one.entry_date ?? 0) - (other.entry_date ?? 0) || (one.entry_id ?? 0) - (other.entry_id ?? 0),
    )
    if (gone === 0) return sorted
    const nothing = {
      entry_id: null,
      user_id: null,
      source_id: null,
      kpi_id: null,
      entry_date: null,
      old_actual: null,
      old_target: null,
      old_notes: null,
      reason: null,
      held_by: null,
    }
    return [{ run, revision: batch.revision, action: 'done', entries: gone, ...NOTHING, ...nothing }, ...sorted]
  })
