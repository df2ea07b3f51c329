import { countOf } from '../../domain/count-text.ts'
import { setImmediate } from 'node:timers/promises'
import { changesIn, changesToText, type EntryChange } from '../../domain/entry-changes.ts'
import { invalid, KpiError } from '../../domain/errors.ts'
import type { Pause } from '../../domain/pause.ts'
import { BATCH_LIMIT } from '../../domain/resources/entry.ts'
import { type CarriedGroupItem, type DeletedEntries, KEPT_DAYS, RUN_LIMIT } from '../../domain/resources/entry-run.ts'
import { USER_ITEMS_LIMIT } from '../../domain/limits.ts'
import { LAST_ENTRY_DAY, type Day } from '../../domain/day.ts'
import { missingReference } from '../../domain/rules.ts'
import type { Writer } from '../../store/db.ts'
import { entries as store, type StoredEntry } from '../../store/tables/entries.ts'
import { breakdownItems } from '../../store/tables/breakdowns.ts'
import { groupItems } from '../../store/tables/groups.ts'
import { itemSets, userItems } from '../../store/tables/item-sets.ts'
import { runBatches, type RunName } from '../../store/tables/runs.ts'
import type { Context } from '../context.ts'
import { setWith } from './entry-references.ts'
import { growRun, keepChanges } from './keep-batch.ts'
import { type EntrySelection, eachSelected } from './selected-entries.ts'

/** Sets how many entries are read or removed at a time: other requests run in between. */
const AT_A_TIME = 500

/** Sets how many entries a transaction changes: others wait until it ends before they write. */
const PER_TRANSACTION = 1000

/** Bounds the users and group items that an answer names. */
const MOST_NAMED = 500

function* parts<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size)
}

/** Returns entries by their ids, some at a time. */
const loadAll = async (tx: Writer, account: number, ids: readonly number[]): Promise<StoredEntry[]> => {
  const all: StoredEntry[] = []
  for (const some of parts(ids, AT_A_TIME)) {
    all.push(...(await store.withIds(tx, account, some)))
    await setImmediate()
  }
  return all
}

const byKey = (one: StoredEntry, other: StoredEntry): number =>
  one.item_id - other.item_id || one.kpi_id - other.kpi_id || one.entry_date - other.entry_date

const keyIn = ({ item_id, kpi_id, entry_date }: StoredEntry): EntryChange['key'] => [item_id, kpi_id, entry_date]

/** Returns changes as text, some at a time. */
const textOf = async (changes: readonly EntryChange[]): Promise<string> => {
  let text = ''
  for (const some of parts(changes, AT_A_TIME)) {
    text += changesToText(some)
    await setImmediate()
  }
  return text
}

/** Names the batch of a run that several transactions write, by its revision; undefined before the first has written. */
type OpenBatch = { readonly run: string; revision: number | undefined }

/** Keeps changes with those of their batch; refuses what cannot be kept, as it could not be taken back. */
const keep = async (tx: Writer, ctx: Context, batch: OpenBatch, changes: readonly EntryChange[]): Promise<number> => {
  const { run, revision } = batch
  const text = await textOf(changes)
  const name = { account: ctx.account.id, run }
  if (revision === undefined) {
    const kept = await keepChanges(tx, { ...ctx, run }, { firstId: 0, created: 0, changes: text })
    if (kept > 0) return kept
  } else if (await growRun(tx, name, Buffer.byteLength(text))) {
    await runBatches.append(tx, name, revision, text)
    return revision
  }
  throw new KpiError(
    'conflict',
    `what run ${run} changes would be too much to keep for ${KEPT_DAYS} days, so that it could not be taken back; change less at a time, as another run`,
  )
}

/** Returns the values that there are. */
const valuesOf = ({ actual, target, notes }: StoredEntry): NonNullable<EntryChange['before']> =>
  Object.fromEntries(Object.entries({ actual, target, notes }).filter(([, value]) => value !== null))

