import { ENTRIES_PAGE, type Entry } from '../domain/resources/entry.ts'
import type { Client } from './client.ts'
import type { EntryQuery } from './queries.ts'

/** A stretch of days is read in so many pages or a few more: for each, a service goes through the stretch anew. */
const PAGES_A_STRETCH = 10

/**
 * All entries that a query selects, a page at a time, by day. A range that does not fit on a page is read in stretches
 * of days; how long they are is taken from how many days the pages before them held.
 */
export async function* entryPages(client: Client, query: Omit<EntryQuery, 'page'>): AsyncGenerator<readonly Entry[]> {
  let { from } = query
  let days = Infinity
  while (from <= query.to) {
    let to = Math.min(query.to, from + days - 1)
    days *= 2
    for (let page = 1, rows = ENTRIES_PAGE; rows === ENTRIES_PAGE; page += 1) {
      const entries = await client.entries.list({ ...query, from, to, page })
      const [last] = entries.slice(-1)
      if (last) yield entries
      rows = entries.length
      // Pages are in the order of days, so that a shorter stretch has the same first page.
      if (page === 1 && last && rows === ENTRIES_PAGE) {
        days = (last.entry_date - from + 1) * PAGES_A_STRETCH
        to = Math.min(to, from + days - 1)
      }
    }
    from = to + 1
  }
}
