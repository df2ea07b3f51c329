import { createHash } from 'node:crypto'
import { type UserGroupItem, userGroupItem } from '../../domain/resources/groups.ts'
import type { Column, Reader, Writer } from '../db.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { rowReader } from './table.ts'

const read = rowReader(userGroupItem)

const SELECT = `select l.id, l.user_id, i.breakdown_id as group_id, b.name as group_name, i.name, l.created_at
  from user_items l
  join items i on i.account_id = ?1 and i.id = l.id
  join breakdowns b on b.account_id = ?1 and b.id = i.breakdown_id
  where l.account_id = ?1 and l.user_id = ?`

/** Reads and writes the links of users to group items. A link is created and removed, never changed. */
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

  /** Returns the users who have a group item. */
  usersWith: async (tx: Reader, account: number, item: number): Promise<Set<number>> => {
    const sql = 'select user_id from user_items where account_id = ? and id = ?'
    return new Set((await tx.all(sql, [account, item])).map((row) => Number(row['user_id'])))
  },

  /** Counts the group items of a user. */
  count: async (tx: Reader, account: number, user: number): Promise<number> => {
    const [row] = await tx.all('select count(*) as links from user_items where account_id = ? and user_id = ?', [
      account,
      user,
    ])
    return Number(row?.['links'])
  },

  /** Returns the group items that new entries of users will carry: those that are not archived, by user. */
  carriedBy: async (tx: Reader, account: number, users: Iterable<number>): Promise<Map<number, number[]>> => {
    const found = new Map<number, number[]>()
    const sql = `select l.user_id, l.id from user_items l
                 join items i on i.account_id = ?1 and i.id = l.id
                 where l.account_id = ?1 and l.user_id ${IN_LIST} and i.is_archived = 0`
    for (const row of await tx.all(sql, [account, listOf(users)])) {
      const user = Number(row['user_id'])
      const ofUser = found.get(user) ?? []
      ofUser.push(Number(row['id']))
      found.set(user, ofUser)
    }
    return found
  },
}

const integer = (name: string): Column => ({ name, type: 'integer' })
const MEMBERS = [integer('group_item_id'), integer('set_id')] as const

/** Returns the digest that identifies a set of group items, which must be in ascending order. */
export const itemSetDigest = (items: readonly number[]): string =>
  createHash('sha256').update(items.join(',')).digest('hex')

/** Returns SQL for the ids of the group items in a group of rows: ascending, separated by commas. */
export const listOfItems = (column: string): string => `string_agg(cast(${column} as text), ',' order by ${column})`

/** Returns the digest of such a list. */
export const itemListDigest = (list: string): string => itemSetDigest(list.split(',').map(Number))

/** Describes a set of group items, in ascending order. It never changes. */
type ItemSet = { readonly id: number; readonly digest: string; readonly items: readonly number[] }

/**
 * Reads and writes the sets of group items that entries carry; entries with the same items share a set. A set stays
 * after its last entry is deleted, for later entries with the same items.
 */
export const itemSets = {
  /** Finds the id of the set with a digest. */
  find: async (tx: Reader, account: number, digest: string): Promise<number | undefined> => {
    const [row] = await tx.all('select id from item_sets where account_id = ? and digest = ?', [account, digest])
    return row && Number(row['id'])
  },
  insert: async (tx: Writer, account: number, { id, digest, items }: ItemSet): Promise<void> => {
    await tx.run('insert into item_sets (account_id, id, digest) values (?, ?, ?)', [account, id, digest])
    const [ofItem, ofSet] = MEMBERS
    await tx.insertMany(
      'item_set_members',
      items.length,
      [
        { ...ofItem, values: items },
        { ...ofSet, value: id },
      ],
      account,
    )
  },
  /** Returns the ids of the sets that hold a group item. */
  carrying: async (tx: Reader, account: number, item: number): Promise<Set<number>> => {
    const sql = 'select set_id from item_set_members where account_id = ? and group_item_id = ?'
    return new Set((await tx.all(sql, [account, item])).map((row) => Number(row['set_id'])))
  },
  /** Returns which of some sets there are, each with its group items. */
  withIds: async (tx: Reader, account: number, ids: Iterable<number>): Promise<Map<number, number[]>> => {
    const sql = `select set_id, group_item_id from item_set_members where account_id = ? and set_id ${IN_LIST}`
    const found = new Map<number, number[]>()
    for (const row of await tx.all(sql, [account, listOf(ids)])) {
      const id = Number(row['set_id'])
      const items = found.get(id) ?? []
      items.push(Number(row['group_item_id']))
      found.set(id, items)
    }
    return found
  },
  /** Removes the sets that hold a group item; no entry may carry them. */
  removeWith: async (tx: Writer, account: number, item: number): Promise<void> => {
    for (const id of await itemSets.carrying(tx, account, item)) {
      await tx.run('delete from item_set_members where account_id = ? and set_id = ?', [account, id])
      await tx.run('delete from item_sets where account_id = ? and id = ?', [account, id])
    }
  },
}
