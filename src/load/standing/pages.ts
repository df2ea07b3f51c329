import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/entry-pages.ts'
import type { EntryQuery } from '../../client/queries.ts'
import { ENTRIES_PAGE, type Entry } from '../../domain/resources/entry.ts'
import { type Extent, type Footprint, seriesOf, stretchesOf, type Wanted } from './footprint.ts'
import { ownerOf } from '../owner.ts'

/** Takes what is stored, with its owner. */
export type EntrySink = (entry: Entry, owner: number) => void

type PageQuery = Omit<EntryQuery, 'page'>

/** A way to ask for entries, and how many requests that takes where no more is stored than is wanted. */
type Plan = { readonly requests: number; readonly queries: () => Iterable<PageQuery> }

const ofOwner = (owner: number): Pick<EntryQuery, 'userId' | 'sourceId'> =>
  owner < 0 ? { sourceId: -owner } : { userId: owner }

const requestsFor = (rows: number): number => 1 + Math.floor(rows / ENTRIES_PAGE)

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0)

/** What all queries may be narrowed by. */
const shared = ({ owners, kpis }: Footprint): Partial<PageQuery> => {
  const [[owner], [kpi]] = [[...owners.keys()], [...kpis.keys()]]
  return {
    ...(owners.size === 1 && owner !== undefined && ofOwner(owner)),
    ...(kpis.size === 1 && kpi !== undefined && { kpiId: kpi }),
  }
}

const byEach = (extents: ReadonlyMap<number, Extent>, narrow: (id: number) => Partial<PageQuery>): Plan => ({
  requests: sum([...extents.values()].map(({ count }) => requestsFor(count))),
  queries: () => [...extents].map(([id, { from, to }]) => ({ from, to, ...narrow(id) })),
})

/** The ways to ask, those first that ask least where nothing but what is wanted is stored. */
const plansFor = ({ drafts, footprint }: Wanted): Plan[] => {
  const { owners, kpis, series, count } = footprint
  const all = shared(footprint)
  const stretches = stretchesOf(footprint, ENTRIES_PAGE)
  const whole: Plan = {
    requests: sum(stretches.map((one) => requestsFor(one.count))),
    queries: () => stretches.map(({ from, to }) => ({ from, to, ...all })),
  }
  const bySeries: Plan = {
    requests: series + Math.floor(count / ENTRIES_PAGE),
    queries: function* () {
      for (const { owner, kpi, from, to } of seriesOf(drafts())) yield { from, to, ...ofOwner(owner), kpiId: kpi }
    },
  }
  const parts = [
    ...(owners.size > 1 ? [byEach(owners, (id) => ({ ...all, ...ofOwner(id) }))] : []),
    ...(kpis.size > 1 ? [byEach(kpis, (id) => ({ ...all, kpiId: id }))] : []),
    ...(series > 1 ? [bySeries] : []),
  ]
  return [whole, ...parts.toSorted((left, right) => left.requests - right.requests)]
}

/** Whether an entry was not asked for: the service does not know the filters, so that it is of no use to narrow them. */
const isAstray = ({ from, to, userId, sourceId, kpiId }: PageQuery, entry: Entry): boolean =>
  entry.entry_date < from ||
  entry.entry_date > to ||
  (userId !== undefined && entry.user_id !== userId) ||
  (sourceId !== undefined && entry.source_id !== sourceId) ||
  (kpiId !== undefined && entry.kpi_id !== kpiId)

/** Follows a plan within so many requests; false where that was not enough. */
const follow = async (
  client: Client,
  { queries }: Plan,
  most: number,
  visit: (entry: Entry) => void,
): Promise<boolean> => {
  const before = client.requests()
  let isLimited = true
  for (const query of queries()) {
    for await (const page of entryPages(client, query)) {
      page.forEach(visit)
      isLimited &&= !page.some((entry) => isAstray(query, entry))
      if (isLimited && client.requests() - before > most) return false
    }
  }
  return true
}

/**
 * Reads what is stored of drafts from the list of entries, in few requests: first as if nothing else were stored, and
 * where there is so much else that asking for less at a time would have been done by then, that way. An entry may be
 * visited more than once. What was not asked for, of a service that does not know the filters, is left out.
 */
export const readPages = async (client: Client, wanted: Wanted, visit: EntrySink): Promise<void> => {
  const { owners, kpis, days, count } = wanted.footprint
  if (count === 0) return
  const visitWanted = (entry: Entry): void => {
    const owner = ownerOf(entry)
    if (owners.has(owner) && kpis.has(entry.kpi_id) && days.has(entry.entry_date)) visit(entry, owner)
  }
  const plans = plansFor(wanted)
  for (const [at, plan] of plans.entries()) {
    const most = plans[at + 1]?.requests ?? Infinity
    if (await follow(client, plan, Math.max(most, plan.requests), visitWanted)) return
  }
}
