import type { Issue } from '../domain/errors.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import type { User } from '../domain/resources/user.ts'
import { faultOfAssignment, faultsOfKpi, faultsOfUser, missing, NO_VALUE } from '../domain/rules.ts'
import type { Reading } from '../domain/schema.ts'
import { type AssignedKpis, assignments } from '../store/assignments.ts'
import type { Reader } from '../store/db.ts'
import { kpis } from '../store/kpis.ts'
import { users } from '../store/users.ts'

/** Everything that a list of entries refers to, loaded once. */
export type References = {
  readonly users: ReadonlyMap<number, User>
  readonly usersByEmail: ReadonlyMap<string, User>
  readonly kpis: ReadonlyMap<number, Kpi>
  readonly assigned: AssignedKpis
}

type Sent = Reading<EntryDraft>

const loadByEmail = async (tx: Reader, account: number, emails: Iterable<string>): Promise<Map<string, User>> => {
  const found = new Map<string, User>()
  for (const email of emails) {
    const user = await users.findByEmail(tx, account, email)
    if (user) found.set(email, user)
  }
  return found
}

/** Loads the users, KPIs and assignments that entries name. */
export const loadReferences = async (
  tx: Reader,
  account: number,
  entries: readonly Reading<EntryDraft>[],
): Promise<References> => {
  const userIds = new Set<number>()
  const emails = new Set<string>()
  const kpiIds = new Set<number>()
  for (const { values } of entries) {
    const { user_id, email, kpi_id } = values
    if (typeof user_id === 'number') userIds.add(user_id)
    if (typeof email === 'string') emails.add(email)
    if (kpi_id !== undefined) kpiIds.add(kpi_id)
  }
  const usersByEmail = await loadByEmail(tx, account, emails)
  for (const { id } of usersByEmail.values()) userIds.add(id)
  return {
    users: await users.findMany(tx, account, userIds),
    usersByEmail,
    kpis: await kpis.findMany(tx, account, kpiIds),
    assigned: await assignments.among(tx, account, userIds, kpiIds),
  }
}

/** The fields that name a user, and the one that is blamed where an entry could not be read at all. */
const NAMING: ReadonlySet<string> = new Set(['user_id', 'email', 'entries'])

/** Nobody is named; where that is because the name could not be read, the fault is told already. */
const faultsOfNobody = (issues: readonly Issue[]): Issue[] =>
  issues.some(({ field }) => NAMING.has(field)) ? [] : [{ field: 'user_id', message: 'is required, or email instead' }]

/** The user whom an entry names by id, e-mail address or both, or the faults of how it names them. */
export const userOf = ({ users: byId, usersByEmail }: References, { values, issues }: Sent): User | Issue[] => {
  const { user_id, email } = values
  const byEmail = typeof email === 'string' ? usersByEmail.get(email) : undefined
  const user = typeof user_id === 'number' ? byId.get(user_id) : undefined
  const unknown: Issue[] = []
  if (typeof user_id === 'number' && !user) unknown.push(missing('user_id', 'user', user_id))
  if (typeof email === 'string' && !byEmail) unknown.push(missing('email', 'user with the e-mail address', email))
  if (unknown.length > 0) return unknown
  if (!user) return byEmail ?? faultsOfNobody(issues)
  if (byEmail && byEmail.id !== user.id) {
    return [{ field: 'email', message: `${email} is the e-mail address of user ${byEmail.id}, not of user ${user.id}` }]
  }
  return user
}

/** The user and KPI of an entry that may be made. */
export type Place = { readonly user: User; readonly kpi: Kpi }

/** Whom and what an entry names, or everything that is wrong with that (decisions, section 5). */
export const placeOf = (references: References, sent: Sent): Place | Issue[] => {
  const user = userOf(references, sent)
  const { kpi_id } = sent.values
  const kpi = kpi_id === undefined ? undefined : references.kpis.get(kpi_id)
  const issues: Issue[] = Array.isArray(user) ? [...user] : faultsOfUser(user)
  if (kpi) issues.push(...faultsOfKpi(kpi))
  else if (kpi_id !== undefined) issues.push(missing('kpi_id', 'KPI', kpi_id))
  if (Array.isArray(user) || !kpi) return issues
  if (!references.assigned.get(user.id)?.has(kpi.id)) issues.push(faultOfAssignment(kpi, user))
  return issues.length > 0 ? issues : { user, kpi }
}

const VALUES = ['actual', 'target', 'notes'] as const

/** The fault of a new entry without a value: of a user or KPI that is not there nothing is stored that could stay. */
export const faultsOfNothing = ({ users: byId, usersByEmail, kpis: known }: References, sent: Sent): Issue[] => {
  const { user_id, email, kpi_id } = sent.values
  const isUnknown =
    (typeof user_id === 'number' && !byId.has(user_id)) ||
    (typeof email === 'string' && !usersByEmail.has(email)) ||
    (kpi_id !== undefined && !known.has(kpi_id))
  const isTold = sent.issues.some(({ field }) => VALUES.some((name) => name === field))
  return isUnknown && !isTold && VALUES.every((name) => (sent.values[name] ?? null) === null) ? [NO_VALUE] : []
}
