import { type Breakdown, type BreakdownItem, breakdownItem } from '../../domain/resources/breakdowns.ts'
import { group } from '../../domain/resources/groups.ts'
import type { Reader, SqlInput, Writer } from '../db.ts'
import { itemSets } from './item-sets.ts'
import { listReading, selectFrom, table } from './table.ts'
import { exists } from './users.ts'

const rows = table('breakdowns', group)

/** Returns how many items each breakdown has, and how many of them are archived; omits breakdowns without items. */
const countItems = async (
  tx: Reader,
  account: number,
): Promise<Map<number, Pick<Breakdown, 'items' | 'archived_items'>>> => {
  const sql = `select breakdown_id, count(*) as items, sum(is_archived) as archived from items
    where account_id = ? group by breakdown_id`
  const counted = await tx.all(sql, [account])
  return new Map(
    counted.map((row) => [
      Number(row['breakdown_id']),
      { items: Number(row['items']), archived_items: Number(row['archived']) },
    ]),
  )
}

/** Returns all breakdowns of an account, "People" included, with the numbers of their items. */
export const listBreakdowns = async (tx: Reader, account: number): Promise<Breakdown[]> => {
  const counts = await countItems(tx, account)
  return (await rows.list(tx, account)).map((one) => ({ ...one, items: 0, archived_items: 0, ...counts.get(one.id) }))
}

const { list, hasMany, find, findMany, insert, update, remove } = table('items', breakdownItem)

const SELECT = selectFrom('items', breakdownItem)

const ENTRIES_CARRYING = `select 1 from item_set_members g cross join entries e
  where e.account_id = ?1 and e.item_set = g.set_id and g.account_id = ?1 and g.group_item_id = ?`

/** Returns the ids of all items, of people and others, in their order. */
export const itemIds = async (tx: Reader, account: number): Promise<number[]> =>
  (await tx.all('select id from items where account_id = ? order by id', [account])).map((row) => Number(row['id']))

/** Describes which breakdown items to list; all by default. */
export type ItemFilter = { readonly breakdownId?: number | undefined; readonly isArchived?: boolean | undefined }

/** Reads and writes the items of all breakdowns: group items of the classic interface, and people. */
export const breakdownItems = {
  list,
  hasMany,
  find,
  findMany,
  insert,
  update,

  /** Returns the items that a filter selects. */
  listOf: async (tx: Reader, account: number, { breakdownId, isArchived }: ItemFilter): Promise<BreakdownItem[]> => {
    const values: SqlInput[] = [account]
    const narrow = (column: string, value: number | undefined): string => {
      if (value === undefined) return ''
      values.push(value)
      return ` and ${column} = ?`
    }
    const narrowed =
      narrow('breakdown_id', breakdownId) +
      narrow('is_archived', isArchived === undefined ? undefined : Number(isArchived))
    return listReading(breakdownItem, SELECT + narrowed)(tx, values)
  },
  /** Removes an item that has no entries, with its links to users and the sets that hold it. */
  remove: async (tx: Writer, account: number, id: number): Promise<boolean> => {
    await itemSets.removeWith(tx, account, id)
    await tx.run('delete from user_items where account_id = ? and id = ?', [account, id])
    return remove(tx, account, id)
  },
  /** Tells whether any entry carries the item or belongs to it. */
  hasEntries: async (tx: Reader, account: number, id: number): Promise<boolean> =>
    (await exists(tx, ENTRIES_CARRYING, [account, id])) ||
    (await exists(tx, 'select 1 from entries where account_id = ? and item_id = ?', [account, id])),
}
