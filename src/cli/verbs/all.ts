import type { Command } from 'commander'
import type { Client, Collection } from '../../client/client.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addCreate } from './create.ts'
import { addDelete } from './delete.ts'
import { addGet } from './get.ts'
import { addList } from './list.ts'
import { addUpdate } from './update.ts'

/** All five verbs of a resource. */
export const addAllVerbs = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client) => Collection<R>,
): void => {
  addList(group, act, of, (client) => collection(client).list())
  addGet(group, act, of, (client, key) => collection(client).get(key))
  addCreate(group, act, of, collection)
  addUpdate(group, act, of, collection)
  addDelete(group, act, of, (client, id) => collection(client).remove(id))
}
