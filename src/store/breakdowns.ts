import { group } from '../domain/resources/group.ts'
import type { Breakdown } from '../domain/resources/breakdown.ts'
import type { Reader } from './db.ts'
import { table } from './table.ts'

const rows = table('breakdowns', group)

/** How many items each breakdown has, and how many of them are archived; those without items are left out. */
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

/** All breakdowns of an account, that of the people too, with what is in them. */
export const listBreakdowns = async (tx: Reader, account: number): Promise<Breakdown[]> => {
  const counts = await countItems(tx, account)
  return (await rows.list(tx, account)).map((one) => ({ ...one, items: 0, archived_items: 0, ...counts.get(one.id) }))
}
