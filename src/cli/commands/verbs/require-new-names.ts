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

/** Returns the key that no two records share: the name, within its breakdown where there are breakdowns. */
const placedName = (of: Resource, record: Readonly<Record<string, unknown>>, name: string): string =>
  'breakdown_id' in of.fields ? `${String(record['breakdown_id'])} ${name}` : name

/** Returns the first of some records for each key. */
const firstBy = <T>(records: Iterable<T>, keyOf: (record: T) => string | undefined): ReadonlyMap<string, T> => {
  const first = new Map<string, T>()
  for (const record of records) {
    const key = keyOf(record)
    if (key !== undefined && !first.has(key)) first.set(key, record)
  }
  return first
}

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
  const knownBy = firstBy(existing, (one) => {
    const name = nameOf(one)
    return name === undefined ? undefined : placedName(of, one, name)
  })
  const first = new Map<string, number>()
  for (const [at, draft] of drafts.entries()) {
    const record: Readonly<Record<string, unknown>> = { ...draft }
    const name = nameOf(record)
    if (name === undefined || at + 1 < start) continue
    const index = drafts.length === 1 ? {} : { index: at }
    const known = knownBy.get(placedName(of, record, name))
    const before = first.get(name)
    if (before === undefined) first.set(name, at + 1)
    if (known) {
      const change = `kpi ${commandName(of)} update ${String(known['id'])} changes it`
      issues.push({
        ...index,
        field,
        message: `is that of ${recordLabel(of, known)}: ${change}${another}`,
      })
    } else if (before !== undefined) {
      issues.push({
        ...index,
        field,
        message: `is that of no. ${before}, too${another === '' ? '' : '; --allow-duplicate creates both'}`,
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
  const holders = firstBy(existing, ({ email }) => nameOf({ email }))
  const issues = changes.flatMap(({ id, patch }, at): Issue[] => {
    const { email }: { readonly email?: unknown } = patch
    const holder = holders.get(nameOf({ email }) ?? '')
    if (!holder || holder['id'] === id) return []
    const index = changes.length === 1 ? {} : { index: at }
    return [{ ...index, field: 'email', message: `is the e-mail address of ${recordLabel(of, holder)} already` }]
  })
  if (issues.length > 0) throw new KpiError('conflict', 'the service would refuse that', { issues })
}
