import { hasNames, isKindName, type KindName } from '../../domain/kinds.ts'
import { assignment } from '../../domain/resources/assignment.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { category, unit } from '../../domain/resources/catalog.ts'
import { group, groupItem } from '../../domain/resources/groups.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { fullName, user } from '../../domain/resources/user.ts'
import { type AnyRecord, asDraft, asPatch, asRecord, type Resource } from '../../domain/schema.ts'
import type { Client } from '../client.ts'
import type { Named } from '../directory.ts'
import type { ResourceClient } from './collection.ts'
import { everyGroupItem, namedGroupItems } from './group-items.ts'

/** Describes the operations on records whose kind is known only at run time. */
export type KindOperations = {
  readonly add: (draft: AnyRecord, idempotencyKey?: string) => Promise<AnyRecord>
  readonly addEach: (drafts: readonly AnyRecord[]) => AsyncGenerator<readonly AnyRecord[]>
  readonly update: (id: number, patch: AnyRecord, before?: AnyRecord) => Promise<AnyRecord>
  readonly remove: (id: number) => Promise<void>
}

/** Names the kinds that the interface lets a client change; formulas and icons are fixed for it. */
export type ChangedKind = Exclude<KindName, 'icon' | 'calculated_kpi' | 'user_group_item'>

const untyped = <R extends Resource>(
  of: R,
  { add, addEach, update, remove }: Omit<ResourceClient<R>, 'list' | 'get'>,
): KindOperations => ({
  add: (draft, idempotencyKey) => add(asDraft(of, draft), idempotencyKey),
  addEach: (drafts) => addEach(drafts.map((draft) => asDraft(of, draft))),
  update: (id, patch, before) => update(id, asPatch(of, patch), before && asRecord(of, before)),
  remove,
})

/** Returns the operations on records of a kind, on those below a parent where the kind has one. */
export const operationsOn = (client: Client, kind: ChangedKind, parent = 0): KindOperations => {
  switch (kind) {
    case 'category':
      return untyped(category, client.categories)
    case 'unit':
      return untyped(unit, client.units)
    case 'group':
      return untyped(group, client.groups)
    case 'group_item':
      return untyped(groupItem, client.groupItems(parent))
    case 'breakdown_item':
      return untyped(breakdownItem, client.breakdownItems)
    case 'kpi':
      return untyped(kpi, client.kpis)
    case 'user':
      return untyped(user, client.users)
    case 'assignment':
      return untyped(assignment, client.assignments(parent))
  }
}

/** Names the kinds whose records can be listed at once, whatever they lie in. */
export type ListedKind = Exclude<KindName, 'calculated_kpi' | 'assignment' | 'user_group_item'>

/** Tells whether a word names a kind whose records people call by names. */
export const isListedKind = (word: string): word is ListedKind =>
  isKindName(word) && hasNames(word) && word !== 'calculated_kpi'

/** Lists records of a kind that lie in the account itself, and that people call by their name. */
const listCatalog = (
  { icons, categories, units, groups, kpis }: Client,
  kind: Exclude<ListedKind, 'user' | 'group_item' | 'breakdown_item'>,
): Promise<readonly Named[]> =>
  ({ icon: icons, category: categories, unit: units, group: groups, kpi: kpis })[kind].list()

/** Lists all records of a kind, or those below a parent where the kind has one. */
export const listKind = (client: Client, kind: ListedKind, parent?: number): Promise<readonly AnyRecord[]> => {
  if (kind === 'group_item')
    return parent === undefined ? everyGroupItem(client).list() : client.groupItems(parent).list()
  if (kind === 'breakdown_item')
    return client.breakdownItems.list(parent === undefined ? undefined : { breakdownId: parent })
  return kind === 'user' ? client.users.list() : listCatalog(client, kind)
}

/** Lists breakdown items as people call them; people are among them, each with the user whose item it is. */
const namedItems = async (client: Client): Promise<(Named & { readonly user_id: number | null })[]> =>
  (await client.breakdownItems.list()).map(({ id, name, breakdown_id, user_id }) => ({
    id,
    name,
    within: `breakdown ${breakdown_id}`,
    user_id,
  }))

/**
 * Lists records of a kind as people call them, or the group items of one group. In the newer interface group items are the
 * breakdown items other than people.
 */
export const listNamed = async (client: Client, kind: ListedKind, group?: number): Promise<readonly Named[]> => {
  if (kind === 'user')
    return (await client.users.list()).map((one) => ({ id: one.id, email: one.email, name: fullName(one) }))
  if (kind === 'group_item' && client.variant === 'classic') return namedGroupItems(client, group)
  if (kind === 'group_item') return (await namedItems(client)).filter(({ user_id }) => user_id === null)
  return kind === 'breakdown_item' ? namedItems(client) : listCatalog(client, kind)
}
