import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Collection } from '../../client/collection.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Act } from '../cli.ts'
import type { FieldFlag } from '../flags.ts'
import { addCreate } from './create.ts'
import { addDelete } from './delete.ts'
import { addGet } from './get.ts'
import { addList } from './list.ts'
import type { Samples } from './samples.ts'
import { addUpdate } from './update.ts'

/** All five verbs of a resource; where it lies below another one, `below` is the flag that names that. */
export const addAllVerbs = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Collection<R>,
  samples: Samples,
  below?: FieldFlag,
): void => {
  addList(group, act, of, (client, parent) => collection(client, parent).list(), samples.list, below)
  addGet(group, act, of, (client, id, parent) => collection(client, parent).get(id), samples, below)
  addCreate(group, act, of, collection, samples, below)
  addUpdate(group, act, of, collection, samples, below)
  addDelete(group, act, of, (client, id, parent) => collection(client, parent).remove(id), samples, below)
}
