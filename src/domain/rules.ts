import { type Decimal, fits } from './decimal.ts'
import { type Issue, KpiError } from './errors.ts'
import type { BreakdownItem } from './resources/breakdowns.ts'
import type { Kpi } from './resources/kpi.ts'
import { fullName, type User } from './resources/user.ts'

/** What the entry rules ask of a KPI. */
export type KpiFacts = Pick<Kpi, 'id' | 'name' | 'is_calculated' | 'target_default'> & {
  /** Not there where a service does not tell. */
  readonly is_active: boolean | null
}
/** What the entry rules ask of a user. */
export type UserFacts = Pick<User, 'id' | 'first_name' | 'last_name' | 'user_status_id'>
/** What the entry rules ask of a breakdown item that stands for nobody. */
type ItemFacts = Pick<BreakdownItem, 'id' | 'name' | 'is_archived'>

const kpiLabel = (kpi: KpiFacts): string => `KPI ${kpi.id} (${kpi.name})`
const userLabel = (user: UserFacts): string => `user ${user.id} (${fullName(user)})`

/** Calculated KPIs are changed by the operator, never over the interface (interface, section 4.1). */
export const mustNotBeCalculated = (kpi: KpiFacts): void => {
  if (!kpi.is_calculated) return
  throw new KpiError(
    'forbidden',
    `${kpiLabel(kpi)} is calculated and cannot be changed here; the operator changes it with kpi service calculated update`,
  )
}

/** A user who reports values must be active; `field` is the one that names them. */
export const faultsOfUser = (user: UserFacts, field = 'user_id'): Issue[] =>
  user.user_status_id === 'L' ? [{ field, message: `${userLabel(user)} is locked` }] : []

/** A breakdown item that takes values is not archived; `field` is the one that names it. */
export const faultsOfItem = ({ id, name, is_archived }: ItemFacts, field = 'source_id'): Issue[] =>
  is_archived ? [{ field, message: `breakdown item ${id} (${name}) is archived and takes no new entries` }] : []

/** A KPI takes entries when it is active and not calculated. */
export const faultsOfKpi = (kpi: KpiFacts): Issue[] => {
  if (kpi.is_calculated) return [{ field: 'kpi_id', message: `${kpiLabel(kpi)} is calculated and takes no entries` }]
  if (kpi.is_active === false)
    return [{ field: 'kpi_id', message: `${kpiLabel(kpi)} is inactive and takes no entries` }]
  return []
}

const NOT_ASSIGNED = 'is not assigned to'

/** Whether it is a missing assignment that a text tells of. */
export const saysNotAssigned = (text: string): boolean => text.includes(NOT_ASSIGNED)

/** A user enters only the KPIs that are assigned to them. */
export const faultOfAssignment = (kpi: KpiFacts, user: UserFacts): Issue => ({
  field: 'kpi_id',
  message: `${kpiLabel(kpi)} ${NOT_ASSIGNED} ${userLabel(user)}`,
})

/** The fault of an id that names nothing. */
export const missing = (field: string, title: string, id: number | string): Issue => ({
  field,
  message: `there is no ${title} ${id}`,
})

/** A user's own target needs a KPI that has one (decisions, section 7). */
export const faultsOfUserTarget = (kpi: KpiFacts, target: Decimal | null | undefined): Issue[] =>
  target !== null && target !== undefined && kpi.target_default === null
    ? [{ field: 'user_target', message: `${kpiLabel(kpi)} has no target, so a user cannot have one either` }]
    : []

/** What an entry holds. */
export type EntryValues = {
  readonly actual: Decimal | null
  readonly target: Decimal | null
  readonly notes: string | null
}

/** What is sent for an entry: a value that is left out keeps what is stored, null clears it. */
export type EntryChange = {
  readonly actual?: Decimal | null | undefined
  readonly target?: Decimal | null | undefined
  readonly notes?: string | null | undefined
  readonly setActual?: boolean | undefined
  readonly setTarget?: boolean | undefined
  readonly setNotes?: boolean | undefined
  readonly addToActual?: boolean | undefined
}

const NOTHING: EntryValues = { actual: null, target: null, notes: null }

const keepOrSet = <T>(stored: T, sent: T | undefined, set: boolean | undefined): T =>
  sent === undefined || set === false ? stored : sent

const nextActual = (stored: Decimal | null, change: EntryChange): Decimal | null => {
  if (!change.addToActual || change.setActual === false) return keepOrSet(stored, change.actual, change.setActual)
  const added = change.actual ?? null
  return added === null ? stored : (stored ?? 0n) + added
}

/**
 * What an entry holds after a change (decisions, section 5). A target is dropped where the KPI has no default one: what
 * is stored stays, hidden.
 */
export const mergeEntry = (
  stored: EntryValues | undefined,
  change: EntryChange,
  kpi: Pick<KpiFacts, 'target_default'>,
): EntryValues => {
  const before = stored ?? NOTHING
  return {
    actual: nextActual(before.actual, change),
    target: kpi.target_default === null ? before.target : keepOrSet(before.target, change.target, change.setTarget),
    notes: keepOrSet(before.notes, change.notes, change.setNotes),
  }
}

/** The fault of an entry that would hold nothing. */
export const NO_VALUE: Issue = {
  field: 'actual',
  message: 'is required where the entry has neither target nor notes',
}

const NO_FAULTS: readonly Issue[] = []

/** An entry holds at least one visible value, and none that is too large. */
export const faultsOfValues = (values: EntryValues, kpi: Pick<KpiFacts, 'target_default'>): readonly Issue[] => {
  if (values.actual !== null && !fits(values.actual)) {
    return [{ field: 'actual', message: 'must have at most 14 digits before the decimal point, also after adding' }]
  }
  const target = kpi.target_default === null ? null : values.target
  if (values.actual === null && target === null && values.notes === null) {
    return [NO_VALUE]
  }
  return NO_FAULTS
}

/** Whether two entries hold the same. */
export const sameValues = (left: EntryValues, right: EntryValues): boolean =>
  left.actual === right.actual && left.target === right.target && left.notes === right.notes
