import { isDeepStrictEqual } from 'node:util'
import type { Issue } from '../domain/errors.ts'
import { datedTarget } from '../domain/resources/dated-target.ts'
import type { Resource } from '../domain/schema.ts'

type Names = { readonly byLowerCase: ReadonlyMap<string, string>; readonly longest: number }

const known = new WeakMap<Resource['fields'], Names>()

/** Returns the names of a resource's fields and lists, by their lower case. */
const namesOf = ({ fields, lists }: Resource): Names => {
  const found = known.get(fields)
  if (found) return found
  const all = [...Object.keys(fields), ...Object.keys(lists ?? {})]
  const byLowerCase = new Map(all.map((name) => [name.toLowerCase(), name]))
  const names = { byLowerCase, longest: Math.max(...all.map(({ length }) => length)) }
  known.set(fields, names)
  return names
}

/** Returns the field or list of a resource that a name means, without regard to case; undefined if there is none. */
export const fieldNamed = (of: Resource, name: string): string | undefined => {
  const { byLowerCase, longest } = namesOf(of)
  return name.length > longest ? undefined : byLowerCase.get(name.toLowerCase())
}

/** Tells whether a name means a field or list of a resource, or of the resources in its lists. */
export const isNameIn = (of: Resource, name: string): boolean =>
  fieldNamed(of, name) !== undefined ||
  Object.values(of.lists ?? {}).some((list) => isNameIn(list, name)) ||
  (of.fields['targets']?.kind === 'targets' && isNameIn(datedTarget, name))

/** Bounds the names of one object: with more of them, it surely repeats fields. */
export const SPELLINGS_LIMIT = 1000

/** Describes the members of a JSON object by field, and the faults of fields that are given more than once. */
type Members = { readonly source: Readonly<Record<string, unknown>>; readonly issues: readonly Issue[] }

const NO_ISSUES: readonly Issue[] = []

const isSpelledAsIs = (of: Resource, source: Readonly<Record<string, unknown>>): boolean => {
  const { fields } = of
  return Object.keys(source).every((name) => Object.hasOwn(fields, name) || (fieldNamed(of, name) ?? name) === name)
}

/**
 * Finds the fields of a resource in a JSON object, without regard to case. The exact spelling of a field wins; two
 * other spellings with different values are a fault.
 */
export const membersOf = (of: Resource, source: Readonly<Record<string, unknown>>): Members => {
  if (isSpelledAsIs(of, source)) return { source, issues: NO_ISSUES }
  const members: Record<string, unknown> = {}
  const spelled = new Map<string, string>()
  const issues: Issue[] = []
  for (const [name, value] of Object.entries(source)) {
    const field = fieldNamed(of, name)
    if (field === undefined || (field !== name && Object.hasOwn(source, field))) continue
    const other = spelled.get(field)
    if (other === undefined) {
      spelled.set(field, name)
      members[field] = value
    } else if (!isDeepStrictEqual(members[field], value) && !issues.some((issue) => issue.field === field)) {
      issues.push({ field, message: `is given as ${other} and as ${name}, which differ; send it once, as ${field}` })
    }
  }
  return { source: members, issues }
}
