import type { Resource, Verb } from './schema.ts'
import { type Scope, scopeOf } from './scopes.ts'

/** The two variants of the interface (interface, section 9). */
export const VARIANTS = ['classic', 'v1'] as const
export type Variant = (typeof VARIANTS)[number]

const METHODS: Record<Verb, string> = { list: 'GET', get: 'GET', add: 'POST', update: 'PUT', remove: 'DELETE' }

/** The scope that a key needs to do something to a resource; undefined where the newer variant does not have that. */
export const scopeNeeded = ({ path }: Pick<Resource, 'path'>, verb: Verb): Scope | undefined =>
  scopeOf(METHODS[verb], path)

/** What can be done to a resource in a variant; nothing where the variant does not have it. */
export const verbsIn = (variant: Variant, of: Pick<Resource, 'path' | 'verbs' | 'newer'>): readonly Verb[] => {
  if (variant === 'classic') return of.newer ? [] : of.verbs
  return of.verbs.filter((verb) => scopeNeeded(of, verb) !== undefined)
}
