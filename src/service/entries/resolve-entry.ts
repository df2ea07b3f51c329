import type { Issue } from '../../domain/errors.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'
import type { EntryDraft, EntryName } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { User } from '../../domain/resources/user.ts'
import {
  faultOfAssignment,
  faultsOfItem,
  faultsOfKpi,
  faultsOfUser,
  missingReference,
  NO_VALUE,
} from '../../domain/rules.ts'
import type { ParsedFields } from '../../domain/schema.ts'
import type { References } from './entry-references.ts'

type ParsedEntry = ParsedFields<EntryDraft>

/** Holds the owner of an entry: a breakdown item, or, if that stands for a person, the user, who has the same id. */
type EntryOwner = User | BreakdownItem

const isUser = (source: EntryOwner): source is User => 'email' in source

/** Describes a field that names an owner, its value, and the owner, if that exists. */
type Named<S extends EntryOwner | undefined = EntryOwner | undefined> = {
  readonly field: EntryName
  readonly value: number | string
  readonly source: S
}

const isKnown = (named: Named): named is Named<EntryOwner> => named.source !== undefined

const sourceOfItem = ({ users: byId, items }: References, id: number): EntryOwner | undefined => {
  const item = items.get(id)
  return item && (item.user_id === null ? item : byId.get(item.user_id))
}

/** Returns all fields of an entry that name an owner. */
const namedBy = (references: References, { user_id, email, source_id }: ParsedEntry['values']): Named[] => {
  const named: Named[] = []
  const { users: byId, usersByEmail } = references
  if (typeof user_id === 'number') named.push({ field: 'user_id', value: user_id, source: byId.get(user_id) })
  if (typeof email === 'string') named.push({ field: 'email', value: email, source: usersByEmail.get(email) })
  if (typeof source_id === 'number') {
    named.push({ field: 'source_id', value: source_id, source: sourceOfItem(references, source_id) })
  }
  return named
}

const TITLES: Record<EntryName, string> = {
  user_id: 'user',
  email: 'user with the e-mail address',
  source_id: 'breakdown item',
}

/** Returns the fault of a field that names another owner than the first one. Only users have several such fields. */
const faultOfOther = ({ items }: References, { field, value, source }: Named<EntryOwner>, first: EntryOwner): Issue => {
  const message =
    field === 'email'
      ? `${value} is the e-mail address of user ${source.id}, not of user ${first.id}`
      : `breakdown item ${source.id} (${items.get(source.id)?.name ?? ''}) is not that of user ${first.id}`
  return { field, message }
}

/** Returns the fault of an entry that names no owner; none if the name was unreadable, which is reported already. */
const faultsOfMissingOwner = (
  { names: [first = 'user_id', ...others] }: References,
  issues: readonly Issue[],
): Issue[] => {
  // `entries` is the field in the fault of an entry that could not be read at all.
  const isReported = issues.some(
    ({ field }) => field === first || field === 'entries' || others.some((name) => name === field),
  )
  return isReported ? [] : [{ field: first, message: `is required, or ${others.join(' or ')} instead` }]
}

const sourceAmong = (references: References, { values, issues }: ParsedEntry): Named<EntryOwner> | Issue[] => {
  const named = namedBy(references, values)
  const first = named.find(isKnown)
  const faults: Issue[] = []
  for (const one of named) {
    if (!isKnown(one)) faults.push(missingReference(one.field, TITLES[one.field], one.value))
    else if (first && one.source.id !== first.source.id) faults.push(faultOfOther(references, one, first.source))
  }
  return faults.length > 0 ? faults : (first ?? faultsOfMissingOwner(references, issues))
}

/** Returns the user of an entry that names only an existing `user_id`, as nearly all entries do. */
const plainUserOf = ({ users }: References, { values }: ParsedEntry): User | undefined => {
  const { user_id, email, source_id } = values
  const isPlain = typeof user_id === 'number' && (email ?? null) === null && (source_id ?? null) === null
  return isPlain ? users.get(user_id) : undefined
}

/** Returns the owner of an entry and the first field that names it, or the faults of the fields. */
export const resolveSource = (references: References, sent: ParsedEntry): Named<EntryOwner> | Issue[] => {
  const user = plainUserOf(references, sent)
  return user ? { field: 'user_id', value: user.id, source: user } : sourceAmong(references, sent)
}

/** Returns the faults of an owner, in a field that the variant has. */
const faultsOfSource = ({ names }: References, { field, source }: Named<EntryOwner>): Issue[] => {
  const blamed = names.includes(field) ? field : 'user_id'
  return isUser(source) ? faultsOfUser(source, blamed) : faultsOfItem(source, blamed)
}

/** Holds the item and KPI of an entry that may be created. */
type EntryPlace = { readonly item: number; readonly kpi: Kpi }

/** Returns the item and KPI that an entry names, or all its faults. */
export const resolvePlace = (references: References, sent: ParsedEntry): EntryPlace | Issue[] => {
  const named = resolveSource(references, sent)
  const { kpi_id } = sent.values
  const kpi = kpi_id === undefined ? undefined : references.kpis.get(kpi_id)
  const issues: Issue[] = Array.isArray(named) ? [...named] : faultsOfSource(references, named)
  if (kpi) issues.push(...faultsOfKpi(kpi))
  else if (kpi_id !== undefined) issues.push(missingReference('kpi_id', 'KPI', kpi_id))
  if (Array.isArray(named) || !kpi) return issues
  const { source } = named
  if (isUser(source) && !references.assigned.get(source.id)?.has(kpi.id)) issues.push(faultOfAssignment(kpi, source))
  return issues.length > 0 ? issues : { item: source.id, kpi }
}

const VALUES = ['actual', 'target', 'notes'] as const

/** Returns the fault of an entry without a value whose owner or KPI is unknown: it has no stored value to keep. */
export const faultsOfMissingValue = (references: References, sent: ParsedEntry): Issue[] => {
  const { kpi_id } = sent.values
  const isUnknown =
    !namedBy(references, sent.values).every(isKnown) || (kpi_id !== undefined && !references.kpis.has(kpi_id))
  const isReported = sent.issues.some(({ field }) => VALUES.some((name) => name === field))
  return isUnknown && !isReported && VALUES.every((name) => (sent.values[name] ?? null) === null) ? [NO_VALUE] : []
}
