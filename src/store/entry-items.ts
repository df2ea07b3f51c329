import type { Column, Reader, Writer } from './db.ts'
import type { EntryKey } from './entries.ts'

const COLUMNS: readonly Column[] = ['account_id', 'group_item_id', 'kpi_id', 'entry_date', 'item_id'].map((name) => ({
  name,
  type: 'integer',
}))

/** A group item that an entry carries. */
export type EntryItem = EntryKey & { readonly group_item_id: number }

/** The group items that entries carry; they go with their entry. */
export const entryItems = {
  /** Adds some; fastest in the order of their keys. */
  insert: (tx: Writer, account: number, rows: readonly EntryItem[]): Promise<void> =>
    tx.insertMany(
      'entry_items',
      COLUMNS,
      rows.map(({ group_item_id, kpi_id, entry_date, item_id }) => [
        account,
        group_item_id,
        kpi_id,
        entry_date,
        item_id,
      ]),
    ),
  /** Those that an entry carries. */
  of: async (tx: Reader, account: number, { item_id, kpi_id, entry_date }: EntryKey): Promise<number[]> => {
    const rows = await tx.all(
      `select group_item_id from entry_items
       where account_id = ? and item_id = ? and kpi_id = ? and entry_date = ? order by group_item_id`,
      [account, item_id, kpi_id, entry_date],
    )
    return rows.map((row) => Number(row['group_item_id']))
  },
  /** Removes all that an entry carries. */
  clear: async (tx: Writer, account: number, { item_id, kpi_id, entry_date }: EntryKey): Promise<void> => {
    await tx.run('delete from entry_items where account_id = ? and item_id = ? and kpi_id = ? and entry_date = ?', [
      account,
      item_id,
      kpi_id,
      entry_date,
    ])
  },
}
