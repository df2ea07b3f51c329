import type { Db } from '../../src/store/db.ts'
import type { EntryFact } from './report-model.ts'

/** Puts group items into the first account as they are, in a group of their own. */
export const putGroupItems = (
  db: Db,
  items: readonly { readonly id: number; readonly name: string }[],
): Promise<void> =>
  db.write(async (tx) => {
    const group = 'insert into breakdowns (account_id, id, name, sort_order, created_at, updated_at)'
    await tx.run(`${group} values (1, 50, 'Regions', 1, 0, 0)`)
    for (const { id, name } of items) {
      const columns = 'account_id, id, breakdown_id, name, user_id, is_archived, sort_order, created_at, updated_at'
      await tx.run(`insert into items (${columns}) values (1, ?, 50, ?, null, 0, 1, 0, 0)`, [id, name])
    }
  })

/** Puts an entry into the first account that is of a group item itself. */
const putOwnEntry = async (
  db: Db,
  { id, item, kpi_id, entry_date, actual, target, notes }: EntryFact,
): Promise<void> => {
  const columns = 'account_id, id, item_id, kpi_id, entry_date, actual, target, notes, created_at, updated_at'
  const values = [id, item, kpi_id, entry_date, actual, target, notes]
  await db.write((tx) => tx.run(`insert into entries (${columns}) values (1, ?, ?, ?, ?, ?, ?, ?, 0, 0)`, values))
}

/** Puts entries into the first account that are of group items themselves. */
export const putOwnEntries = async (db: Db, entries: readonly EntryFact[]): Promise<void> => {
  for (const entry of entries) await putOwnEntry(db, entry)
}

const LINK = ['account_id', 'group_item_id', 'item_id', 'kpi_id', 'entry_date'] as const

/** Makes entries of the first account carry group items. */
export const carryGroupItems = async (
  db: Db,
  entries: readonly Pick<EntryFact, 'item' | 'kpi_id' | 'entry_date' | 'groups'>[],
): Promise<void> => {
  const links = entries.flatMap(({ item, kpi_id, entry_date, groups }) =>
    groups.map((group) => [1, group, item, kpi_id, entry_date]),
  )
  const columns = LINK.map((name) => ({ name, type: 'integer' as const }))
  await db.write((tx) => tx.insertMany('entry_items', columns, links))
}
