import type { Writer } from './db.ts'

/** The kinds of ids that an account counts. People are items too: a user's id is the id of their item. */
export type Counter = 'breakdowns' | 'items' | 'categories' | 'units' | 'kpis' | 'entries' | 'keys' | 'item_sets'

/** Takes the next `count` ids of a kind and answers the first of them. An id is never given twice. */
export const takeIds = async (tx: Writer, account: number, counter: Counter, count = 1): Promise<number> => {
  const [row] = await tx.all(
    `insert into counters (account_id, name, last) values (?, ?, ?)
     on conflict (account_id, name) do update set last = counters.last + excluded.last returning last`,
    [account, counter, count],
  )
  return Number(row?.['last']) - count + 1
}
