import type { Entry } from '../domain/resources/entry.ts'
import type { Client, EntryQuery } from './client.ts'

/** The most entries on a page. */
const PAGE_ROWS = 500

/** All entries that a query selects, a page at a time. */
export async function* entryPages(client: Client, query: Omit<EntryQuery, 'page'>): AsyncGenerator<readonly Entry[]> {
  for (let page = 1; ; page += 1) {
    const entries = await client.entries.list({ ...query, page })
    if (entries.length > 0) yield entries
    if (entries.length < PAGE_ROWS) return
  }
}
