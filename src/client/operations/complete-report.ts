import { formatDay } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../../domain/resources/report-row.ts'
import type { Client, ReportAnswer } from '../client.ts'
import type { ReportRequest } from './queries.ts'

/** Describes how a variant relates users to the rows of a report, which belong to users or to breakdown items. */
type ReportOwners = {
  /** Tells whether rows name users themselves, so that filtering rows by user needs no request. */
  readonly areItems: boolean
  /** Returns a function that tells whether a row belongs to one of these users. */
  readonly rowFilter: (users: Ids) => Promise<(row: ReportRow) => boolean>
  /**
   * Returns the users that cover the whole report, in the order of their rows; undefined if other items may have rows
   * too, so that reports by user would miss them.
   */
  readonly usersToSplit: (wanted: Ids | undefined) => Promise<Ids | undefined>
}

/** Returns a function that fetches once, when first needed. */
const once = <T>(fetch: () => Promise<T>): (() => Promise<T>) => {
  let fetched: Promise<T> | undefined
  return () => (fetched ??= fetch())
}

const classicOwners = (client: Client): ReportOwners => {
  const all = once(async () => (await client.users.list()).map(({ id }) => id))
  return {
    areItems: true,
    rowFilter: (users) => {
      const wanted = new Set(users)
      return Promise.resolve(({ itemId }) => wanted.has(itemId))
    },
    usersToSplit: async (wanted) => (await all()).filter((id) => !wanted || wanted.includes(id)),
  }
}

const newerOwners = (client: Client): ReportOwners => {
  // Two requests, because by default a service may list only items that are not archived.
  const all = once(async () => {
    const items = [
      await client.breakdownItems.list({ archived: false }),
      await client.breakdownItems.list({ archived: true }),
    ]
    return [...new Map(items.flat().map((item) => [item.id, item])).values()]
  })
  const items = once(async () => new Map((await all()).map(({ id, user_id }) => [user_id, id])))
  /** Returns all users; undefined if some items stand for no user. */
  const everybody = async (): Promise<Ids | undefined> => {
    const users = (await all()).map(({ user_id }) => user_id)
    return users.every((user) => user !== null) ? users : undefined
  }
  const itemsOf = async (users: Ids): Promise<Ids> => {
    const known = await items()
    return users.map((user) => {
      const item = known.get(user)
      if (item !== undefined) return item
      // Without the item, the rows of this user are unknown; fail rather than lose them.
      throw new KpiError('unsupported', `the service lists no breakdown item of user ${user}; ask for fewer users`)
    })
  }
  return {
    areItems: false,
    rowFilter: async (users) => {
      const wanted = new Set(await itemsOf(users))
      return ({ itemId }) => wanted.has(itemId)
    },
    usersToSplit: async (wanted) => {
      const users = wanted ?? (await everybody())
      if (!users) return undefined
      const own = await itemsOf(users)
      const pairs = users.map((user, at) => ({ user, item: own[at] ?? NaN }))
      return pairs.toSorted((left, right) => left.item - right.item).map(({ user }) => user)
    },
  }
}

/** Creates the relation of users and rows in the client's variant. */
const reportOwners = (client: Client): ReportOwners =>
  client.variant === 'classic' ? classicOwners(client) : newerOwners(client)

type Ids = readonly number[]

/** Bounds the ids in a request: they go into the URL, which may have 8 KiB. */
const MAX_IDS_PER_REQUEST = 400

const isShort = (ids: Ids | undefined): boolean => ids === undefined || ids.length <= MAX_IDS_PER_REQUEST

/** Tells whether an answer holds all rows: by their number, if the service sends it, else by the limit of a report. */
const isWhole = ({ rows, total }: ReportAnswer): boolean =>
  total === undefined ? rows.length < REPORT_LIMIT : total <= rows.length

const halve = (ids: Ids): [Ids, Ids] => {
  const middle = Math.ceil(ids.length / 2)
  return [ids.slice(0, middle), ids.slice(middle)]
}

const tooLarge = ({ from, groupItemIds }: ReportRequest, users: Ids | undefined): KpiError => {
  const [of, advice] = groupItemIds
    ? [' of one group item', '']
    : users
      ? [' of one user', '']
      : ['', '; a report of named users can be had in parts']
  return new KpiError(
    'too_large',
    `one KPI${of} has more than ${REPORT_LIMIT} rows on ${formatDay(from)}, more than the service gives${advice}`,
  )
}

