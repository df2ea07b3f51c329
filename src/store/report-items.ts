import type { Reader } from './db.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { PEOPLE } from './users.ts'

/** Those of some group items that there are, with their names. People are none. */
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
