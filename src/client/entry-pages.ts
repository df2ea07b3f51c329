import { KpiError } from '../domain/errors.ts'
import { ENTRIES_PAGE, type Entry } from '../domain/resources/entry.ts'
import type { Client } from './client.ts'
import type { EntryQuery } from './queries.ts'

/** A stretch of days is read in so many pages or a few more: for each, a service goes through the stretch anew. */
const PAGES_A_STRETCH = 10

/** Whether all entries are of the days that were asked for; where not, the service does not look at them. */
const isWithin = ({ from, to }: Pick<EntryQuery, 'from' | 'to'>, entries: readonly Entry[]): boolean =>
  entries.every(({ entry_date }) => entry_date >= from && entry_date <= to)

/** Answers the first entry of a page, by which the next one is known; pages that are alike would never end. */
const mustGoOn = ([first]: readonly Entry[], before: number | undefined): number | undefined => {
  if (first === undefined || first.id !== before) return first?.id
  throw new KpiError('unavailable', 'the service answers the same page of entries again and again; nothing can be read')
}

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
    let [first, come, isMore]: [number | undefined, number, boolean] = [undefined, 0, true]
    for (let page = 1; isMore; page += 1) {
      const { entries, hasMore } = await client.entries.page({ ...query, from, to, page })
      first = mustGoOn(entries, first)
      const [last] = entries.slice(-1)
      if (last) yield entries
      come += entries.length
      isMore = last !== undefined && (hasMore(come) ?? entries.length === ENTRIES_PAGE)
      // Pages are in the order of days, so that a shorter stretch has the same first page.
      if (page === 1 && last && isMore) {
        // The days before the first entry hold nothing, and say nothing of the others.
        const begins = entries[0]?.entry_date ?? from
        days = isWithin(query, entries) ? (last.entry_date - begins + 1) * PAGES_A_STRETCH : Infinity
        to = Math.min(to, begins + days - 1)
      }
    }
    from = to + 1
  }
}
