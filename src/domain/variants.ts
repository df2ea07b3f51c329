import type { Resource, Verb } from './schema.ts'
import { type Scope, scopeOf } from './scopes.ts'

/** Lists the two variants of the interface. */
export const VARIANTS = ['classic', 'v1'] as const
export type Variant = (typeof VARIANTS)[number]

const METHODS: Record<Verb, string> = { list: 'GET', get: 'GET', add: 'POST', update: 'PUT', remove: 'DELETE' }

/**
 * Returns the scope that a key needs for an operation on a resource; undefined if the newer variant does not have it.
 */
export const scopeNeeded = ({ path }: Pick<Resource, 'path'>, verb: Verb): Scope | undefined =>
  scopeOf(METHODS[verb], path)

/** Returns the operations on a resource in a variant; none if the variant does not have the resource. */
export const verbsIn = (variant: Variant, of: Pick<Resource, 'path' | 'verbs' | 'newer'>): readonly Verb[] => {
  if (variant === 'classic') return of.newer ? [] : of.verbs
  return of.verbs.filter((verb) => scopeNeeded(of, verb) !== undefined)
}
