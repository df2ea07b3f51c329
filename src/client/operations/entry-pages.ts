import { KpiError } from '../../domain/errors.ts'
import { ENTRIES_PAGE, type Entry } from '../../domain/resources/entry.ts'
import type { Client } from '../client.ts'
import type { EntryPage } from './entries.ts'
import type { EntryQuery } from './queries.ts'

/** Sets about how many pages a range of days should have: for each page, a service scans the whole range. */
const PAGES_PER_RANGE = 10

/** Tells whether all entries lie within the requested days; if not, the service ignores the filter. */
const isWithin = ({ from, to }: Pick<EntryQuery, 'from' | 'to'>, entries: readonly Entry[]): boolean =>
  entries.every(({ entry_date }) => entry_date >= from && entry_date <= to)

/** Returns the error for a page that repeats the one before: reading would never end. */
const repeatedPageError = (): KpiError =>
  new KpiError('unsupported', 'the service answers the same page of entries again and again; nothing can be read')

/** Returns the error for a page that is incomplete and has no next one. Importing would take the rest for absent. */
const incompletePageError = (count: number): KpiError =>
  new KpiError(
    'unsupported',
    `the service answers the same ${count} entries for every page, though there are more; its list of entries cannot be read completely`,
  )

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)

/** Refuses entries with an unreadable id or key, which importing would take for absent. */
const requireReadable = (entries: readonly Entry[]): void => {
  if (entries.every(({ id, kpi_id, entry_date }) => isWhole(id) && isWhole(kpi_id) && isWhole(entry_date))) return
  throw new KpiError(
    'not_acceptable',
    'the service lists entries that cannot be read, so the existing entries are not known: ids have to be whole numbers, and dates days, such as 2026-03-10 or 2026-03-10T00:00:00',
  )
}

/**
 * Describes what is known of a service's pages: the longest one, whether another one came after it, and whether the
 * service sends the same page for every page number.
 */
type Paging = { longest: number; isCapped: boolean; isOnlyOne: boolean }

const pagings = new WeakMap<Client, Paging>()

const pagingOf = (client: Client): Paging => {
  const known = pagings.get(client) ?? { longest: 0, isCapped: false, isOnlyOne: false }
  pagings.set(client, known)
  return known
}

/**
 * Tells whether there is another page. A third-party service may have shorter pages than ours, and not say how many
 * there are. So a page as long as the longest one may have a next one.
 */
const isMoreAfter = (client: Client, { entries, hasMore }: EntryPage, received: number): boolean | 'perhaps' => {
  const paging = pagingOf(client)
  const isShort = entries.length < paging.longest
  if (entries.length > paging.longest) Object.assign(paging, { longest: entries.length, isCapped: false })
  const goesOn = hasMore(received)
  if (entries.length === 0 || goesOn !== undefined) return entries.length > 0 && goesOn === true
  if (entries.length === ENTRIES_PAGE || client.isBundled()) return entries.length === ENTRIES_PAGE
  if (isShort) return false
  return paging.isCapped || 'perhaps'
}

/** Tells whether an error may mean that there is no such page: some services answer so after the last one. */
const isNoPage = (error: unknown): boolean =>
  error instanceof KpiError && ['not_found', 'malformed', 'invalid'].includes(error.code)

/**
 * Checks that a page is complete although the service ignores `page`: requests fewer days, without the first or the
 * last day of the page, and compares.
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
    // Entries that are on the page now were added meanwhile.
    if (lacks((await client.entries.page(query)).entries, seen)) throw incompletePageError(entries.length)
  }
}

/** Returns the next page, which may not exist; undefined if it does not, or the service has no pages. */
const fetchPossiblePage = async (
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
 * Yields all entries that a query selects, from the bundled service: each page begins after the last entry of the page
 * before, and is asked of about as many days as that had, so that a page costs the same wherever it lies.
 */
async function* pagesInTurn(client: Client, query: Omit<EntryQuery, 'page'>): AsyncGenerator<readonly Entry[]> {
  const longest = client.entriesPage
  const rows = longest === ENTRIES_PAGE ? undefined : longest
  let { from } = query
  let after: number | undefined
  let days = Infinity
  while (from <= query.to) {
    const to = Math.min(query.to, from + days - 1)
    const { entries } = await client.entries.page({ ...query, from, to, after, rows })
    requireReadable(entries)
    const [first, last] = [entries[0], entries.at(-1)]
    if (first && after !== undefined && first.entry_date === from && first.id <= after) throw repeatedPageError()
    if (first) yield entries
    if (first && last && entries.length >= longest) {
      days = last.entry_date - first.entry_date + 2
      ;[from, after] = [last.entry_date, last.id]
    } else {
      days *= 2
      ;[from, after] = [to + 1, undefined]
    }
  }
}

/**
 * Yields all entries that a query selects, page by page, in the order of days. Splits a range that does not fit one
 * page into shorter ranges of days, whose length follows from the density of the pages before.
 */
export async function* entryPages(client: Client, query: Omit<EntryQuery, 'page'>): AsyncGenerator<readonly Entry[]> {
  let { from } = query
  let days = Infinity
  while (from <= query.to) {
    if (client.isBundled()) return yield* pagesInTurn(client, { ...query, from })
    let to = Math.min(query.to, from + days - 1)
    days *= 2
    let [before, received]: [readonly Entry[], number] = [[], 0]
    let isMore: boolean | 'perhaps' = true
    let isRepeated = false
    for (let page = 1; isMore; page += 1) {
      const asked = { ...query, from, to, page }
      const got: EntryPage | undefined =
        isMore === 'perhaps' ? await fetchPossiblePage(client, asked, before) : await client.entries.page(asked)
      if (!got) break
      const entries: readonly Entry[] = got.entries
      requireReadable(entries)
      if (entries[0] && entries[0].id === before[0]?.id) {
        // Ask for one page more: a whole page of entries may have been stored before this one meanwhile.
        if (isRepeated) throw repeatedPageError()
        isRepeated = true
        continue
      }
      isRepeated = false
      before = entries
      const [last] = entries.slice(-1)
      if (last) yield entries
      received += entries.length
      isMore = isMoreAfter(client, got, received)
      // Pages are in the order of days, so a shorter range has the same first page.
      if (page === 1 && last && isMore === true) {
        // Skip the empty days before the first entry: they say nothing about the density of the others.
        const firstDay = entries[0]?.entry_date ?? from
        days = isWithin(query, entries) ? (last.entry_date - firstDay + 1) * PAGES_PER_RANGE : Infinity
        to = Math.min(to, firstDay + days - 1)
      }
    }
    from = to + 1
  }
}
