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