const goneChange = (entry: StoredEntry): EntryChange => ({
  key: keyIn(entry),
  before: valuesOf(entry),
  after: {},
  ...(entry.revision > 0 && { revision: entry.revision }),
  gone: { id: entry.id, set: entry.item_set, createdAt: entry.created_at },
})

/** Describes what a transaction has done: to how many entries, and the batch that it has written. */
type Done = { readonly count: number; readonly revision: number | undefined }

/** Does to some entries what is asked, in a transaction. */
type Work = (batch: OpenBatch, ids: readonly number[]) => Promise<Done>

/** Deletes entries that are still there, and keeps what they held. */
const deleteSome = (ctx: Context, batch: OpenBatch, ids: readonly number[]): Promise<Done> =>
  ctx.db.write(async (tx) => {
    const account = ctx.account.id
    const stored = (await loadAll(tx, account, ids)).toSorted(byKey)
    if (stored.length === 0) return { count: 0, revision: batch.revision }
    const revision = await keep(tx, ctx, batch, stored.map(goneChange))
    for (const some of parts(stored, AT_A_TIME)) {
      await store.removeMany(
        tx,
        account,
        some.map(({ id }) => id),
      )
      await setImmediate()
    }
    return { count: stored.length, revision }
  })

/** Counts the entries that a run has deleted so far, or has put a group item onto or taken it off. */
const countDone = ({ db }: Context, name: RunName): Promise<number> =>
  db.read(async (tx) => {
    let count = 0
    for (let before: number | undefined; ;) {
      const batch = await runBatches.last(tx, name, before)
      if (!batch) return count
      for (const line of batch.changes?.split('\n') ?? []) for (const _ of changesIn(line)) count += 1
      before = batch.revision
      await setImmediate()
    }
  })

/**
 * Does work with batches of ids, each in some transactions, between which others write; a batch is what an undo takes back at a
 * time. Returns how many entries were done.
 */
const inBatches = async (run: string, ids: readonly number[], pause: Pause, work: Work): Promise<number> => {
  let done = 0
  for (const all of parts(ids.slice(0, RUN_LIMIT), BATCH_LIMIT)) {
    const batch: OpenBatch = { run, revision: undefined }
    for (const some of parts(all, PER_TRANSACTION)) {
      const { count, revision } = await work(batch, some)
      batch.revision = revision
      done += count
      await pause()
    }
  }
  return done
}

/** Says which entries a run deletes: a selection, or some by their ids; and how many they are. */
type AskedDeletion = {
  readonly run: string
  readonly selection: EntrySelection | undefined
  readonly ids: ReadonlySet<number> | undefined
  readonly count: number
}

/** Returns the ids of the entries that a deletion selects. */
const idsOf = async (ctx: Context, { selection, ids }: AskedDeletion): Promise<readonly number[]> => {
  const found: number[] = []
  if (ids) {
    const stored = await ctx.db.read((tx) => store.withIds(tx, ctx.account.id, ids))
    return stored.map(({ id }) => id)
  }
  if (selection) await eachSelected(ctx, selection, ({ id }) => found.push(id))
  return found
}

/** Bounds how often is looked what is left while another try of the run deletes some. */
const MOST_LOOKS = 3

/**
 * Returns what a run has deleted, and what is left of what it was asked for, both at one moment; without that where another try of
 * it goes on all the while.
 */
const readLeft = async (ctx: Context, asked: AskedDeletion, pause: Pause) => {
  const name = { account: ctx.account.id, run: asked.run }
  let before = await countDone(ctx, name)
  for (let looks = 1; ; looks += 1) {
    const ids = await idsOf(ctx, asked)
    const since = await countDone(ctx, name)
    if (since === before) return { before, ids, isUnderWay: false }
    if (looks === MOST_LOOKS) return { before: since, ids, isUnderWay: true }
    before = since
    await pause()
  }
}

