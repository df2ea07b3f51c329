import { assignment } from './resources/assignment.ts'
import { breakdownItem } from './resources/breakdowns.ts'
import { calculatedKpi } from './resources/calculated-kpi.ts'
import { category, icon, unit } from './resources/catalog.ts'
import { group, groupItem, userGroupItem } from './resources/groups.ts'
import { kpi } from './resources/kpi.ts'
import { user } from './resources/user.ts'
import type { Resource } from './schema.ts'
import type { Variant } from './variants.ts'

/**
 * Lists the kinds of definitions that an account is made of, by the names of their resources, in the order in which they
 * depend on each other: what another refers to comes before it.
 */
export const KIND_NAMES = [
  'icon',
  'category',
  'unit',
  'group',
  'group_item',
  'breakdown_item',
  'kpi',
  'calculated_kpi',
  'user',
  'assignment',
  'user_group_item',
] as const
export type KindName = (typeof KIND_NAMES)[number]

/** Describes a kind of definitions. */
type Kind = {
  /** Holds its words and its fields, which say what it refers to and what may be written. */
  readonly of: Resource
  /** Names the fields that make two of it the same: the parent that it lies in, if it has one, and then its own name. */
  readonly identity: readonly string[]
}

/**
 * Describes each kind once. Group items and breakdown items are the same records, as the classic and the newer interface
 * show them.
 */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  icon: { of: icon, identity: ['name'] },
  category: { of: category, identity: ['name'] },
  unit: { of: unit, identity: ['name'] },
  group: { of: group, identity: ['name'] },
  group_item: { of: groupItem, identity: ['group_id', 'name'] },
  breakdown_item: { of: breakdownItem, identity: ['breakdown_id', 'name'] },
  kpi: { of: kpi, identity: ['name'] },
  calculated_kpi: { of: calculatedKpi, identity: ['name'] },
  user: { of: user, identity: ['email'] },
  assignment: { of: assignment, identity: ['user_id', 'id'] },
  user_group_item: { of: userGroupItem, identity: ['user_id', 'group_id', 'id'] },
}

/**
 * Lists the kinds in the order in which they are removed: what uses others goes first. A KPI takes its entries with it, which
 * keep their users and group items from being removed.
 */
export const REMOVAL_ORDER: readonly KindName[] = [
  'user_group_item',
  'assignment',
  'calculated_kpi',
  'kpi',
  'user',
  'breakdown_item',
  'group_item',
  'group',
  'unit',
  'category',
  'icon',
]

/** Tells whether a word names a kind. */
export const isKindName = (word: string): word is KindName => Object.hasOwn(KINDS, word)

/** Returns the field by which people know a record of a kind: its name or e-mail address, or the id at its end. */
export const keyOf = (kind: KindName): string => KINDS[kind].identity.at(-1) ?? 'id'

/** Returns the field of what a record of a kind lies in; undefined if it lies in the account itself. */
export const parentOf = (kind: KindName): string | undefined =>
  KINDS[kind].identity.length > 1 ? KINDS[kind].identity[0] : undefined

/** Tells whether records of a kind have names, or e-mail addresses, by which people call them. */
export const hasNames = (kind: KindName): boolean => keyOf(kind) !== 'id'

/** Lists the fields that hold names. */
const NAMES = ['name', 'email', 'first_name', 'last_name'] as const

/** Returns the fields of a resource that hold names, or addresses that stand for them. */
export const nameFieldsOf = ({ fields }: Pick<Resource, 'fields'>): string[] => NAMES.filter((name) => name in fields)

/** Names the kinds of things that are created, as receipts do: group items and breakdown items are both `item`. */
export const CREATED_KINDS = ['category', 'unit', 'kpi', 'group', 'item', 'user', 'assignment'] as const
export type CreatedKind = (typeof CREATED_KINDS)[number]

/** Names the kinds of which a list is read to find what was created. */
export type ListedCreated = Exclude<CreatedKind, 'assignment'>

const isListed = (word: string): word is ListedCreated =>
  word !== 'assignment' && (CREATED_KINDS as readonly string[]).includes(word)

/** Returns the kind of what is created as a resource; undefined if it is not known by its name. */
export const createdKind = ({ name }: Pick<Resource, 'name'>): ListedCreated | undefined => {
  if (name === 'group_item' || name === 'breakdown_item') return 'item'
  return isKindName(name) && isListed(name) ? name : undefined
}

/** Returns the kind that a variant of the interface shows what was created as. */
export const shownKind = (
  kind: ListedCreated,
  variant: Variant,
): Exclude<ListedCreated, 'item'> | 'group_item' | 'breakdown_item' => {
  if (kind !== 'item') return kind
  return variant === 'classic' ? 'group_item' : 'breakdown_item'
}

/** Describes a record that was created; an assignment has the id of its KPI, and the user it is of. */
export type CreatedRecord = {
  readonly kind: CreatedKind
  readonly id: number
  readonly name: string
  readonly user_id?: number
}

/** Describes a record that may have been created, by its name or e-mail address. */
export type UnsureRecord = { readonly kind: CreatedKind; readonly key: string }
