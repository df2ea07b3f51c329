import { looseName } from '../../../client/directory.ts'
import { type Issue, KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { recordLabel } from '../../output/short-answer.ts'
import type { Change } from './read-changes.ts'
import { commandName } from './samples.ts'

/** Returns what a record would be called, as names are compared; people are told apart by their e-mail addresses. */
const nameOf = ({ name, email }: Readonly<Record<string, unknown>>): string | undefined => {
  const text = name ?? email
  return typeof text === 'string' ? looseName(text) : undefined
}

/** Tells whether two records are in the same place, where a name is to be one of a kind. */
const isBeside = (of: Resource, one: Readonly<Record<string, unknown>>, other: AnyRecord): boolean =>
  !('breakdown_id' in of.fields) || one['breakdown_id'] === other['breakdown_id']

/** Returns the field by which nobody could tell two records apart, and what it is called. */
const keyOf = (of: Resource): readonly [field: string, what: string] =>
  'name' in of.fields ? ['name', 'name'] : ['email', 'e-mail address']

/**
 * Returns the faults of new records with a name, or people with an e-mail address, that exists already. `start` is the
 * position of the first one, counted from 1.
 */
export const faultsOfNames = (
  of: Resource,
  drafts: readonly object[],
  existing: readonly AnyRecord[],
  start = 1,
): Issue[] => {
  const issues: Issue[] = []
  const [field] = keyOf(of)
  const another = field === 'name' ? '; --allow-duplicate creates another' : ''
  for (const [at, draft] of drafts.entries()) {
    const record: Readonly<Record<string, unknown>> = { ...draft }
    const name = nameOf(record)
    if (name === undefined || at + 1 < start) continue
    const index = drafts.length === 1 ? {} : { index: at }
    const known = existing.find((one) => nameOf(one) === name && isBeside(of, record, one))
    const before = drafts.slice(start - 1, at).findIndex((one) => nameOf({ ...one }) === name)
    if (known) {
      const change = `kpi ${commandName(of)} update ${String(known['id'])} changes it`
      issues.push({
        ...index,
        field,
        message: `is that of ${recordLabel(of, known)}: ${change}${another}`,
      })
    } else if (before >= 0) {
      issues.push({
        ...index,
        field,
        message: `is that of no. ${start + before}, too${another === '' ? '' : '; --allow-duplicate creates both'}`,
      })
    }
  }
  return issues
}

/** Refuses new records with a name that exists already: nobody could tell the two apart afterwards. */
export const requireNewNames = (...given: Parameters<typeof faultsOfNames>): void => {
  const [of] = given
  const issues = faultsOfNames(...given)
  if (issues.length > 0)
    throw new KpiError('conflict', `there is a ${of.title} of that ${keyOf(of)[1]} already`, { issues })
}

/** Refuses changes that give a person the e-mail address of somebody else, as the service would: for a dry run. */
export const requireFreeAddresses = (
  of: Resource,
  changes: readonly Pick<Change<Resource>, 'id' | 'patch'>[],
  existing: readonly AnyRecord[],
): void => {
  const issues = changes.flatMap(({ id, patch }, at): Issue[] => {
    const { email }: { readonly email?: unknown } = patch
    const holder = existing.find((one) => email !== undefined && nameOf({ email: one['email'] }) === nameOf({ email }))
    if (!holder || holder['id'] === id) return []
    const index = changes.length === 1 ? {} : { index: at }
    return [{ ...index, field: 'email', message: `is the e-mail address of ${recordLabel(of, holder)} already` }]
  })
  if (issues.length > 0) throw new KpiError('conflict', 'the service would refuse that', { issues })
}
