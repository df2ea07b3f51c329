import { invalid, KpiError } from '../../domain/errors.ts'
import { type GroupItem, groupItem } from '../../domain/resources/groups.ts'
import type { Client } from '../client.ts'
import type { Named } from '../directory.ts'
import type { ResourceClient } from './collection.ts'

const listAll = async (client: Client): Promise<GroupItem[]> => {
  const groups = await client.groups.list()
  return (await Promise.all(groups.map(({ id }) => client.groupItems(id).list()))).flat()
}

/** Returns the items of all groups as one collection; `add` fails, as a new item needs a group. */
export const everyGroupItem = (client: Client): Omit<ResourceClient<typeof groupItem>, 'addEach'> => {
  let known: Promise<Map<number, GroupItem>> | undefined
  const find = async (id: number | string): Promise<GroupItem> => {
    known ??= listAll(client).then((list) => new Map(list.map((one) => [one.id, one])))
    const item = (await known).get(Number(id))
    if (!item) throw new KpiError('not_found', `there is no ${groupItem.title} ${id}`)
    return item
  }
  return {
    list: () => listAll(client),
    get: find,
    add: () => Promise.reject(invalid([{ field: 'group_id', message: 'is required: a group item lies in a group' }])),
    update: async (id, patch) => client.groupItems((await find(id)).group_id).update(id, patch),
    remove: async (id) => client.groupItems((await find(id)).group_id).remove(id),
  }
}

const namedOf = async (client: Client, group: number, within?: string): Promise<Named[]> =>
  (await client.groupItems(group).list()).map(({ id, name }) => ({ id, name, ...(within !== undefined && { within }) }))

/** Returns the items of a group, or of all groups, with their names. */
export const namedGroupItems = async (client: Client, group?: number): Promise<Named[]> => {
  if (group !== undefined) return namedOf(client, group)
  const groups = await client.groups.list()
  return (await Promise.all(groups.map(({ id, name }) => namedOf(client, id, name)))).flat()
}
