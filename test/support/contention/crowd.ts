import type { Client } from '../../../src/client/client.ts'
import { type Counter, takeIds } from '../../../src/store/tables/table.ts'
import type { Db, Writer } from '../../../src/store/db.ts'
import { userNamed } from '../import.ts'

/** What differs between the copies of a row, as SQL of `n.i`, the id of a copy. */
type Copied = Readonly<Record<string, string>>

const ID: Copied = { id: 'n.i' }
const ADDRESS = "'crowd' || n.i || '@example.com'"

/** Copies a row of an account to a range of ids. */
const copyRow = async (
  tx: Writer,
  [table, account, id]: readonly [table: string, account: number, id: number],
  [first, last]: readonly [first: number, last: number],
  copied: Copied,
): Promise<void> => {
  const [row = {}] = await tx.all(`select * from ${table} where account_id = ? and id = ?`, [account, id])
  const columns = Object.keys(row)
  await tx.run(
    `with recursive n (i) as (select ${first} union all select i + 1 from n where i < ${last})
     insert into ${table} (${columns.join(', ')})
     select ${columns.map((name) => copied[name] ?? `o.${name}`).join(', ')}
     from n cross join (select * from ${table} where account_id = ? and id = ?) o`,
    [account, id],
  )
}

const takeRange = async (
  tx: Writer,
  account: number,
  counter: Counter,
  count: number,
): Promise<readonly [first: number, last: number]> => {
  const first = await takeIds(tx, account, counter, count)
  return [first, first + count - 1]
}

/** Gives an account as many people and as many KPIs, copies of one that it has: to send each would take hours. */
export const addCrowd = async (db: Db, account: number, client: Client, kpi: number, count: number): Promise<void> => {
  const { id: user } = await client.users.add(userNamed('Ann'))
  await db.write(async (tx) => {
    await copyRow(tx, ['kpis', account, kpi], await takeRange(tx, account, 'kpis', count), ID)
    const people = await takeRange(tx, account, 'items', count)
    await copyRow(tx, ['items', account, user], people, { ...ID, user_id: 'n.i' })
    await copyRow(tx, ['users', account, user], people, { ...ID, email: ADDRESS, email_key: ADDRESS })
  })
}
