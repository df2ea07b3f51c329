import { type Kind, type KindField, kinds } from '../../changes/records/kind-fields.ts'
import { type ChangedKind, isListedKind, type ListedKind } from '../../client/operations/kind-operations.ts'
import { keyOf, KINDS, parentOf } from '../../domain/kinds.ts'
import type { Resource } from '../../domain/schema.ts'

/** Describes a kind of definitions that files hold: its resource, and how records are told apart. */
export type DefinitionKind = {
  readonly of: Resource
  /** Names the field by which a record is known. */
  readonly key: string
  /** Names the field of what a record lies in, within which its name is one of a kind. */
  readonly within: string | undefined
  /** Describes the records that rows become, in the words of the resource. */
  readonly kind: Kind
}

/** Tells whether files may hold definitions of a kind: they have names, and the interface lets a client add them. */
const isImported = (name: string): name is ChangedKind & ListedKind =>
  isListedKind(name) && KINDS[name].of.verbs.includes('add')

/** Returns the kind of the definitions of a resource. */
export const definitionKind = ({ name }: Pick<Resource, 'name'>): DefinitionKind => {
  if (!isImported(name)) throw new TypeError(`${name} cannot be imported`)
  const { of } = KINDS[name]
  const kind = name === 'breakdown_item' ? { ...kinds.group_item, of } : kinds[name]
  return { of, key: keyOf(name), within: parentOf(name), kind }
}

/** Returns the field of a record that a field of the interface is; a breakdown is a group. */
export const fieldOf = ({ kind: { fields } }: Pick<DefinitionKind, 'kind'>, name: string): KindField | undefined =>
  fields.find(({ as }) => as === (name === 'breakdown_id' ? 'group_id' : name))
