import { setImmediate } from 'node:timers/promises'
import { takeIds } from '../store/counters.ts'
import type { Writer } from '../store/db.ts'
import { digestOf, itemSets as store } from '../store/item-sets.ts'
import { userItems } from '../store/user-items.ts'

/** After so many users others get their turn. */
const USERS_A_TURN = 100

/** Finds the set of some group items, or makes it where no entry has carried these together yet. */
const setOf = async (tx: Writer, account: number, items: readonly number[]): Promise<number> => {
  const digest = digestOf(items)
  const known = await store.find(tx, account, digest)
  if (known !== undefined) return known
  const id = await takeIds(tx, account, 'item_sets')
  await store.insert(tx, account, { id, digest, items })
  return id
}

/**
 * Returns the sets of group items that users have now, by user; those who have none are left out. An entry names the set
 * of its user when it is made (decisions, section 5): a copy of any number of group items is one number.
 */
export const itemSetsOf = async (
  tx: Writer,
  account: number,
  users: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> => {
  const all = [...users]
  const sets = new Map<number, number>()
  for (let start = 0; start < all.length; start += USERS_A_TURN) {
    if (start > 0) await setImmediate()
    const carried = await userItems.carriedBy(tx, account, all.slice(start, start + USERS_A_TURN))
    for (const [user, items] of carried) {
      const ascending = items.sort((left, right) => left - right)
      sets.set(user, await setOf(tx, account, ascending))
    }
  }
  return sets
}
