import { KpiError } from '../../domain/errors.ts'
import { ENTRIES_PAGE, type Entry } from '../../domain/resources/entry.ts'
import type { Client } from '../client.ts'
import type { EntryPage } from './entries.ts'
import type { EntryQuery } from './queries.ts'

/** Sets the pages of a stretch of days, roughly: for each page, a service goes through the stretch anew. */
const PAGES_A_STRETCH = 10

/** Tells whether all entries are of the days that were asked for; if not, the service ignores them. */
const isWithin = ({ from, to }: Pick<EntryQuery, 'from' | 'to'>, entries: readonly Entry[]): boolean =>
  entries.every(({ entry_date }) => entry_date >= from && entry_date <= to)

/** Returns the error for pages that repeat, which would never end. */
const sameAgain = (): KpiError =>
  new KpiError('unsupported', 'the service answers the same page of entries again and again; nothing can be read')

/** Returns the error for an incomplete page without a next one: what is missing must not be taken for absent. */
const cutOff = (count: number): KpiError =>
  new KpiError(
    'unsupported',
    `the service answers the same ${count} entries for every page, though there are more; its list of entries cannot be read completely`,
  )

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)

/** Refuses an entry whose id or key cannot be read: it would be taken for absent. */
const requireReadable = (entries: readonly Entry[]): void => {
  if (entries.every(({ id, kpi_id, entry_date }) => isWhole(id) && isWhole(kpi_id) && isWhole(entry_date))) return
  throw new KpiError(
    'not_acceptable',
    'the service lists entries that cannot be read, so the existing entries are not known: ids have to be whole numbers, and dates days, such as 2026-03-10 or 2026-03-10T00:00:00',
  )
}

/**
 * Describes what is known of a service's pages: the longest one, whether more came after it, and whether it answers the
 * same page to every number.
 */
type Paging = { longest: number; isCapped: boolean; isOnlyOne: boolean }

const pagings = new WeakMap<Client, Paging>()

const pagingOf = (client: Client): Paging => {
  const known = pagings.get(client) ?? { longest: 0, isCapped: false, isOnlyOne: false }
  pagings.set(client, known)
  return known
}

/**
 * Tells whether there is another page. A third-party service may have shorter pages than ours and not count them: a
 * page that is not shorter than all before it may not be the last.
 */
const isMoreAfter = (client: Client, { entries, hasMore }: EntryPage, come: number): boolean | 'perhaps' => {
  const paging = pagingOf(client)
  const isShort = entries.length < paging.longest
  if (entries.length > paging.longest) Object.assign(paging, { longest: entries.length, isCapped: false })
  const goesOn = hasMore(come)
  if (entries.length === 0 || goesOn !== undefined) return entries.length > 0 && goesOn === true
  if (entries.length === ENTRIES_PAGE || client.isBundled()) return entries.length === ENTRIES_PAGE
  if (isShort) return false
  return paging.isCapped || 'perhaps'
}

/** Tells whether an error means that there is no such page, as some services answer to the one after the last. */
const isNoPage = (error: unknown): boolean =>
  error instanceof KpiError && ['not_found', 'malformed', 'invalid'].includes(error.code)

/**
 * Verifies that a page that comes whatever number is asked for is complete, by asking for less: all days but the first
 * or the last one of it.
 */
const requireAll = async (client: Client, query: EntryQuery, entries: readonly Entry[]): Promise<void> => {
  const days = entries.map(({ entry_date }) => entry_date)
  const [first, last] = [
    days.reduce((one, other) => Math.min(one, other)),
    days.reduce((one, other) => Math.max(one, other)),
  ]
  const parts = [
    { ...query, from: first + 1, page: 1 },
    { ...query, to: last - 1, page: 1 },
  ]
  const lacks = (known: readonly Entry[], seen: readonly Entry[]): boolean => {
    const ids = new Set(known.map(({ id }) => id))
    return seen.some(({ id }) => !ids.has(id))
  }
  for (const part of parts.filter(({ from, to }) => from <= to)) {
    const seen = (await client.entries.page(part)).entries
    if (!lacks(entries, seen)) continue
    // What is on the page now has come meanwhile.
    if (lacks((await client.entries.page(query)).entries, seen)) throw cutOff(entries.length)
  }
}

/** Returns a page that may exist; undefined where it does not, or the service has no pages. */
const pagePerhaps = async (
  client: Client,
  query: EntryQuery,
  before: readonly Entry[],
): Promise<EntryPage | undefined> => {
  if (pagingOf(client).isOnlyOne) {
    await requireAll(client, query, before)
    return undefined
  }
  const page = await client.entries.page(query).catch((error: unknown) => {
    if (isNoPage(error)) return undefined
    throw error
  })
  const first = page?.entries[0]
  if (!page || !first) return undefined
  if (first.id !== before[0]?.id) {
    pagingOf(client).isCapped = true
    return page
  }
  pagingOf(client).isOnlyOne = true
  await requireAll(client, query, before)
  return undefined
}

/**
 * Yields all entries that a query selects, page by page, by day. A range that does not fit a page is read in stretches
 * of days, whose length follows from the pages before.
 */
export async function* entryPages(client: Client, query: Omit<EntryQuery, 'page'>): AsyncGenerator<readonly Entry[]> {
  let { from } = query
  let days = Infinity
  while (from <= query.to) {
    let to = Math.min(query.to, from + days - 1)
    days *= 2
    let [before, come]: [readonly Entry[], number] = [[], 0]
    let isMore: boolean | 'perhaps' = true
    for (let page = 1; isMore; page += 1) {
      const asked = { ...query, from, to, page }
      const got: EntryPage | undefined =
        isMore === 'perhaps' ? await pagePerhaps(client, asked, before) : await client.entries.page(asked)
      if (!got) break
      const entries: readonly Entry[] = got.entries
      requireReadable(entries)
      if (entries[0] && entries[0].id === before[0]?.id) throw sameAgain()
      before = entries
      const [last] = entries.slice(-1)
      if (last) yield entries
      come += entries.length
      isMore = isMoreAfter(client, got, come)
      // Pages are in the order of days, so that a shorter stretch has the same first page.
      if (page === 1 && last && isMore === true) {
        // The days before the first entry hold nothing, and say nothing of the others.
        const begins = entries[0]?.entry_date ?? from
        days = isWithin(query, entries) ? (last.entry_date - begins + 1) * PAGES_A_STRETCH : Infinity
        to = Math.min(to, begins + days - 1)
      }
    }
    from = to + 1
  }
}
