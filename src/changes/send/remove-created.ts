import { looseName } from '../../domain/name-form.ts'
import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { everyGroupItem } from '../../client/operations/group-items.ts'
import { listKind, operationsOn } from '../../client/operations/kind-operations.ts'
import type { EntryQuery } from '../../client/operations/queries.ts'
import { Aborted, type Clock } from '../../client/transport.ts'
import { countOf } from '../../domain/count-text.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { isNotFound, isRefused } from '../../domain/errors.ts'
import {
  createdKind,
  type CreatedKind,
  keyOf,
  type ListedCreated,
  parentOf,
  REMOVAL_ORDER,
  shownKind,
  type CreatedRecord,
  type UnsureRecord,
} from '../../domain/kinds.ts'

/** Describes what a run created, or may have created when it was cut off. */
export type RunCreations = {
  readonly things: readonly CreatedRecord[]
  readonly unsure: readonly UnsureRecord[]
  /** Holds when the run ended, by the clock of the service; undefined if that is not known. */
  readonly served: string | undefined
}

/** Says that something was removed before. */
export const GONE = 'is gone already'

/** Describes what becomes of something that a run created: it is removed, or left with a reason. */
export type RemovalOutcome = { readonly thing: CreatedRecord; readonly entries: number; readonly left?: string }

/** Says of what to judge what becomes of it. */
type Judged = RunCreations & {
  /** Tells whether entries are removed, too. */
  readonly withEntries: boolean
  /** Tells whether something was changed since, where the service's times do not tell. */
  readonly isChanged?: (held: Pick<Kept, 'created_at' | 'updated_at'>) => boolean
  /** Tells whether a KPI gets another category or unit before anything is removed. */
  readonly isMoved?: (kpi: number, field: 'unit_id' | 'category_id') => boolean
  /** Returns how many entries of something are removed before it, because the import created them. */
  readonly removedOf: (thing: CreatedRecord) => number
}

/** Holds the clients of a service: of the import's interface, and of the classic one if there is one. */
export type Clients = { readonly client: Client; readonly classic: Client | undefined }

/** Describes something that the service has, by its name or e-mail address within what it lies in. */
export type Kept = {
  readonly id: number
  readonly name: string
  readonly parent: number
  readonly created_at: number
  readonly updated_at: number
}

/** Lists the kinds in the order in which they are removed: what uses something comes before it. */
export const ORDER: readonly ListedCreated[] = [
  ...new Set(REMOVAL_ORDER.flatMap((name) => createdKind({ name }) ?? [])),
]

