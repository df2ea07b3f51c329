import { filledColumns, type Writer } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { itemSetDigest, itemSets, listOfItems } from '../tables/item-sets.ts'

/** Creates tables for the list of group items of each entry, and for each distinct list with the id of its set. */
const temporaryTables = ({ integer }: Dialect): readonly string[] => [
  `create table entry_lists as select account_id, item_id, kpi_id, entry_date, ${listOfItems('group_item_id')} as list
   from entry_items group by account_id, item_id, kpi_id, entry_date`,
  `create table set_lists (account_id ${integer} not null, id ${integer} not null, list text not null)`,
]

const POINT_TO_SETS = `update entries set item_set = s.id
  from entry_lists l join set_lists s on s.account_id = l.account_id and s.list = l.list
  where entries.account_id = l.account_id and entries.item_id = l.item_id
    and entries.kpi_id = l.kpi_id and entries.entry_date = l.entry_date`

const COUNTERS = `insert into counters (account_id, name, last)
  select account_id, 'item_sets', max(id) from item_sets group by account_id`

const SET_LISTS = [
  { name: 'account_id', type: 'integer' },
  { name: 'id', type: 'integer' },
  { name: 'list', type: 'text' },
] as const

/** Creates a set for each distinct list, numbered from 1 in each account. */
const makeSets = async (tx: Writer): Promise<void> => {
  const last = new Map<number, number>()
  const lists = await tx.all('select distinct account_id, list from entry_lists order by account_id, list')
  for (const row of lists) {
    const [account, list] = [Number(row['account_id']), String(row['list'])]
    const id = (last.get(account) ?? 0) + 1
    last.set(account, id)
    const items = list.split(',').map(Number)
    await itemSets.insert(tx, account, { id, digest: itemSetDigest(items), items })
    await tx.insertMany('set_lists', 1, filledColumns(SET_LISTS, [[account, id, list]]))
  }
}

/** Creates sets of the group items that entries carry one by one, and points the entries to them. */
export const collectItemSets =
  (dialect: Dialect) =>
  async (tx: Writer): Promise<void> => {
    for (const statement of temporaryTables(dialect)) await tx.run(statement)
    await makeSets(tx)
    for (const statement of [POINT_TO_SETS, COUNTERS]) await tx.run(statement)
    for (const table of ['entry_lists', 'set_lists']) await tx.run(`drop table ${table}`)
  }
