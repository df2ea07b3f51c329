import { nameForm } from '../../domain/name-form.ts'
import { fullName, type User, user } from '../../domain/resources/user.ts'
import type { Reader, Writer } from '../db.ts'
import { type Extra, table } from './table.ts'

/** Tells whether a query finds any row. */
export const exists = async (tx: Reader, sql: string, values: readonly (string | number)[]): Promise<boolean> =>
  (await tx.all(`${sql} limit 1`, values)).length > 0

const rows = table('users', user)

/** Names the built-in breakdown whose items stand for the people; it is the first one of every account. */
export const PEOPLE = 1

/**
 * Reads and writes people. Each also has an item with the same id in the breakdown "People", which has the name of the
 * user and is archived while the user is locked.
 */
export const users = {
  ...rows,

  findByEmail: async (tx: Reader, account: number, email: string): Promise<User | undefined> => {
    const [row] = await tx.all('select * from users where account_id = ? and email_key = ?', [account, nameForm(email)])
    return row && rows.read(row)
  },
  insert: async (tx: Writer, account: number, record: User, extra?: Extra): Promise<void> => {
    await tx.run(
      `insert into items (account_id, id, breakdown_id, name, user_id, is_archived, sort_order, created_at, updated_at)
       values (?, ?, ${PEOPLE}, ?, ?, ?, 0, ?, ?)`,
      [
        account,
        record.id,
        fullName(record),
        record.id,
        Number(record.user_status_id === 'L'),
        record.created_at,
        record.updated_at,
      ],
    )
    await rows.insert(tx, account, record, { ...extra, email_key: nameForm(record.email) })
  },
  update: async (tx: Writer, account: number, record: User): Promise<void> => {
    await tx.run('update items set name = ?, is_archived = ?, updated_at = ? where account_id = ? and id = ?', [
      fullName(record),
      Number(record.user_status_id === 'L'),
      record.updated_at,
      account,
      record.id,
    ])
    await rows.update(tx, account, record, { email_key: nameForm(record.email) })
  },
  /** Removes a user who has no entries, with their assignments, links to group items and keys. */
  remove: async (tx: Writer, account: number, id: number): Promise<boolean> => {
    for (const links of ['assignments', 'user_items', 'keys']) {
      await tx.run(`delete from ${links} where account_id = ? and user_id = ?`, [account, id])
    }
    const removed = await rows.remove(tx, account, id)
    await tx.run('delete from items where account_id = ? and id = ?', [account, id])
    return removed
  },
  hasEntries: (tx: Reader, account: number, id: number): Promise<boolean> =>
    exists(tx, 'select 1 from entries where account_id = ? and item_id = ?', [account, id]),
  /** Tells whether any other user is active. */
  othersActive: (tx: Reader, account: number, id: number): Promise<boolean> =>
    exists(tx, `select 1 from users where account_id = ? and id <> ? and user_status_id = 'A'`, [account, id]),
}
