import { takeIds } from '../../src/store/tables/table.ts'
import type { Db } from '../../src/store/db.ts'
import { itemSetDigest, itemSets } from '../../src/store/tables/item-sets.ts'
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

/** Makes entries of the first account carry group items. */
export const carryGroupItems = async (
  db: Db,
  entries: readonly Pick<EntryFact, 'item' | 'kpi_id' | 'entry_date' | 'groups'>[],
): Promise<void> =>
  db.write(async (tx) => {
    for (const { item, kpi_id, entry_date, groups } of entries.filter((one) => one.groups.length > 0)) {
      const items = [...new Set(groups)].sort((left, right) => left - right)
      const digest = itemSetDigest(items)
      const known = await itemSets.find(tx, 1, digest)
      const id = known ?? (await takeIds(tx, 1, 'item_sets'))
      if (known === undefined) await itemSets.insert(tx, 1, { id, digest, items })
      await tx.run(
        'update entries set item_set = ? where account_id = 1 and item_id = ? and kpi_id = ? and entry_date = ?',
        [id, item, kpi_id, entry_date],
      )
    }
  })