/** Returns how many entries a run has changed once a request has changed some of it: others may be of another try that went on. */
const countAll = async (
  ctx: Context,
  run: string,
  { before, asked, done }: { readonly before: number; readonly asked: number; readonly done: number },
): Promise<number> => (done < asked ? countDone(ctx, { account: ctx.account.id, run }) : before + done)

/**
 * Deletes entries, and keeps for their run what they held. It deletes none where they are not as many as were counted; a request
 * that is sent again goes on with the entries that are left, and counts what the run has deleted before. Where another try is at it, it
 * says how far that is: who sends the request again waits for it so.
 */
export const deleteEntries = async (ctx: Context, asked: AskedDeletion, pause: Pause): Promise<DeletedEntries> => {
  const { run, count } = asked
  const { before, ids, isUnderWay } = await readLeft(ctx, asked, pause)
  if (isUnderWay) return { run, entries: before, left: Math.max(1, count - before) }
  if (before + ids.length !== count) {
    const mayRead = ctx.credentials?.mayReadEntries ?? true
    const found = mayRead ? `there are ${before + ids.length} such entries now` : 'there are not as many entries now'
    const message = `${found}, and not ${count}; count them again`
    const byRun = before > 0 ? [{ field: 'run', message: `has deleted ${countOf(before, 'entry', 'entries')}` }] : []
    throw new KpiError('conflict', `count: ${message}`, { issues: [{ field: 'count', message }, ...byRun] })
  }
  const done = await inBatches(run, ids, pause, (batch, some) => deleteSome(ctx, batch, some))
  const entries = await countAll(ctx, run, { before, asked: Math.min(ids.length, RUN_LIMIT), done })
  return { run, entries, left: Math.max(0, ids.length - RUN_LIMIT) }
}

/** Says which group item a run puts onto entries or takes off: of which users, from which day on, up to which. */
type AskedGroupItem = {
  readonly run: string
  readonly groupItem: number
  readonly users: ReadonlySet<number> | undefined
  readonly from: Day
  readonly to: Day | null
  readonly isOff: boolean
  readonly isDry: boolean
}

/** Returns the group of a group item; refuses one that is not there, or archived where it is to be put onto entries. */
const groupOf = async ({ db, account }: Context, id: number, isOff: boolean): Promise<number> => {
  const item = await db.read((tx) => groupItems.findLinkable(tx, account.id, id))
  const field = 'group_item_id'
  if (!item) throw invalid([missingReference(field, 'group item', id)])
  if (item.isArchived && !isOff) throw invalid([{ field, message: `group item ${id} (${item.name}) is archived` }])
  return item.groupId
}

/** Holds the entries that a group item is still to be put onto or taken off, whose they are, and the sets of all that were asked for. */
type FoundEntries = {
  readonly ids: readonly number[]
  readonly users: readonly number[]
  readonly firstDay: Day | null
  readonly sets: ReadonlySet<number>
}

/** Finds the entries that a group item is still to be put onto, or to be taken off. */
const findToChange = async (
  ctx: Context,
  { groupItem, users, from, to, isOff }: AskedGroupItem,
): Promise<FoundEntries> => {
  const [account, { db }] = [ctx.account.id, ctx]
  const [items, carrying] = await db.read(async (tx) => [
    users ?? (await userItems.usersWith(tx, account, groupItem)),
    await itemSets.carrying(tx, account, groupItem),
  ])
  const [ids, found, sets]: [number[], Set<number>, Set<number>] = [[], new Set(), new Set()]
  const days = { from, to: to ?? LAST_ENTRY_DAY }
  let firstDay: Day | null = null
  await eachSelected(ctx, { users: items, kpis: undefined, days }, ({ id, itemId, itemSet, day }) => {
    if (itemSet !== null) sets.add(itemSet)
    if ((itemSet !== null && carrying.has(itemSet)) !== isOff) return
    ids.push(id)
    found.add(itemId)
    firstDay = Math.min(firstDay ?? day, day)
  })
  return { ids, users: [...found], firstDay, sets }
}

