import type { Command } from 'commander'
import type { Client, Collection } from '../../client/client.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import { addCreate } from './create.ts'
import { addDelete } from './delete.ts'
import { addGet } from './get.ts'
import { addList } from './list.ts'
import type { Samples } from './samples.ts'
import { addUpdate } from './update.ts'

/** All five verbs of a resource. */
export const addAllVerbs = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client) => Collection<R>,
  samples: Samples,
): void => {
  addList(group, act, of, (client) => collection(client).list(), samples.list)
  addGet(group, act, of, (client, id) => collection(client).get(id), samples.name)
  addCreate(group, act, of, collection, samples)
  addUpdate(group, act, of, collection, samples)
  addDelete(group, act, of, (client, id) => collection(client).remove(id), samples.name)
}
