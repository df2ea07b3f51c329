import { group, type GroupItem, groupItem } from '../../domain/resources/groups.ts'
import type { Reader, Writer } from '../db.ts'
import { breakdownItems } from './breakdowns.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { nestedTable, table } from './table.ts'
import { exists, PEOPLE } from './users.ts'

/** Returns the group items among some ids, with their names; people are left out. */
export const groupItemsAmong = async (
  tx: Reader,
  account: number,
  ids: Iterable<number>,
): Promise<{ readonly id: number; readonly name: string }[]> => {
  const sql = `select id, name from items where account_id = ? and breakdown_id <> ? and id ${IN_LIST} order by id`
  return (await tx.all(sql, [account, PEOPLE, listOf(ids)])).map(({ id, name }) => ({
    id: Number(id),
    name: String(name),
  }))
}

/** Reads and writes the breakdowns that the classic interface calls groups: all but "People". */
export const groups = {
  ...table('breakdowns', group, ` and id <> ${PEOPLE}`),
  hasItems: (tx: Reader, account: number, id: number): Promise<boolean> =>
    exists(tx, 'select 1 from items where account_id = ? and breakdown_id = ?', [account, id]),
}

const items = nestedTable('items', groupItem, 'breakdown_id')

/** Describes a group item that a user is or could be linked to. */
type LinkableItem = {
  readonly groupId: number
  readonly groupName: string
  readonly name: string
  readonly isArchived: boolean
}

/** Reads and writes the items of groups, without those of "People". */
export const groupItems = {
  ...items,
  insert: (tx: Writer, account: number, record: GroupItem): Promise<void> =>
    items.insert(tx, account, record, { is_archived: 0 }),
  remove: (tx: Writer, account: number, id: number): Promise<boolean> => breakdownItems.remove(tx, account, id),
  hasEntries: breakdownItems.hasEntries,
  /** Returns a group item by its id alone, in any group. */
  findLinkable: async (tx: Reader, account: number, id: number): Promise<LinkableItem | undefined> => {
    const [row] = await tx.all(
      `select i.name, i.is_archived, i.breakdown_id, b.name as group_name
       from items i join breakdowns b on b.account_id = ?1 and b.id = i.breakdown_id
       where i.account_id = ?1 and i.id = ? and i.breakdown_id <> ${PEOPLE}`,
      [account, id],
    )
    return (
      row && {
        groupId: Number(row['breakdown_id']),
        groupName: String(row['group_name']),
        name: String(row['name']),
        isArchived: Number(row['is_archived']) === 1,
      }
    )
  },
}
