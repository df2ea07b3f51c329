import { createHash } from 'node:crypto'
import type { Column, Reader, Writer } from './db.ts'

const integer = (name: string): Column => ({ name, type: 'integer' })
const MEMBERS = ['account_id', 'group_item_id', 'set_id'].map(integer)

/** The digest by which a set of group items is found; they are given ascending. */
export const digestOf = (items: readonly number[]): string => createHash('sha256').update(items.join(',')).digest('hex')

/** The ids of the group items in a group of rows, as SQL gives them: ascending, with commas between. */
export const listOfItems = (column: string): string => `string_agg(cast(${column} as text), ',' order by ${column})`

/** The digest of a list that SQL has given. */
export const digestOfList = (list: string): string => digestOf(list.split(',').map(Number))

/** A set of group items, ascending. It never changes. */
export type ItemSet = { readonly id: number; readonly digest: string; readonly items: readonly number[] }

/**
 * The sets of group items that entries carry: one row for all entries that carry the same. A set stays when the last
 * entry that carries it is gone, and serves the next one.
 */
export const itemSets = {
  /** Finds the set with a digest. */
  find: async (tx: Reader, account: number, digest: string): Promise<number | undefined> => {
    const [row] = await tx.all('select id from item_sets where account_id = ? and digest = ?', [account, digest])
    return row && Number(row['id'])
  },
  insert: async (tx: Writer, account: number, { id, digest, items }: ItemSet): Promise<void> => {
    await tx.run('insert into item_sets (account_id, id, digest) values (?, ?, ?)', [account, id, digest])
    await tx.insertMany(
      'item_set_members',
      MEMBERS,
      items.map((item) => [account, item, id]),
    )
  },
  /** Removes the sets that hold a group item, which no entry carries. */
  removeWith: async (tx: Writer, account: number, item: number): Promise<void> => {
    const held = 'select set_id from item_set_members where account_id = ? and group_item_id = ?'
    const ids = (await tx.all(held, [account, item])).map((row) => Number(row['set_id']))
    for (const id of ids) {
      await tx.run('delete from item_set_members where account_id = ? and set_id = ?', [account, id])
      await tx.run('delete from item_sets where account_id = ? and id = ?', [account, id])
    }
  },
}
