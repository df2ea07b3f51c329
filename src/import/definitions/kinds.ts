import type { Client } from '../../client/client.ts'
import {
  type ChangedKind,
  isListedKind,
  type KindOperations,
  type ListedKind,
  listKind,
  operationsOn,
} from '../../client/operations/kind-operations.ts'
import { keyOf, KINDS, parentOf } from '../../domain/kinds.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'

/** Describes a kind of definitions that files hold: its resource, and how records are told apart. */
export type DefinitionKind = {
  readonly of: Resource
  /** Names the field by which a record is known. */
  readonly key: string
  /** Names the field of what a record lies in, within which its name is one of a kind. */
  readonly within: string | undefined
  readonly list: (client: Client) => Promise<readonly AnyRecord[]>
  /** Returns the operations on the records in a parent, if the kind has parents. */
  readonly at: (client: Client, parent: number) => KindOperations
}

/** Tells whether files may hold definitions of a kind: they have names, and the interface lets a client add them. */
const isImported = (name: string): name is ChangedKind & ListedKind =>
  isListedKind(name) && KINDS[name].of.verbs.includes('add')

/** Returns the kind of the definitions of a resource. */
export const definitionKind = ({ name }: Pick<Resource, 'name'>): DefinitionKind => {
  if (!isImported(name)) throw new TypeError(`${name} cannot be imported`)
  return {
    of: KINDS[name].of,
    key: keyOf(name),
    within: parentOf(name),
    list: (client) => listKind(client, name),
    at: (client, parent) => operationsOn(client, name, parent),
  }
}
