import type { Client } from '../../client/client.ts'
import { everyGroupItem } from '../../client/operations/group-items.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { Aborted } from '../../client/transport.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { KpiError, isRefused } from '../../domain/errors.ts'
import type { EntryQuery } from '../../client/operations/queries.ts'
import { looseName } from '../../client/directory.ts'
import type { CreatedKind, CreatedThing } from '../created-things.ts'
import type { Timing } from '../third-party/reconcile.ts'
import type { UndoReceipt } from './undo-receipt.ts'

/** Says that something was removed before. */
export const GONE = 'is gone already'

/** Describes what becomes of something that a run created: it is removed, or left with a reason. */
export type Fate = { readonly thing: CreatedThing; readonly entries: number; readonly left?: string }

/** Says of what to judge what becomes of it. */
type Judged = Pick<UndoReceipt, 'things' | 'unsure' | 'served'> & {
  /** Tells whether entries are removed, too. */
  readonly withEntries: boolean
  /** Returns how many entries of something are removed before it, because the import created them. */
  readonly removedOf: (thing: CreatedThing) => number
}

/** Holds the clients of a service: of the import's interface, and of the classic one if there is one. */
export type Clients = { readonly client: Client; readonly classic: Client | undefined }

type Kept = { readonly id: number; readonly name: string; readonly created_at: number; readonly updated_at: number }

/** Lists the kinds in the order in which they are removed: what uses something comes before it. */
export const ORDER = ['kpi', 'item', 'user', 'group', 'unit', 'category'] as const
type ListedKind = (typeof ORDER)[number]

const ofEntries = (thing: CreatedThing): Pick<EntryQuery, 'kpiId' | 'sourceId' | 'userId'> | undefined => {
  const { kind, id, user_id } = thing
  if (kind === 'assignment' && user_id !== undefined) return { kpiId: id, userId: user_id }
  if (kind === 'kpi') return { kpiId: id }
  if (kind === 'item') return { sourceId: id }
  return kind === 'user' ? { userId: id } : undefined
}

/** Counts the entries of something, and those of them that were stored or changed after the run. */
type Entered = { readonly count: number; readonly later: number }

const countEntries = async (
  { client }: Clients,
  thing: CreatedThing,
  { served, removedOf }: Pick<Judged, 'served' | 'removedOf'>,
): Promise<Entered> => {
  // Skip the entries of a group item, which the classic interface does not show.
  const query = thing.kind === 'item' && client.variant === 'classic' ? undefined : ofEntries(thing)
  const end = served === undefined ? Infinity : Math.ceil(Date.parse(served) / 1000)
  let [count, later] = [0, 0]
  if (!query) return { count, later }
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, ...query })) {
    count += page.length
    later += page.filter(({ updated_at }) => updated_at > end).length
  }
  // Entries that are removed before the thing may have been stored again by a later import.
  const left = Math.max(0, count - removedOf(thing))
  return { count: left, later: Math.min(later, left) }
}

/**
 * Returns the items of all groups; undefined where nothing tells whether they have entries. The bundled service removes
 * none that has.
 */
const itemsOf = (client: Client) => {
  if (client.variant === 'v1') return client.breakdownItems
  return client.isBundled() ? everyGroupItem(client) : undefined
}

/** Returns the things of a kind that the service has, by id; undefined where its interface does not show them. */
export const listKind = async (
  { client, classic }: Clients,
  kind: ListedKind,
): Promise<readonly Kept[] | undefined> => {
  if (kind === 'kpi') return client.kpis.list()
  if (kind === 'unit') return client.units.list()
  if (kind === 'category') return client.categories.list()
  if (kind === 'item') return itemsOf(client)?.list()
  if (kind === 'group') return classic?.groups.list()
  const people = await classic?.users.list()
  return people?.map((one) => ({ ...one, name: one.email, updated_at: one.created_at }))
}

/** Tells whether something was changed after it was created, as far as the service says it. */
export const isChanged = ({ created_at, updated_at }: Kept): boolean => updated_at > created_at

