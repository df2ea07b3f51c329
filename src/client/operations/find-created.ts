import { KpiError } from '../../domain/errors.ts'
import { nameForm } from '../../domain/name-form.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'

const formOf = (value: unknown): unknown => (typeof value === 'string' ? nameForm(value) : value)

/** Describes fields that tell what a record is; no two records have the same, or others may. */
type Identity = { readonly fields: readonly string[]; readonly isUnique: boolean }

/** Returns the fields that tell whether a record is the one that a draft asks for. */
const identityOf = (draft: Readonly<Record<string, unknown>>): Identity | undefined => {
  if (draft['id'] !== undefined) return { fields: ['id'], isUnique: true }
  if (draft['email'] !== undefined) return { fields: ['email'], isUnique: true }
  return draft['name'] === undefined ? undefined : { fields: ['name', 'breakdown_id'], isUnique: false }
}

/**
 * Finds the record that was created for a draft, in the list as it is afterwards; undefined if there is none. `before`
 * holds the ids that the list had. Throws if it cannot be told which one it is.
 */
export const findCreated = <T extends AnyRecord>(
  of: Resource,
  draft: Readonly<Record<string, unknown>>,
  list: readonly T[],
  before: ReadonlySet<unknown> | undefined,
): T | undefined => {
  const identity = identityOf(draft)
  const isWanted = (one: AnyRecord): boolean =>
    identity?.fields.every((name) => draft[name] === undefined || formOf(draft[name]) === formOf(one[name])) ?? true
  const [found, ...others] = list.filter((one) => !before?.has(one['id']) && isWanted(one))
  if (!found) return undefined
  if (others.length === 0 && identity && (before || identity.isUnique)) return found
  throw new KpiError('conflict', `it cannot be told which ${of.title} was created`)
}
