import type { Writer } from '../store/db.ts'
import type { EntryKey } from '../store/entries.ts'
import { type EntryItem, entryItems as store } from '../store/entry-items.ts'
import { userItems } from '../store/user-items.ts'

const byKey = (left: EntryItem, right: EntryItem): number =>
  left.group_item_id - right.group_item_id ||
  left.kpi_id - right.kpi_id ||
  left.entry_date - right.entry_date ||
  left.item_id - right.item_id

/**
 * Takes an entry to another key by `move`. What it carries goes with it, unless it is another user's then, whose group
 * items it carries from now on.
 */
export const moveCarried = async (
  tx: Writer,
  account: number,
  [before, after]: readonly [EntryKey, EntryKey],
  move: () => Promise<void>,
): Promise<void> => {
  const carried = await store.of(tx, account, before)
  await store.clear(tx, account, before)
  await move()
  const { item_id, kpi_id, entry_date } = after
  if (item_id !== before.item_id) return carryGroupItems(tx, account, [after])
  await store.insert(
    tx,
    account,
    carried.map((group_item_id) => ({ group_item_id, item_id, kpi_id, entry_date })),
  )
}

/** Copies onto entries, which carry none yet, the group items that their users have now (decisions, section 5). */
export const carryGroupItems = async (tx: Writer, account: number, entries: readonly EntryKey[]): Promise<void> => {
  if (entries.length === 0) return
  const users = new Set(entries.map(({ item_id }) => item_id))
  const carried = await userItems.carriedBy(tx, account, users)
  if (carried.size === 0) return
  const rows = entries.flatMap(({ item_id, kpi_id, entry_date }) =>
    (carried.get(item_id) ?? []).map((group_item_id) => ({ group_item_id, kpi_id, entry_date, item_id })),
  )
  await store.insert(tx, account, rows.sort(byKey))
}