const countOfEntries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`)

/** Returns why something is left alone; undefined if it can be removed. */
const whyLeft = (held: Kept | undefined, { count, later }: Entered, withEntries: boolean): string | undefined => {
  if (!held) return GONE
  if (isChanged(held)) return 'was changed since'
  if (later > 0) return `has ${countOfEntries(later)} from after the import`
  return count > 0 && !withEntries ? `has ${countOfEntries(count)}; --with-entries removes them, too` : undefined
}

/** Returns what would become of things that are in one list. */
const judgeList = async (
  clients: Clients,
  things: readonly CreatedThing[],
  list: readonly Kept[] | undefined,
  judged: Pick<Judged, 'served' | 'withEntries' | 'removedOf'>,
): Promise<Fate[]> => {
  const fates: Fate[] = []
  const held = new Map((list ?? []).map((one) => [one.id, one]))
  for (const thing of things) {
    const entries = held.has(thing.id) ? await countEntries(clients, thing, judged) : { count: 0, later: 0 }
    const left = list ? whyLeft(held.get(thing.id), entries, judged.withEntries) : 'is not shown by this interface'
    fates.push({ thing, entries: entries.count, ...(left !== undefined && { left }) })
  }
  return fates
}

/** Returns the assignments whose user and KPI were there before: others go with what was created. */
const lastingAssignments = (things: readonly CreatedThing[]): CreatedThing[] => {
  const made = new Set(things.map(({ kind, id }) => `${kind} ${id}`))
  return things.filter(
    ({ kind, id, user_id }) => kind === 'assignment' && !made.has(`kpi ${id}`) && !made.has(`user ${user_id}`),
  )
}

/** Returns the assignments of a user as things of a list; none if the user is gone. */
const assignmentsOf = async ({ client, classic }: Clients, userId: number): Promise<Kept[]> => {
  try {
    const list = await (classic ?? client).assignments(userId).list()
    return list.map((one) => ({ ...one, name: '' }))
  } catch (error) {
    if (error instanceof KpiError && error.code === 'not_found') return []
    throw error
  }
}

const judgeAssignments = async (clients: Clients, { things, removedOf }: Judged): Promise<Fate[]> => {
  const fates: Fate[] = []
  for (const [userId = 0, ofUser] of Map.groupBy(lastingAssignments(things), ({ user_id }) => user_id)) {
    const list = await assignmentsOf(clients, userId)
    // Entries of a user and a KPI that were there before may be older than the assignment.
    for (const fate of await judgeList(clients, ofUser, list, { served: undefined, withEntries: true, removedOf })) {
      const left = fate.left ?? (fate.entries > 0 ? `is needed by ${countOfEntries(fate.entries)}` : undefined)
      fates.push({ ...fate, ...(left !== undefined && { left }) })
    }
  }
  return fates
}

/** Describes what uses something else: a KPI its unit and category, an item its group. */
type Use = { readonly kind: CreatedKind; readonly id: number; readonly by: string }

/** Returns what the KPIs and items use that are not removed. */
const usesOf = async ({ client }: Clients, fates: readonly Fate[]): Promise<Use[]> => {
  const removed = new Set(fates.flatMap(({ thing, left }) => (left === undefined ? `${thing.kind} ${thing.id}` : [])))
  const stays = (kind: CreatedKind, id: number): boolean => !removed.has(`${kind} ${id}`)
  const kpis = (await client.kpis.list()).filter(({ id }) => stays('kpi', id))
  const items = client.variant === 'v1' ? await client.breakdownItems.list() : []
  return [
    ...kpis.flatMap(({ name, unit_id, category_id }) => [
      { kind: 'unit' as const, id: unit_id, by: `the KPI "${name}"` },
      { kind: 'category' as const, id: category_id, by: `the KPI "${name}"` },
    ]),
    ...items
      .filter(({ id }) => stays('item', id))
      .map(({ name, breakdown_id }) => ({ kind: 'group' as const, id: breakdown_id, by: `the item "${name}"` })),
  ]
}

/** Leaves alone what something else uses that is not removed. */
const leaveUsed = (fates: readonly Fate[], uses: readonly Use[]): Fate[] => {
  const users = new Map(uses.map(({ kind, id, by }) => [`${kind} ${id}`, by]))
  return fates.map((fate) => {
    const by = users.get(`${fate.thing.kind} ${fate.thing.id}`)
    return fate.left === undefined && by !== undefined ? { ...fate, left: `is used by ${by}` } : fate
  })
}

/** Leaves alone the users who were assigned other KPIs since. */
const leaveAssigned = async (
  clients: Clients,
  fates: readonly Fate[],
  things: readonly CreatedThing[],
): Promise<Fate[]> => {
  const made = new Set(things.map(({ kind, id, user_id }) => `${kind} ${id} ${user_id ?? ''}`))
  const judged: Fate[] = []
  for (const fate of fates) {
    const { kind, id } = fate.thing
    const isOpen = kind === 'user' && fate.left === undefined
    const since = (isOpen ? await assignmentsOf(clients, id) : []).find(
      (one) => !made.has(`assignment ${one.id} ${id}`) && !made.has(`kpi ${one.id} `),
    )
    judged.push(since ? { ...fate, left: `was assigned KPI ${since.id} since` } : fate)
  }
  return judged
}

/** Sets by how many seconds the clocks of the machines of a service may differ. */
export const CLOCK_SPREAD = 60

/**
 * Returns the things of a kind that were created, and those that may have been and are there: nothing had their names when
 * the run was about to create them.
 */
const createdOf = ({ things, unsure }: Judged, kind: ListedKind, list: readonly Kept[] | undefined): CreatedThing[] => {
  const known = things.filter((thing) => thing.kind === kind)
  const ids = new Set(known.map(({ id }) => id))
  const keys = new Set(unsure.flatMap((one) => (one.kind === kind ? looseName(one.key) : [])))
  const found = (list ?? []).filter(({ id, name }) => !ids.has(id) && keys.has(looseName(name)))
  return [...known, ...found.map(({ id, name }) => ({ kind, id, name }))]
}

/** Returns what would become of the things that a run created, in the order in which they are removed. */
export const judgeThings = async (clients: Clients, judged: Judged): Promise<Fate[]> => {
  const fates = await judgeAssignments(clients, judged)
  for (const kind of ORDER) {
    if (![...judged.things, ...judged.unsure].some((one) => one.kind === kind)) continue
    const list = await listKind(clients, kind)
    fates.push(...(await judgeList(clients, createdOf(judged, kind, list), list, judged)))
  }
  return leaveUsed(await leaveAssigned(clients, fates, judged.things), await usesOf(clients, fates))
}

/** Describes an undo under way: what ends it, and `begin`, which notes that it changes something, once. */
export type Undoing = Timing & { readonly begin?: () => Promise<void> }

/** Ends an undo that somebody has asked to stop, before its next change; notes that it has begun. */
export const beforeChange = async ({ signal, begin }: Omit<Undoing, 'clock'>): Promise<void> => {
  if (signal.aborted) throw new Aborted('it was interrupted')
  await begin?.()
}

/** Describes how created things are removed. */
type RemovalOptions = Omit<Undoing, 'clock'> & {
  readonly withEntries: boolean
  /** Is called for each entry that is removed before its thing. */
  readonly onEntry: () => void
}

/** Removes the entries of something that is not removed with them. */
const removeEntries = async ({ client }: Clients, thing: CreatedThing, options: RemovalOptions): Promise<void> => {
  const query = ofEntries(thing)
  if (!query || thing.kind === 'kpi') return
  const ids: number[] = []
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, ...query })) {
    for (const { id } of page) ids.push(id)
  }
  for (const id of ids) {
    await beforeChange(options)
    await client.entries.remove(id)
    options.onEntry()
  }
}

const removeOne = async ({ client, classic }: Clients, { kind, id, user_id = 0 }: CreatedThing): Promise<void> => {
  if (kind === 'assignment') await (classic ?? client).assignments(user_id).remove(id)
  else if (kind === 'kpi') await client.kpis.remove(id)
  else if (kind === 'unit') await client.units.remove(id)
  else if (kind === 'category') await client.categories.remove(id)
  else if (kind === 'item') await itemsOf(client)?.remove(id)
  else if (kind === 'group') await classic?.groups.remove(id)
  else await classic?.users.remove(id)
}

/** Returns why the service does not remove something, mostly in its own words; throws what is no refusal. */
const refusal = (error: unknown): string => {
  if (error instanceof KpiError && error.code === 'not_found') return GONE
  if (isRefused(error)) return error.message
  throw error
}

/**
 * Removes what is not left alone, one after another, and yields each with what became of it: something that other
 * things use is left alone, with the service's reason.
 */
export async function* takeBack(
  clients: Clients,
  fates: readonly Fate[],
  options: RemovalOptions,
): AsyncGenerator<Fate> {
  for (const fate of fates) {
    if (fate.left === undefined) {
      await beforeChange(options)
      try {
        if (options.withEntries && fate.entries > 0) await removeEntries(clients, fate.thing, options)
        await removeOne(clients, fate.thing)
        yield fate
      } catch (error) {
        yield { ...fate, left: refusal(error) }
      }
    } else yield fate
  }
}
