import { formatDay } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../domain/resources/report-row.ts'
import type { Client, ReportAnswer, ReportRequest } from './client.ts'

type Ids = readonly number[]

/** Ids go into the address, which has 8 KiB. */
const IDS_A_REQUEST = 400

const isShort = (ids: Ids | undefined): boolean => ids === undefined || ids.length <= IDS_A_REQUEST

/** Whether an answer holds all rows: the service says so, or it is under the cap. */
const isWhole = ({ rows, total }: ReportAnswer): boolean =>
  total === undefined ? rows.length < REPORT_LIMIT : total <= rows.length

const halve = (ids: Ids): [Ids, Ids] => {
  const middle = Math.ceil(ids.length / 2)
  return [ids.slice(0, middle), ids.slice(middle)]
}

/** The ids of a kind in the service's order, narrowed to those that are wanted; fetched when first needed. */
const createIds = (
  fetch: () => Promise<readonly { readonly id: number }[]>,
): ((wanted: Ids | undefined) => Promise<Ids>) => {
  let all: Promise<Ids> | undefined
  return async (wanted) => {
    all ??= fetch().then((list) => list.map(({ id }) => id))
    return (await all).filter((id) => !wanted || wanted.includes(id))
  }
}

const tooLarge = ({ from }: ReportRequest): KpiError =>
  new KpiError(
    'unsupported',
    `one KPI of one user has more than ${REPORT_LIMIT} rows on ${formatDay(from)}, more than the service gives`,
  )

/**
 * The whole report of a request, a part at a time, in the report's order: a part that may be cut is split by date, then
 * by KPI, then by user, until none is (command line, section 7). A single day, KPI and user that is still too large is
 * an error: never a short report.
 */
export async function* completeReport(client: Client, request: ReportRequest): AsyncGenerator<readonly ReportRow[]> {
  const kpiIdsOf = createIds(client.kpis.list)
  const userIdsOf = createIds(client.users.list)

  const split = async (part: ReportRequest): Promise<readonly ReportRequest[]> => {
    if (part.from < part.to) {
      const to = Math.floor((part.from + part.to) / 2)
      return [
        { ...part, to },
        { ...part, from: to + 1 },
      ]
    }
    const kpiIds = await kpiIdsOf(part.kpiIds)
    if (kpiIds.length > 1) return halve(kpiIds).map((ids) => ({ ...part, kpiIds: ids }))
    const userIds = await userIdsOf(part.userIds)
    if (userIds.length > 1) return halve(userIds).map((ids) => ({ ...part, userIds: ids }))
    throw tooLarge(part)
  }
  async function* parts(part: ReportRequest): AsyncGenerator<readonly ReportRow[]> {
    const fits = isShort(part.kpiIds) && isShort(part.userIds)
    const answer = fits ? await client.report(part) : undefined
    if (answer && isWhole(answer)) yield answer.rows
    else for (const half of await split(part)) yield* parts(half)
  }

  // Lists that are too long for an address are left out of it, and the rows narrowed here.
  const { kpiIds, userIds } = request
  const [kpis, users] = [new Set(kpiIds), new Set(userIds)]
  const isWanted = ({ kpiId, itemId }: ReportRow): boolean =>
    (!kpiIds || kpis.has(kpiId)) && (!userIds || users.has(itemId))
  const short = {
    ...request,
    kpiIds: isShort(kpiIds) ? kpiIds : undefined,
    userIds: isShort(userIds) ? userIds : undefined,
  }
  for await (const rows of parts(short)) yield rows.filter(isWanted)
}
