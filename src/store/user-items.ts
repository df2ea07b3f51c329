import { type UserGroupItem, userGroupItem } from '../domain/resources/user-group-item.ts'
import type { Reader, Writer } from './db.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { rowReader } from './table.ts'

const read = rowReader(userGroupItem)

const SELECT = `select l.id, l.user_id, i.breakdown_id as group_id, b.name as group_name, i.name, l.created_at
  from user_items l
  join items i on i.account_id = l.account_id and i.id = l.id
  join breakdowns b on b.account_id = i.account_id and b.id = i.breakdown_id
  where l.account_id = ? and l.user_id = ?`

/** The group items of users. A link is made and removed, never changed. */
export const userItems = {
  list: async (tx: Reader, account: number, user: number): Promise<UserGroupItem[]> =>
    (await tx.all(`${SELECT} order by l.id`, [account, user])).map(read),

  find: async (tx: Reader, account: number, id: number, user: number): Promise<UserGroupItem | undefined> => {
    const [row] = await tx.all(`${SELECT} and l.id = ?`, [account, user, id])
    return row && read(row)
  },
  insert: async (tx: Writer, account: number, { user_id, id, created_at }: UserGroupItem): Promise<void> => {
    await tx.run('insert into user_items (account_id, user_id, id, created_at) values (?, ?, ?, ?)', [
      account,
      user_id,
      id,
      created_at,
    ])
  },
  remove: async (tx: Writer, account: number, id: number, user: number): Promise<boolean> =>
    (await tx.run('delete from user_items where account_id = ? and user_id = ? and id = ?', [account, user, id])) > 0,

  /** How many group items a user is linked to. */
  count: async (tx: Reader, account: number, user: number): Promise<number> => {
    const [row] = await tx.all('select count(*) as links from user_items where account_id = ? and user_id = ?', [
      account,
      user,
    ])
    return Number(row?.['links'])
  },

  /** The group items that new entries of users carry: those that are not archived, by user. */
  carriedBy: async (tx: Reader, account: number, users: Iterable<number>): Promise<Map<number, number[]>> => {
    const found = new Map<number, number[]>()
    const sql = `select l.user_id, l.id from user_items l
                 join items i on i.account_id = l.account_id and i.id = l.id
                 where l.account_id = ? and l.user_id ${IN_LIST} and i.is_archived = 0`
    for (const row of await tx.all(sql, [account, listOf(users)])) {
      const user = Number(row['user_id'])
      const ofUser = found.get(user) ?? []
      ofUser.push(Number(row['id']))
      found.set(user, ofUser)
    }
    return found
  },
}
