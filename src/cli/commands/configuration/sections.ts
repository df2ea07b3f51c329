import type { Client } from '../../../client/client.ts'
import { everyGroupItem } from '../../../client/operations/group-items.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { group, groupItem } from '../../../domain/resources/groups.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import type { Resource } from '../../../domain/schema.ts'
import { keyField } from '../import-definitions/plan.ts'
import type { DefinitionClient } from '../import-definitions/send.ts'
import { nameColumns } from '../verbs/reference-names.ts'

/** Describes a section of a configuration: the things of one resource. */
export type Section = {
  /** Names it in the file. */
  readonly name: string
  readonly of: Resource
  readonly collection: (
    client: Client,
    parent?: number,
  ) => DefinitionClient & { readonly remove: (id: number) => Promise<void> }
  /** Lists what an item may hold beside the fields of its resource. */
  readonly lists: readonly string[]
}

/** Lists the sections in the order in which they depend on each other. Group items stand below their groups. */
export const SECTIONS: readonly Section[] = [
  { name: 'categories', of: category, collection: ({ categories }) => categories, lists: [] },
  { name: 'units', of: unit, collection: ({ units }) => units, lists: [] },
  { name: 'kpis', of: kpi, collection: ({ kpis }) => kpis, lists: [] },
  { name: 'groups', of: group, collection: ({ groups }) => groups, lists: ['items'] },
  {
    name: 'group_items',
    of: groupItem,
    collection: (client, parent) => (parent === undefined ? everyGroupItem(client) : client.groupItems(parent)),
    lists: [],
  },
  { name: 'users', of: user, collection: ({ users }) => users, lists: ['kpis', 'group_items'] },
]

/** Names the section that stands in another one, and is no key of the file itself. */
export const ITEMS = 'group_items'

/** Returns the fields that an item of a section may hold: first what it is found by; names stand instead of ids. */
export const fieldsOf = ({ of }: Pick<Section, 'of'>): readonly string[] => {
  const names = new Map(nameColumns(of).map(({ idField, name }) => [idField, name]))
  const fields = of.writable.filter(({ field }) => !field.secret).map(({ name }) => names.get(name) ?? name)
  const key = keyField(of)
  return [key, ...fields.filter((name) => name !== key)]
}
