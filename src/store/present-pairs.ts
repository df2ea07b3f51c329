import type { Reader } from './db.ts'

/** To look up a pair takes so much less than to visit an entry that this many of them cost as much. */
const PAIRS_AN_ENTRY = 4
/** So few pairs are looked up in no time. */
const FEW_PAIRS = 100_000

/** Ids of items, or of group items, and of KPIs whose entries are looked for. */
export type Pairs = { readonly items: readonly number[]; readonly kpis: readonly number[] }

/** Counts the ids that entries were ever given: there are no more of them. */
const mostEntries = async (tx: Reader, account: number): Promise<number> => {
  const [row] = await tx.all('select max(id) as last from entries where account_id = ?', [account])
  return Number(row?.['last'] ?? 0)
}

/**
 * Leaves out the items and KPIs that no entry has, where far more pairs are asked for than there are entries. Otherwise an
 * account of 100,000 people and as many KPIs would keep a processor busy for hours with one report of a day.
 */
export const presentPairs = async (tx: Reader, account: number, { items, kpis }: Pairs): Promise<Pairs> => {
  const pairs = items.length * kpis.length
  if (pairs <= FEW_PAIRS || pairs <= PAIRS_AN_ENTRY * (await mostEntries(tx, account))) return { items, kpis }
  const [ofItems, ofKpis] = [new Set<number>(), new Set<number>()]
  await tx.each('select item_id, kpi_id from entries where account_id = ?', [account], ([item, kpi]) => {
    ofItems.add(Number(item))
    ofKpis.add(Number(kpi))
  })
  await tx.each('select distinct group_item_id from item_set_members where account_id = ?', [account], ([item]) => {
    ofItems.add(Number(item))
  })
  return { items: items.filter((id) => ofItems.has(id)), kpis: kpis.filter((id) => ofKpis.has(id)) }
}
