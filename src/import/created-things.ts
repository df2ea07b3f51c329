import { isKindName } from '../domain/kinds.ts'
import type { Resource } from '../domain/schema.ts'
import type { Variant } from '../domain/variants.ts'

/** Names the kinds of things that are created, as receipts do: group items and breakdown items are both `item`. */
export const CREATED_KINDS = ['category', 'unit', 'group', 'item', 'user', 'kpi', 'assignment'] as const
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

/** Describes something that was created; an assignment has the id of its KPI, and the user it is of. */
export type CreatedThing = {
  readonly kind: CreatedKind
  readonly id: number
  readonly name: string
  readonly user_id?: number
}

/** Receives what is created. */
export type CreationLog = {
  /** Notes what is about to be created, by names or e-mail addresses, before any request for it is sent. */
  readonly intend: (kind: CreatedKind, keys: readonly string[]) => void
  /** Notes what was created, as soon as it is. */
  readonly add: (thing: CreatedThing) => void
  /** Notes that what has a name is not of this run: another machine made it, and what this run made beside it is removed. */
  readonly disown: (kind: CreatedKind, key: string, id?: number) => void
  /** Notes that all of it is there, and none of it twice. */
  readonly settle: () => void
}
