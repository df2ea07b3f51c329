import { hasAnyTarget, type TargetFacts } from './targets/dated-targets.ts'
import { type Decimal, fits } from './decimal.ts'
import { type Issue, KpiError } from './errors.ts'
import type { BreakdownItem } from './resources/breakdowns.ts'
import type { Kpi } from './resources/kpi.ts'
import { fullName, type User } from './resources/user.ts'

/** Describes what the entry rules need to know of a KPI. */
export type KpiFacts = Pick<Kpi, 'name' | 'is_calculated' | 'target_default' | 'targets'> & {
  /** Holds the id; undefined if the KPI is not created yet. */
  readonly id: number | undefined
  /** Tells whether the KPI is active; null if the service does not tell. */
  readonly is_active: boolean | null
}
/** Describes what the entry rules need to know of a user. */
export type UserFacts = Pick<User, 'first_name' | 'last_name' | 'user_status_id'> & {
  /** Holds the id; undefined if the user is not created yet. */
  readonly id: number | undefined
}
/** Describes what the entry rules need to know of a breakdown item that does not stand for a person. */
type ItemFacts = Pick<BreakdownItem, 'id' | 'name' | 'is_archived'>

/** Returns how a message calls something of a kind: by its id and name, or by its name alone if it is not created yet. */
const labelOf = (kind: string, id: number | undefined, name: string): string =>
  id === undefined ? `new ${kind} (${name})` : `${kind} ${id} (${name})`
const kpiLabel = (kpi: KpiFacts): string => labelOf('KPI', kpi.id, kpi.name)
const userLabel = (user: UserFacts): string => labelOf('user', user.id, fullName(user))

/** Refuses to change a calculated KPI through the interface: only the operator may. */
export const rejectCalculated = (kpi: KpiFacts): void => {
  if (!kpi.is_calculated) return
  throw new KpiError(
    'forbidden',
    `${kpiLabel(kpi)} is calculated and cannot be changed here; the operator changes it with kpi service calculated update`,
  )
}

/** Returns the faults of a user who reports values: the user must be active. `field` names the user. */
export const faultsOfUser = (user: UserFacts, field = 'user_id'): Issue[] =>
  user.user_status_id === 'L' ? [{ field, message: `${userLabel(user)} is locked` }] : []

/** Returns the faults of a breakdown item that gets values: it must not be archived. `field` names the item. */
export const faultsOfItem = ({ id, name, is_archived }: ItemFacts, field = 'source_id'): Issue[] =>
  is_archived ? [{ field, message: `breakdown item ${id} (${name}) is archived and takes no new entries` }] : []

/** Returns the faults of a KPI that gets entries: it must be active and not calculated. */
export const faultsOfKpi = (kpi: KpiFacts): Issue[] => {
  if (kpi.is_calculated) return [{ field: 'kpi_id', message: `${kpiLabel(kpi)} is calculated and takes no entries` }]
  if (kpi.is_active === false)
    return [{ field: 'kpi_id', message: `${kpiLabel(kpi)} is inactive and takes no entries` }]
  return []
}

/** Returns the fault of an entry whose KPI is not assigned to its user. */
export const faultOfAssignment = (kpi: KpiFacts, user: UserFacts): Issue => ({
  field: 'kpi_id',
  message: `${kpiLabel(kpi)} is not assigned to ${userLabel(user)}`,
})

/** Matches the fault of an entry whose KPI is not assigned to its user, and the names of both. */
export const UNASSIGNED = /KPI (?:\d+ )?\((?<kpi>.*)\) is not assigned to (?:new )?user (?:\d+ )?\((?<user>.*)\)/

/** Matches the faults of an entry that no assignment helps, as its user, item or KPI takes none. */
export const TAKES_NONE = / (?:is locked|takes no (?:new )?entries)(?=;|$)/

/** Returns the fault of an id that does not exist. */
export const missingReference = (field: string, title: string, id: number | string): Issue => ({
  field,
  message: `there is no ${title} ${id}`,
})

/** Returns the faults of a user's own target, of any day: only a KPI with a target may have one. */
export const faultsOfUserTarget = (
  kpi: KpiFacts,
  target: Decimal | string | null | undefined,
  field = 'user_target',
): Issue[] =>
  target !== null && target !== undefined && !hasAnyTarget(kpi)
    ? [{ field, message: `${kpiLabel(kpi)} has no target, so a user cannot have one either` }]
    : []

/** Describes the values of an entry. */
export type EntryValues = {
  readonly actual: Decimal | null
  readonly target: Decimal | null
  readonly notes: string | null
}

/** Describes a change to an entry: an omitted value keeps the stored one, null clears it. */
export type EntryChange = {
  readonly actual?: Decimal | null | undefined
  readonly target?: Decimal | null | undefined
  readonly notes?: string | null | undefined
  readonly setActual?: boolean | undefined
  readonly setTarget?: boolean | undefined
  readonly setNotes?: boolean | undefined
  readonly addToActual?: boolean | undefined
}

/** Holds the values of an entry that has none. */
export const NOTHING: EntryValues = { actual: null, target: null, notes: null }

const keepOrSet = <T>(stored: T, sent: T | undefined, set: boolean | undefined): T =>
  sent === undefined || set === false ? stored : sent

const nextActual = (stored: Decimal | null, change: EntryChange): Decimal | null => {
  if (!change.addToActual || change.setActual === false) return keepOrSet(stored, change.actual, change.setActual)
  const added = change.actual ?? null
  return added === null ? stored : (stored ?? 0n) + added
}

/**
 * Returns the values of an entry after a change. A KPI without a target ignores a new target; a stored one is kept but
 * not shown.
 */
export const mergeEntry = (stored: EntryValues | undefined, change: EntryChange, kpi: TargetFacts): EntryValues => {
  const before = stored ?? NOTHING
  return {
    actual: nextActual(before.actual, change),
    target: hasAnyTarget(kpi) ? keepOrSet(before.target, change.target, change.setTarget) : before.target,
    notes: keepOrSet(before.notes, change.notes, change.setNotes),
  }
}

/** Holds the fault of an entry without any value. */
export const NO_VALUE: Issue = {
  field: 'actual',
  message: 'is required where the entry has neither target nor notes',
}

const NO_FAULTS: readonly Issue[] = []

/** Returns the faults of an entry's values: it needs at least one visible value, and none may be too large. */
export const faultsOfValues = (values: EntryValues, kpi: TargetFacts): readonly Issue[] => {
  if (values.actual !== null && !fits(values.actual)) {
    return [{ field: 'actual', message: 'must have at most 14 digits before the decimal point, also after adding' }]
  }
  const target = hasAnyTarget(kpi) ? values.target : null
  if (values.actual === null && target === null && values.notes === null) {
    return [NO_VALUE]
  }
  return NO_FAULTS
}

/** Tells whether two entries have the same values. */
export const sameValues = (left: EntryValues, right: EntryValues): boolean =>
  left.actual === right.actual && left.target === right.target && left.notes === right.notes
