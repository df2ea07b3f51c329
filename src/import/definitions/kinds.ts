import type { Client } from '../../client/client.ts'
import type { Named } from '../../client/directory.ts'
import type { ResourceClient } from '../../client/operations/collection.ts'
import { everyGroupItem } from '../../client/operations/group-items.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { category, unit } from '../../domain/resources/catalog.ts'
import { group, groupItem } from '../../domain/resources/groups.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { user } from '../../domain/resources/user.ts'
import { type AnyRecord, asDraft, asPatch, type Resource } from '../../domain/schema.ts'

/** Describes the operations that send definitions whose resource is known only at run time. */
type Definitions = {
  readonly add: (draft: AnyRecord, idempotencyKey: string) => Promise<AnyRecord>
  readonly addEach: (drafts: readonly AnyRecord[]) => AsyncGenerator<readonly AnyRecord[]>
  readonly update: (id: number, patch: AnyRecord) => Promise<AnyRecord>
}

/** Describes a kind of definitions that files hold: its resource, and how records are told apart. */
export type DefinitionKind = {
  readonly of: Resource
  /** Names the field by which a record is known. */
  readonly key: 'email' | 'name'
  /** Names the field of what a record lies in, within which its name is one of a kind. */
  readonly within?: 'group_id' | 'breakdown_id'
  readonly list: (client: Client) => Promise<readonly AnyRecord[]>
  /** Returns the operations on the records in a parent, if the kind has parents. */
  readonly at: (client: Client, parent: number) => Definitions
}

type Adding<R extends Resource> = Pick<ResourceClient<R>, 'add' | 'addEach' | 'update'>

const kindOf = <R extends Resource>(
  of: R,
  known: Pick<DefinitionKind, 'key' | 'within'>,
  list: DefinitionKind['list'],
  at: (client: Client, parent: number) => Adding<R>,
): DefinitionKind => ({
  ...known,
  of,
  list,
  at: (client, parent) => {
    const { add, addEach, update } = at(client, parent)
    return {
      add: (draft, idempotencyKey) => add(asDraft(of, draft), idempotencyKey),
      addEach: (drafts) => addEach(drafts.map((draft) => asDraft(of, draft))),
      update: (id, patch) => update(id, asPatch(of, patch)),
    }
  },
})

const BY_NAME = { key: 'name' } as const

/** Lists the kinds of definitions that can be imported. */
const KINDS: readonly DefinitionKind[] = [
  kindOf(
    user,
    { key: 'email' },
    ({ users }) => users.list(),
    ({ users }) => users,
  ),
  kindOf(
    kpi,
    BY_NAME,
    ({ kpis }) => kpis.list(),
    ({ kpis }) => kpis,
  ),
  kindOf(
    category,
    BY_NAME,
    ({ categories }) => categories.list(),
    ({ categories }) => categories,
  ),
  kindOf(
    unit,
    BY_NAME,
    ({ units }) => units.list(),
    ({ units }) => units,
  ),
  kindOf(
    group,
    BY_NAME,
    ({ groups }) => groups.list(),
    ({ groups }) => groups,
  ),
  kindOf(
    groupItem,
    { key: 'name', within: 'group_id' },
    (client) => everyGroupItem(client).list(),
    ({ groupItems }, parent) => groupItems(parent),
  ),
  kindOf(
    breakdownItem,
    { key: 'name', within: 'breakdown_id' },
    ({ breakdownItems }) => breakdownItems.list(),
    ({ breakdownItems }) => breakdownItems,
  ),
]

/** Returns the kind of the definitions of a resource. */
export const definitionKind = ({ name }: Pick<Resource, 'name'>): DefinitionKind => {
  const found = KINDS.find(({ of }) => of.name === name)
  if (!found) throw new TypeError(`${name} cannot be imported`)
  return found
}

/** Lists the fields that hold names. */
const NAMES = ['name', 'email', 'first_name', 'last_name'] as const

/** Lists the fields of a kind that hold names, or addresses that stand for them. */
export const nameFields = ({ of: { fields } }: Pick<DefinitionKind, 'of'>): string[] =>
  NAMES.filter((name) => name in fields)

/** Tells whether `--by-name` says that the names of a field are meant, whatever they could stand for. */
export const isMeantName = (
  { numbersAs }: { readonly numbersAs?: ReadonlyMap<string, 'ids' | 'names'> | undefined },
  name: string,
): boolean => numbersAs?.get(name) === 'names'

/** Lists by resource what fields of definitions refer to. */
export const REFERRED: Readonly<Record<string, (client: Client) => Promise<readonly Named[]>>> = {
  category: ({ categories }) => categories.list(),
  icon: ({ icons }) => icons.list(),
  unit: ({ units }) => units.list(),
  group: ({ groups }) => groups.list(),
}