/** Returns what asks for the entries of something; undefined where it has none of its own. */
const ofEntries = (thing: CreatedRecord): Pick<EntryQuery, 'kpiId' | 'sourceId' | 'userId'> | undefined => {
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
  thing: CreatedRecord,
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
 * Returns the client whose interface shows and removes things of a kind; undefined where there is none. Users and groups are
 * those of the classic interface; there, only the bundled service refuses to remove an item that has entries.
 */
const servedBy = ({ client, classic }: Clients, kind: ListedCreated): Client | undefined => {
  if (kind === 'user' || kind === 'group') return classic
  return kind === 'item' && client.variant === 'classic' && !client.isBundled() ? undefined : client
}

/** Returns the things of a kind that the service has; undefined where its interface does not show them. */
export const listCreated = async (clients: Clients, created: ListedCreated): Promise<readonly Kept[] | undefined> => {
  const client = servedBy(clients, created)
  if (!client) return undefined
  const kind = shownKind(created, client.variant)
  const [key, parent] = [keyOf(kind), parentOf(kind)]
  return (await listKind(client, kind)).map((record) => ({
    id: Number(record['id']),
    name: String(record[key]),
    parent: Number(parent === undefined ? 0 : record[parent]),
    created_at: Number(record['created_at']),
    updated_at: Number(record['updated_at']),
  }))
}

/** Tells whether something was changed after it was created, as far as the service says it. */
export const isChanged = ({ created_at, updated_at }: Pick<Kept, 'created_at' | 'updated_at'>): boolean =>
  updated_at > created_at

const countOfEntries = (count: number): string => countOf(count, 'entry', 'entries')

/** Returns why something is left alone; undefined if it can be removed. */
const whyLeft = (
  held: Omit<Kept, 'parent'> | undefined,
  { count, later }: Entered,
  { withEntries, isChanged: isOther = isChanged }: Pick<Judged, 'withEntries' | 'isChanged'>,
): string | undefined => {
  if (!held) return GONE
  if (isOther(held)) return 'was changed since'
  if (later > 0) return `has ${countOfEntries(later)} from after the import`
  return count > 0 && !withEntries ? `has ${countOfEntries(count)}; --with-entries removes them, too` : undefined
}

/** Returns what would become of things that are in one list. */
const judgeList = async (
  clients: Clients,
  things: readonly CreatedRecord[],
  list: readonly Omit<Kept, 'parent'>[] | undefined,
  judged: Pick<Judged, 'served' | 'withEntries' | 'removedOf' | 'isChanged'>,
): Promise<RemovalOutcome[]> => {
  const outcomes: RemovalOutcome[] = []
  const held = new Map((list ?? []).map((one) => [one.id, one]))
  for (const thing of things) {
    const entries = held.has(thing.id) ? await countEntries(clients, thing, judged) : { count: 0, later: 0 }
    const left = list ? whyLeft(held.get(thing.id), entries, judged) : 'is not shown by this interface'
    outcomes.push({ thing, entries: entries.count, ...(left !== undefined && { left }) })
  }
  return outcomes
}

/** Returns the assignments whose user and KPI were there before: others go with what was created. */
const lastingAssignments = (things: readonly CreatedRecord[]): CreatedRecord[] => {
  const made = new Set(things.map(({ kind, id }) => `${kind} ${id}`))
  return things.filter(
    ({ kind, id, user_id }) => kind === 'assignment' && !made.has(`kpi ${id}`) && !made.has(`user ${user_id}`),
  )
}

/** Returns the assignments of a user as things of a list; none if the user is gone. */
const assignmentsOf = async ({ client, classic }: Clients, userId: number): Promise<Omit<Kept, 'parent'>[]> => {
  try {
    const list = await (classic ?? client).assignments(userId).list()
    return list.map((one) => ({ ...one, name: '' }))
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

const judgeAssignments = async (
  clients: Clients,
  { things, removedOf, isChanged: isOther }: Judged,
): Promise<RemovalOutcome[]> => {
  const outcomes: RemovalOutcome[] = []
  for (const [userId = 0, ofUser] of Map.groupBy(lastingAssignments(things), ({ user_id }) => user_id)) {
    const list = await assignmentsOf(clients, userId)
    // Entries of a user and a KPI that were there before may be older than the assignment.
    for (const outcome of await judgeList(clients, ofUser, list, {
      served: undefined,
      withEntries: true,
      removedOf,
      ...(isOther && { isChanged: isOther }),
    })) {
      const left = outcome.left ?? (outcome.entries > 0 ? `is needed by ${countOfEntries(outcome.entries)}` : undefined)
      outcomes.push({ ...outcome, ...(left !== undefined && { left }) })
    }
  }
  return outcomes
}

/** Describes what uses something else: a KPI its unit and category, an item its group. */
type Use = { readonly kind: CreatedKind; readonly id: number; readonly by: string }

/** Returns what the KPIs and items use that are not removed. */
const usesOf = async (
  { client }: Clients,
  outcomes: readonly RemovalOutcome[],
  { isMoved = () => false }: Pick<Judged, 'isMoved'>,
): Promise<Use[]> => {
  const removed = new Set(
    outcomes.flatMap(({ thing, left }) => (left === undefined ? `${thing.kind} ${thing.id}` : [])),
  )
  const stays = (kind: CreatedKind, id: number): boolean => !removed.has(`${kind} ${id}`)
  const kpis = (await client.kpis.list()).filter(({ id }) => stays('kpi', id))
  const items = client.variant === 'v1' ? await client.breakdownItems.list() : []
  return [
    ...kpis.flatMap(({ id, name, ...of }) =>
      (['unit', 'category'] as const)
        .filter((kind) => !isMoved(id, `${kind}_id`))
        .map((kind) => ({ kind, id: of[`${kind}_id`], by: `the KPI "${name}"` })),
    ),
    ...items
      .filter(({ id }) => stays('item', id))
      .map(({ name, breakdown_id }) => ({ kind: 'group' as const, id: breakdown_id, by: `the item "${name}"` })),
  ]
}

/** Leaves alone what something else uses that is not removed. */
const leaveUsed = (outcomes: readonly RemovalOutcome[], uses: readonly Use[]): RemovalOutcome[] => {
  const users = new Map(uses.map(({ kind, id, by }) => [`${kind} ${id}`, by]))
  return outcomes.map((outcome) => {
    const by = users.get(`${outcome.thing.kind} ${outcome.thing.id}`)
    return outcome.left === undefined && by !== undefined ? { ...outcome, left: `is used by ${by}` } : outcome
  })
}

/** Leaves alone the users who were assigned other KPIs since. */
const leaveAssigned = async (
  clients: Clients,
  outcomes: readonly RemovalOutcome[],
  things: readonly CreatedRecord[],
): Promise<RemovalOutcome[]> => {
  const made = new Set(things.map(({ kind, id, user_id }) => `${kind} ${id} ${user_id ?? ''}`))
  const judged: RemovalOutcome[] = []
  for (const outcome of outcomes) {
    const { kind, id } = outcome.thing
    const isOpen = kind === 'user' && outcome.left === undefined
    const since = (isOpen ? await assignmentsOf(clients, id) : []).find(
      (one) => !made.has(`assignment ${one.id} ${id}`) && !made.has(`kpi ${one.id} `),
    )
    judged.push(since ? { ...outcome, left: `was assigned KPI ${since.id} since` } : outcome)
  }
  return judged
}

/**
 * Returns the things of a kind that were created, and those that may have been and are there: nothing had their names when
 * the run was about to create them.
 */
const createdOf = (
  { things, unsure }: Judged,
  kind: ListedCreated,
  list: readonly Kept[] | undefined,
): CreatedRecord[] => {
  const known = things.filter((thing) => thing.kind === kind)
  const ids = new Set(known.map(({ id }) => id))
  const keys = new Set(unsure.flatMap((one) => (one.kind === kind ? looseName(one.key) : [])))
  const found = (list ?? []).filter(({ id, name }) => !ids.has(id) && keys.has(looseName(name)))
  return [...known, ...found.map(({ id, name }) => ({ kind, id, name }))]
}

/** Returns what would become of the things that a run created, in the order in which they are removed. */
export const judgeCreatedRecords = async (clients: Clients, judged: Judged): Promise<RemovalOutcome[]> => {
  if (judged.things.length + judged.unsure.length === 0) return []
  const outcomes = await judgeAssignments(clients, judged)
  for (const kind of ORDER) {
    if (![...judged.things, ...judged.unsure].some((one) => one.kind === kind)) continue
    const list = await listCreated(clients, kind)
    outcomes.push(...(await judgeList(clients, createdOf(judged, kind, list), list, judged)))
  }
  return leaveUsed(await leaveAssigned(clients, outcomes, judged.things), await usesOf(clients, outcomes, judged))
}

/** Describes an undo under way: what ends it, and `begin`, which notes that it changes something, once. */
export type Undoing = {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly begin?: () => Promise<void>
}

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

/** Removes the entries of a record that cannot be deleted while it has any. */
export const removeEntries = async (
  { client }: Clients,
  thing: CreatedRecord,
  options: RemovalOptions,
): Promise<void> => {
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

const removeOne = async (clients: Clients, { kind, id, user_id = 0 }: CreatedRecord): Promise<void> => {
  if (kind === 'assignment') return (clients.classic ?? clients.client).assignments(user_id).remove(id)
  const client = servedBy(clients, kind)
  if (!client) return
  const shown = shownKind(kind, client.variant)
  await (shown === 'group_item' ? everyGroupItem(client) : operationsOn(client, shown)).remove(id)
}

/** Returns why the service does not remove something, mostly in its own words; throws what is no refusal. */
const refusal = (error: unknown): string => {
  if (isNotFound(error)) return GONE
  if (isRefused(error)) return error.message
  throw error
}

/**
 * Removes what is not left alone, one after another, and yields each with what became of it: something that other
 * things use is left alone, with the service's reason.
 */
export async function* takeBack(
  clients: Clients,
  outcomes: readonly RemovalOutcome[],
  options: RemovalOptions,
): AsyncGenerator<RemovalOutcome> {
  for (const outcome of outcomes) {
    if (outcome.left === undefined) {
      await beforeChange(options)
      try {
        if (options.withEntries && outcome.entries > 0) await removeEntries(clients, outcome.thing, options)
        await removeOne(clients, outcome.thing)
        yield outcome
      } catch (error) {
        yield { ...outcome, left: refusal(error) }
      }
    } else yield outcome
  }
}
