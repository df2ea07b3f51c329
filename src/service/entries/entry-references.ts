import { setImmediate } from 'node:timers/promises'
import type { Pause } from '../../domain/pause.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'
import { numberAt, type SentEntries } from '../../domain/entry-block.ts'
import type { EntryName } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { User } from '../../domain/resources/user.ts'
import type { Reader, Writer } from '../../store/db.ts'
import { type AssignedKpis, assignments } from '../../store/tables/assignments.ts'
import { breakdownItems } from '../../store/tables/breakdowns.ts'
import { itemSetDigest, itemSets as store, userItems } from '../../store/tables/item-sets.ts'
import { kpis } from '../../store/tables/kpis.ts'
import { takeIds } from '../../store/tables/table.ts'
import { users } from '../../store/tables/users.ts'

/**
 * Returns a function for a long loop to call for each row. Every `rows` calls, it returns a promise that lets other
 * requests run for one turn of the event loop. It does not queue behind other long work, as a transaction may be open.
 */
const yieldEvery = (rows: number): Pause => {
  let done = 0
  return () => {
    done += 1
    return done % rows === 0 ? setImmediate() : undefined
  }
}

/** Sets after how many users to let other requests run. */
const USERS_PER_TURN = 100

/** Finds the stored set of some group items, which come in ascending order, or creates it. */
const setOf = async (tx: Writer, account: number, items: readonly number[]): Promise<number> => {
  const digest = itemSetDigest(items)
  const known = await store.find(tx, account, digest)
  if (known !== undefined) return known
  const id = await takeIds(tx, account, 'item_sets')
  await store.insert(tx, account, { id, digest, items })
  return id
}

/** Returns the set of the group items of another one with one more, or without it; null where none is left. */
export const setWith = async (
  tx: Writer,
  account: number,
  items: readonly number[],
  { item, isOff }: { readonly item: number; readonly isOff: boolean },
): Promise<number | null> => {
  const others = items.filter((one) => one !== item)
  const all = isOff ? others : [...others, item]
  if (all.length === 0) return null
  return setOf(
    tx,
    account,
    all.toSorted((one, other) => one - other),
  )
}

/**
 * Returns the current set of group items of each user; omits users without any. A new entry stores the id of its user's
 * set: one number instead of a copy of all items.
 */
export const itemSetsOf = async (
  tx: Writer,
  account: number,
  users: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> => {
  const all = [...users]
  const sets = new Map<number, number>()
  for (let start = 0; start < all.length; start += USERS_PER_TURN) {
    if (start > 0) await setImmediate()
    const carried = await userItems.carriedBy(tx, account, all.slice(start, start + USERS_PER_TURN))
    for (const [user, items] of carried) {
      const ascending = items.sort((left, right) => left - right)
      sets.set(user, await setOf(tx, account, ascending))
    }
  }
  return sets
}

/** Holds all records to which a list of entries refers, loaded once. */
export type References = {
  /** Lists the fields that may name the owner of an entry. */
  readonly names: readonly EntryName[]
  readonly users: ReadonlyMap<number, User>
  readonly usersByEmail: ReadonlyMap<string, User>
  readonly items: ReadonlyMap<number, BreakdownItem>
  readonly kpis: ReadonlyMap<number, Kpi>
  readonly assigned: AssignedKpis
}

/** Sets after how many e-mail addresses to let other requests run. */
const EMAILS_PER_TURN = 200

const loadByEmail = async (tx: Reader, account: number, emails: Iterable<string>): Promise<Map<string, User>> => {
  const found = new Map<string, User>()
  const pause = yieldEvery(EMAILS_PER_TURN)
  for (const email of emails) {
    const turn = pause()
    if (turn) await turn
    const user = await users.findByEmail(tx, account, email)
    if (user) found.set(email, user)
  }
  return found
}

const NO_ITEMS: ReadonlyMap<number, BreakdownItem> = new Map()

/** Holds the ids and addresses that entries name. */
type Named = {
  readonly users: Set<number>
  readonly items: Set<number>
  readonly kpis: Set<number>
  readonly emails: Set<string>
}

/** Returns what entries name; it runs over every entry of a batch, most of which name what the one before them does. */
const namedIn = ({ block, others }: SentEntries): Named => {
  const named = {
    users: new Set<number>(),
    items: new Set<number>(),
    kpis: new Set<number>(),
    emails: new Set<string>(),
  }
  let [lastOwner, lastKpi] = [0, 0]
  for (let at = 0; at < block.count; at += 1) {
    const [owner, kpi] = [numberAt(block.owner, at), numberAt(block.kpi, at)]
    if (owner !== lastOwner && owner > 0) named.users.add(owner)
    else if (owner !== lastOwner && owner < 0) named.items.add(-owner)
    if (kpi !== lastKpi && !others.has(at)) named.kpis.add(kpi)
    ;[lastOwner, lastKpi] = [owner, kpi]
  }
  for (const { values } of others.values()) {
    const { user_id, email, source_id, kpi_id } = values
    if (typeof user_id === 'number') named.users.add(user_id)
    if (typeof email === 'string') named.emails.add(email)
    if (typeof source_id === 'number') named.items.add(source_id)
    if (kpi_id !== undefined) named.kpis.add(kpi_id)
  }
  return named
}

/** Loads the users, breakdown items, KPIs and assignments that entries name. */
export const loadReferences = async (
  tx: Reader,
  account: number,
  names: readonly EntryName[],
  sent: SentEntries,
): Promise<References> => {
  const named = namedIn(sent)
  const usersByEmail = await loadByEmail(tx, account, named.emails)
  for (const { id } of usersByEmail.values()) named.users.add(id)
  const items = named.items.size === 0 ? NO_ITEMS : await breakdownItems.findMany(tx, account, named.items)
  for (const { user_id } of items.values()) if (user_id !== null) named.users.add(user_id)
  return {
    names,
    users: await users.findMany(tx, account, named.users),
    usersByEmail,
    items,
    kpis: await kpis.findMany(tx, account, named.kpis),
    assigned: await assignments.among(tx, account, named.users, named.kpis),
  }
}
