import { formatDay } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../../domain/resources/report-row.ts'
import type { Client, ReportAnswer } from '../client.ts'
import type { ReportRequest } from './queries.ts'

/** Describes whose the rows of a report are: users in the classic interface, breakdown items in the newer one. */
type ReportPeople = {
  /** Tells that users are items themselves, so that no request is needed to know their rows. */
  readonly areItems: boolean
  /** Returns a test for rows of these users. */
  readonly rowsOf: (users: Ids) => Promise<(row: ReportRow) => boolean>
  /**
   * Returns the users whose rows make up the whole, in the order of their rows; undefined where other items may have
   * rows, so that users would not make up the whole.
   */
  readonly split: (wanted: Ids | undefined) => Promise<Ids | undefined>
}

/** Returns a function that fetches once, when first needed. */
const once = <T>(fetch: () => Promise<T>): (() => Promise<T>) => {
  let fetched: Promise<T> | undefined
  return () => (fetched ??= fetch())
}

const classicPeople = (client: Client): ReportPeople => {
  const all = once(async () => (await client.users.list()).map(({ id }) => id))
  return {
    areItems: true,
    rowsOf: (users) => {
      const wanted = new Set(users)
      return Promise.resolve(({ itemId }) => wanted.has(itemId))
    },
    split: async (wanted) => (await all()).filter((id) => !wanted || wanted.includes(id)),
  }
}

const newerPeople = (client: Client): ReportPeople => {
  // Asked for one after the other, as a service may leave out what is archived where nothing is said of that.
  const all = once(async () => {
    const items = [
      await client.breakdownItems.list({ archived: false }),
      await client.breakdownItems.list({ archived: true }),
    ]
    return [...new Map(items.flat().map((item) => [item.id, item])).values()]
  })
  const items = once(async () => new Map((await all()).map(({ id, user_id }) => [user_id, id])))
  /** Returns all users, where there are no items but people. */
  const everybody = async (): Promise<Ids | undefined> => {
    const users = (await all()).map(({ user_id }) => user_id)
    return users.every((user) => user !== null) ? users : undefined
  }
  const itemsOf = async (users: Ids): Promise<Ids> => {
    const known = await items()
    return users.map((user) => {
      const item = known.get(user)
      if (item !== undefined) return item
      // Which rows are theirs cannot be known, and none may be lost.
      throw new KpiError('unsupported', `the service lists no breakdown item of user ${user}; ask for fewer users`)
    })
  }
  return {
    areItems: false,
    rowsOf: async (users) => {
      const wanted = new Set(await itemsOf(users))
      return ({ itemId }) => wanted.has(itemId)
    },
    split: async (wanted) => {
      const users = wanted ?? (await everybody())
      if (!users) return undefined
      const own = await itemsOf(users)
      const pairs = users.map((user, at) => ({ user, item: own[at] ?? NaN }))
      return pairs.toSorted((left, right) => left.item - right.item).map(({ user }) => user)
    },
  }
}

/** Creates what tells whose the rows of a report are, in the variant of the client. */
const reportPeople = (client: Client): ReportPeople =>
  client.variant === 'classic' ? classicPeople(client) : newerPeople(client)

type Ids = readonly number[]

/** Bounds the ids in a request: they go into the URL, which has 8 KiB. */
const IDS_A_REQUEST = 400

const isShort = (ids: Ids | undefined): boolean => ids === undefined || ids.length <= IDS_A_REQUEST

/** Tells whether an answer holds all rows: the service says so, or it is under the cap. */
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
 * Refuses long lists of group items: a row of one is made of the entries of all its users at once, so the lists cannot
 * be split.
 */
const requireFewNames = ({ userIds, groupItemIds }: ReportRequest): void => {
  if (!groupItemIds || (isShort(userIds) && isShort(groupItemIds))) return
  const most = `at most ${IDS_A_REQUEST} of them, and as many users`
  throw new KpiError('unsupported', `a report of group items can name ${most}; ask for fewer at a time`)
}

/** Asks for a report, and returns it, or why it was refused where its notes are too long for one answer. */
const reportOf = async (client: Client, request: ReportRequest): Promise<ReportAnswer | KpiError> => {
  try {
    return await client.report(request)
  } catch (error) {
    if (error instanceof KpiError && error.code === 'too_large') return error
    throw error
  }
}

/**
 * Reads the whole report of a request, part by part, in the report's order: a part that may be cut, or is refused as
 * too large, is split by date, then by KPI, then by user or group item. A single day, KPI and item that is still too
 * large is an error: a report is never short.
 */
export async function* completeReport(client: Client, request: ReportRequest): AsyncGenerator<readonly ReportRow[]> {
  requireFewNames(request)
  const people = reportPeople(client)
  let allKpis: Promise<Ids> | undefined
  /** Returns the KPIs of a part, in the order of the service. */
  const kpiIdsOf = async ({ kpiIds }: ReportRequest): Promise<Ids> => {
    allKpis ??= client.kpis.list().then((list) => list.map(({ id }) => id))
    return (await allKpis).filter((id) => !kpiIds || kpiIds.includes(id))
  }

  /** Splits a part; `refusal` is why the service does not give it whole, where it says so. */
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
    // Users who were left out of the address for their number are still all that is wanted.
    const users = groupItemIds ? [] : await people.split(part.userIds ?? request.userIds)
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

  // Lists that are too long for an address are left out of it, and the rows narrowed here.
  const { kpiIds, userIds, groupItemIds } = request
  const kpis = new Set(kpiIds)
  const isNarrowed = userIds && !groupItemIds && (people.areItems || !isShort(userIds))
  const isOfUser = isNarrowed ? await people.rowsOf(userIds) : (): boolean => true
  const isWanted = (row: ReportRow): boolean => (!kpiIds || kpis.has(row.kpiId)) && isOfUser(row)
  const short = {
    ...request,
    kpiIds: isShort(kpiIds) ? kpiIds : undefined,
    userIds: isShort(userIds) ? userIds : undefined,
    // In the order of the report's rows.
    groupItemIds: groupItemIds && [...new Set(groupItemIds)].toSorted((left, right) => left - right),
  }
  for await (const rows of parts(short)) yield rows.filter(isWanted)
}
