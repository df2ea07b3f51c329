import type { BreakdownItem } from '../domain/resources/breakdown-item.ts'
import type { EntryDraft, EntryName } from '../domain/resources/entry.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import type { User } from '../domain/resources/user.ts'
import type { Reading } from '../domain/schema.ts'
import { type AssignedKpis, assignments } from '../store/assignments.ts'
import { breakdownItems } from '../store/breakdown-items.ts'
import type { Reader } from '../store/db.ts'
import { kpis } from '../store/kpis.ts'
import { users } from '../store/users.ts'
import { yieldEvery } from '../store/yield-every.ts'

/** Everything that a list of entries refers to, loaded once. */
export type References = {
  /** The fields by which they may name whom or what they belong to. */
  readonly names: readonly EntryName[]
  readonly users: ReadonlyMap<number, User>
  readonly usersByEmail: ReadonlyMap<string, User>
  readonly items: ReadonlyMap<number, BreakdownItem>
  readonly kpis: ReadonlyMap<number, Kpi>
  readonly assigned: AssignedKpis
}

/** So many addresses are looked up before others have their turn. */
const EMAILS_A_TURN = 200

const loadByEmail = async (tx: Reader, account: number, emails: Iterable<string>): Promise<Map<string, User>> => {
  const found = new Map<string, User>()
  const pause = yieldEvery(EMAILS_A_TURN)
  for (const email of emails) {
    const turn = pause()
    if (turn) await turn
    const user = await users.findByEmail(tx, account, email)
    if (user) found.set(email, user)
  }
  return found
}

const NO_ITEMS: ReadonlyMap<number, BreakdownItem> = new Map()

/** Loads the users, breakdown items, KPIs and assignments that entries name. */
export const loadReferences = async (
  tx: Reader,
  account: number,
  names: readonly EntryName[],
  entries: readonly Reading<EntryDraft>[],
): Promise<References> => {
  const [userIds, itemIds, kpiIds] = [new Set<number>(), new Set<number>(), new Set<number>()]
  const emails = new Set<string>()
  for (const { values } of entries) {
    const { user_id, email, source_id, kpi_id } = values
    if (typeof user_id === 'number') userIds.add(user_id)
    if (typeof email === 'string') emails.add(email)
    if (typeof source_id === 'number') itemIds.add(source_id)
    if (kpi_id !== undefined) kpiIds.add(kpi_id)
  }
  const usersByEmail = await loadByEmail(tx, account, emails)
  for (const { id } of usersByEmail.values()) userIds.add(id)
  const items = itemIds.size === 0 ? NO_ITEMS : await breakdownItems.findMany(tx, account, itemIds)
  for (const { user_id } of items.values()) if (user_id !== null) userIds.add(user_id)
  return {
    names,
    users: await users.findMany(tx, account, userIds),
    usersByEmail,
    items,
    kpis: await kpis.findMany(tx, account, kpiIds),
    assigned: await assignments.among(tx, account, userIds, kpiIds),
  }
}