/** Returns the other group items of a group that sets hold. */
const findOthers = (
  { db, account }: Context,
  { groupItem, group, sets }: { readonly groupItem: number; readonly group: number; readonly sets: Iterable<number> },
): Promise<number[]> =>
  db.read(async (tx) => {
    const known = await itemSets.withIds(tx, account.id, sets)
    const items = new Set([...known.values()].flat())
    items.delete(groupItem)
    if (items.size === 0) return []
    const stored = await breakdownItems.findMany(tx, account.id, items)
    const ofGroup = [...stored.values()].filter(({ breakdown_id }) => breakdown_id === group)
    return ofGroup.map(({ id }) => id).toSorted((one, other) => one - other)
  })

/** Puts a group item onto those of some entries that do not carry it, or takes it off those that do, and keeps which they are. */
const changeSome = (
  ctx: Context,
  batch: OpenBatch,
  { groupItem, isOff }: Pick<AskedGroupItem, 'groupItem' | 'isOff'>,
  ids: readonly number[],
): Promise<Done> =>
  ctx.db.write(async (tx) => {
    const account = ctx.account.id
    const stored = (await loadAll(tx, account, ids)).toSorted(byKey)
    const known = await itemSets.withIds(tx, account, new Set(stored.flatMap(({ item_set }) => item_set ?? [])))
    const newSets = new Map<number | null, number | null>()
    const changed: StoredEntry[] = []
    for (const entry of stored) {
      const items = entry.item_set === null ? [] : (known.get(entry.item_set) ?? [])
      if (items.includes(groupItem) !== isOff) continue
      if (!isOff && items.length >= USER_ITEMS_LIMIT)
        throw new KpiError('conflict', `entry ${entry.id} carries ${items.length} group items, the most there may be`)
      const set = newSets.get(entry.item_set) ?? (await setWith(tx, account, items, { item: groupItem, isOff }))
      newSets.set(entry.item_set, set)
      changed.push({ ...entry, item_set: set })
    }
    if (changed.length === 0) return { count: 0, revision: batch.revision }
    const changes = changed.map((entry): EntryChange => ({
      key: keyIn(entry),
      before: {},
      after: {},
      carried: { id: entry.id, item: groupItem, ...(isOff && { isOff }) },
    }))
    const revision = await keep(tx, ctx, batch, changes)
    await store.setItems(tx, account, changed)
    return { count: changed.length, revision }
  })

const namedIn = (ids: readonly number[]): string | null =>
  ids.length === 0 ? null : ids.slice(0, MOST_NAMED).join(',')

/**
 * Puts a group item onto entries that do not carry it, or takes it off those that do, or only counts these, and keeps for their
 * run which they are; a request that is sent again goes on with the entries that are left, and counts what the run has done before.
 */
export const changeGroupItem = async (ctx: Context, asked: AskedGroupItem, pause: Pause): Promise<CarriedGroupItem> => {
  const { run, groupItem, isOff, isDry } = asked
  const group = await groupOf(ctx, groupItem, isOff)
  const { ids, users, firstDay: first_day, sets } = await findToChange(ctx, asked)
  const others = await findOthers(ctx, { groupItem, group, sets })
  const found = { user_ids: namedIn(users), first_day, other_item_ids: namedIn(others) }
  if (isDry) return { run, entries: 0, left: ids.length, ...found }
  const before = await countDone(ctx, { account: ctx.account.id, run })
  const done = await inBatches(run, ids, pause, (batch, some) => changeSome(ctx, batch, asked, some))
  const entries = await countAll(ctx, run, { before, asked: Math.min(ids.length, RUN_LIMIT), done })
  return { run, entries, left: Math.max(0, ids.length - RUN_LIMIT), ...found }
}
