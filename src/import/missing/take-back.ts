import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryQuery } from '../../client/operations/queries.ts'
import type { CreatedKind, CreatedThing } from './ensure.ts'

/** Says that something was removed before. */
export const GONE = 'is gone already'

/** Describes what becomes of something that a run created: it is removed, or left with a reason. */
export type Fate = { readonly thing: CreatedThing; readonly entries: number; readonly left?: string }

/** Holds the clients of a service: of the import's interface, and of the classic one if there is one. */
export type Clients = { readonly client: Client; readonly classic: Client | undefined }

type Kept = { readonly id: number; readonly name: string; readonly created_at: number; readonly updated_at: number }

/** Lists the kinds in the order in which they are removed: what uses something comes before it. */
const ORDER: readonly CreatedKind[] = ['kpi', 'item', 'user', 'group', 'unit', 'category']

const ofEntries = ({ kind, id }: CreatedThing): Pick<EntryQuery, 'kpiId' | 'sourceId' | 'userId'> | undefined => {
  if (kind === 'kpi') return { kpiId: id }
  if (kind === 'item') return { sourceId: id }
  return kind === 'user' ? { userId: id } : undefined
}

/** Counts the entries of something. */
const countEntries = async ({ client }: Clients, thing: CreatedThing): Promise<number> => {
  const query = ofEntries(thing)
  if (!query) return 0
  let count = 0
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, ...query }))
    count += page.length
  return count
}

/** Returns the things of a kind that the service has, by id; undefined where its interface does not show them. */
const listKind = async ({ client, classic }: Clients, kind: CreatedKind): Promise<readonly Kept[] | undefined> => {
  if (kind === 'kpi') return client.kpis.list()
  if (kind === 'unit') return client.units.list()
  if (kind === 'category') return client.categories.list()
  if (kind === 'item') return client.variant === 'v1' ? client.breakdownItems.list() : undefined
  if (kind === 'group') return classic?.groups.list()
  const people = await classic?.users.list()
  return people?.map((one) => ({ ...one, name: one.email, updated_at: one.created_at }))
}

const isChanged = ({ created_at, updated_at }: Kept): boolean => updated_at > created_at

/** Returns why something is left alone; undefined if it can be removed. */
const whyLeft = (held: Kept | undefined, entries: number, withEntries: boolean): string | undefined => {
  if (!held) return GONE
  if (isChanged(held)) return 'was changed since'
  const count = entries === 1 ? '1 entry' : `${entries} entries`
  return entries > 0 && !withEntries ? `has ${count}; --with-entries removes them, too` : undefined
}

/** Returns what would become of the things that a run created, in the order in which they are removed. */
export const judgeThings = async (
  clients: Clients,
  things: readonly CreatedThing[],
  withEntries: boolean,
): Promise<Fate[]> => {
  const fates: Fate[] = []
  for (const kind of ORDER) {
    const ofKind = things.filter((thing) => thing.kind === kind)
    const list = ofKind.length > 0 ? await listKind(clients, kind) : []
    const held = new Map((list ?? []).map((one) => [one.id, one]))
    for (const thing of ofKind) {
      const entries = held.has(thing.id) ? await countEntries(clients, thing) : 0
      const left = list ? whyLeft(held.get(thing.id), entries, withEntries) : 'is not shown by this interface'
      fates.push({ thing, entries, ...(left !== undefined && { left }) })
    }
  }
  return fates
}

/** Removes the entries of something that is not removed with them. */
const removeEntries = async ({ client }: Clients, thing: CreatedThing): Promise<void> => {
  const query = ofEntries(thing)
  if (!query || thing.kind === 'kpi') return
  const ids: number[] = []
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, ...query })) {
    for (const { id } of page) ids.push(id)
  }
  for (const id of ids) await client.entries.remove(id)
}

const removeOne = async ({ client, classic }: Clients, { kind, id }: CreatedThing): Promise<void> => {
  if (kind === 'kpi') await client.kpis.remove(id)
  else if (kind === 'unit') await client.units.remove(id)
  else if (kind === 'category') await client.categories.remove(id)
  else if (kind === 'item') await client.breakdownItems.remove(id)
  else if (kind === 'group') await classic?.groups.remove(id)
  else await classic?.users.remove(id)
}

/** Returns why the service does not remove something, in its own words; throws what is no refusal. */
const refusal = (error: unknown): string => {
  if (error instanceof KpiError && ['conflict', 'invalid', 'not_found'].includes(error.code)) return error.message
  throw error
}

/**
 * Removes what is not left alone, one after another, and yields each with what became of it: something that other
 * things use is left alone, with the service's reason.
 */
export async function* takeBack(clients: Clients, fates: readonly Fate[], withEntries: boolean): AsyncGenerator<Fate> {
  for (const fate of fates) {
    if (fate.left === undefined) {
      try {
        if (withEntries && fate.entries > 0) await removeEntries(clients, fate.thing)
        await removeOne(clients, fate.thing)
        yield fate
      } catch (error) {
        yield { ...fate, left: refusal(error) }
      }
    } else yield fate
  }
}