/**
 * Refuses long lists of group items, and of users beside them: a row of a group item sums the entries of all its
 * users, so these lists cannot be split.
 */
const requireFewNames = ({ userIds, groupItemIds }: ReportRequest): void => {
  if (!groupItemIds || (isShort(userIds) && isShort(groupItemIds))) return
  const most = `at most ${MAX_IDS_PER_REQUEST} of them, and as many users`
  throw new KpiError('unsupported', `a report of group items can name ${most}; ask for fewer at a time`)
}

/** Requests a report. Returns the refusal instead of throwing it if the report is too large for one answer. */
const reportOf = async (client: Client, request: ReportRequest): Promise<ReportAnswer | KpiError> => {
  try {
    return await client.report(request)
  } catch (error) {
    if (error instanceof KpiError && error.code === 'too_large') return error
    throw error
  }
}

/**
 * Reads the whole report of a request, in the report's order. A part that may be incomplete, or that the service
 * refuses as too large, is split by date, then by KPI, then by user or group item. If one day of one KPI and item is
 * still too large, it throws: it never returns an incomplete report.
 */
export async function* completeReport(client: Client, request: ReportRequest): AsyncGenerator<readonly ReportRow[]> {
  requireFewNames(request)
  const owners = reportOwners(client)
  let allKpis: Promise<Ids> | undefined
  /** Returns the KPIs of a part, in the service's order. */
  const kpiIdsOf = async ({ kpiIds }: ReportRequest): Promise<Ids> => {
    allKpis ??= client.kpis.list().then((list) => list.map(({ id }) => id))
    return (await allKpis).filter((id) => !kpiIds || kpiIds.includes(id))
  }

  /** Splits a part; `refusal` is the service's error for the whole part, if it sent one. */
  const split = async (part: ReportRequest, refusal: KpiError | undefined): Promise<readonly ReportRequest[]> => {
    if (part.from < part.to) {
      const to = Math.floor((part.from + part.to) / 2)
      return [
        { ...part, to },
        { ...part, from: to + 1 },
      ]
    }
    const kpis = await kpiIdsOf(part)
    if (kpis.length > 1) return halve(kpis).map((ids) => ({ ...part, kpiIds: ids }))
    const { groupItemIds } = part
    if (groupItemIds && groupItemIds.length > 1) {
      return halve(groupItemIds).map((ids) => ({ ...part, groupItemIds: ids }))
    }
    // A list of users that was too long for the URL still applies.
    const users = groupItemIds ? [] : await owners.usersToSplit(part.userIds ?? request.userIds)
    if (users && users.length > 1) return halve(users).map((ids) => ({ ...part, userIds: ids }))
    throw refusal ?? tooLarge(part, users)
  }
  async function* parts(part: ReportRequest): AsyncGenerator<readonly ReportRow[]> {
    const fits = isShort(part.kpiIds) && isShort(part.userIds)
    const answer = fits ? await reportOf(client, part) : undefined
    const refusal = answer instanceof KpiError ? answer : undefined
    if (answer && !(answer instanceof KpiError) && isWhole(answer)) yield answer.rows
    else for (const half of await split(part, refusal)) yield* parts(half)
  }

  // Leave lists that are too long for a URL out of it, and filter the rows here.
  const { kpiIds, userIds, groupItemIds } = request
  const kpis = new Set(kpiIds)
  const filtersUsers = userIds && !groupItemIds && (owners.areItems || !isShort(userIds))
  const isOfUser = filtersUsers ? await owners.rowFilter(userIds) : (): boolean => true
  const isWanted = (row: ReportRow): boolean => (!kpiIds || kpis.has(row.kpiId)) && isOfUser(row)
  const short = {
    ...request,
    kpiIds: isShort(kpiIds) ? kpiIds : undefined,
    userIds: isShort(userIds) ? userIds : undefined,
    // Sort as the report's rows are sorted.
    groupItemIds: groupItemIds && [...new Set(groupItemIds)].toSorted((left, right) => left - right),
  }
  for await (const rows of parts(short)) yield rows.filter(isWanted)
}
