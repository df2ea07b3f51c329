import { formatDay } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { REPORT_LIMIT } from '../../../domain/resources/report-row.ts'
import type { Client, ReportAnswer } from '../../client.ts'
import type { ReportRequest } from '../queries.ts'
import { once, type ReportOwners, reportOwners } from './owners.ts'

export type Ids = readonly number[]

/** Bounds the ids in a request: they go into the URL, which may have 8 KiB. */
export const MAX_IDS_PER_REQUEST = 400

export const isShort = (ids: Ids | undefined): boolean => ids === undefined || ids.length <= MAX_IDS_PER_REQUEST

/** Tells whether an answer holds all rows: by their number, if the service sends it, else by the limit of a report. */
export const isWhole = ({ rows, total }: ReportAnswer): boolean =>
  total === undefined ? rows.length < REPORT_LIMIT : total <= rows.length

/** Tells whether the rows of an answer go from day to day. */
export const isSortedByDay = ({ rows }: ReportAnswer): boolean =>
  rows.every(({ entryDate }, at) => entryDate >= (rows[at - 1]?.entryDate ?? entryDate))

/** Describes what reading a report in parts goes by. */
export type Reading = {
  /** Holds what is wanted, as the caller asked. */
  readonly wanted: ReportRequest
  /** Holds what to ask for: without the lists that are too long for a URL. */
  readonly request: ReportRequest
  readonly owners: ReportOwners
  /** Asks for a part. Returns the refusal instead of throwing it if the part is too large for one answer. */
  readonly ask: (part: ReportRequest) => Promise<ReportAnswer | KpiError>
  /** Bounds the rows in one answer. */
  readonly most: number
  /** Tells whether the service runs in this process, where requests are not counted. */
  readonly isInProcess: boolean
  /** Returns the ids of all KPIs, in the order of the report's rows. */
  readonly kpis: () => Promise<Ids>
  /** Tells whether that list is known already. */
  readonly areKpisKnown: () => boolean
  /** Tells whether the answers come from the bundled service. */
  readonly isBundled: () => boolean
  /** Refuses all further requests, as nobody reads their answers any more. */
  readonly stop: () => void
}

/** Creates the way to read a report in parts. */
export const createReading = (client: Client, wanted: ReportRequest): Reading => {
  let [isStopped, areKpisKnown] = [false, false]
  const { kpiIds, userIds, groupItemIds } = wanted
  const request: ReportRequest = {
    ...wanted,
    kpiIds: isShort(kpiIds) ? kpiIds : undefined,
    userIds: isShort(userIds) ? userIds : undefined,
    // Sort as the report's rows are sorted.
    groupItemIds: groupItemIds && [...new Set(groupItemIds)].toSorted((left, right) => left - right),
  }
  const kpis = once(async () => {
    const list = await client.kpis.list()
    areKpisKnown = true
    return list.toSorted((a, b) => a.sort_order - b.sort_order || a.id - b.id).map(({ id }) => id)
  })
  const ask = async (part: ReportRequest): Promise<ReportAnswer | KpiError> => {
    if (isStopped) throw new KpiError('internal', 'nobody reads the rest of this report')
    try {
      return await client.report(part)
    } catch (error) {
      if (error instanceof KpiError && error.code === 'too_large') return error
      throw error
    }
  }
  return {
    wanted,
    request,
    owners: reportOwners(client),
    ask,
    most: client.reportRows,
    isInProcess: client.reportRows > REPORT_LIMIT,
    kpis,
    areKpisKnown: () => areKpisKnown,
    isBundled: client.isBundled,
    stop: () => (isStopped = true),
  }
}

/** Returns the KPIs of a part, in the order of its rows. */
export const kpisOf = async ({ kpis }: Reading, ids: Ids | undefined): Promise<Ids> => {
  const asked = ids && new Set(ids)
  return (await kpis()).filter((id) => !asked || asked.has(id))
}

/** Returns the error of a part that cannot be split further; `answer` is what the service gave for it. */
export const tooLarge = (
  { from, groupItemIds }: ReportRequest,
  areUsersKnown: boolean,
  answer?: ReportAnswer,
): KpiError => {
  if (answer?.total !== undefined && answer.rows.length > 0 && answer.rows.length < REPORT_LIMIT) {
    return new KpiError(
      'not_acceptable',
      `the service counts ${answer.total} rows of one KPI on ${formatDay(from)} in X-Total-Count, and gives ${answer.rows.length}; its count is wrong, or it leaves rows out`,
    )
  }
  const [of, advice] = groupItemIds
    ? [' of one group item', '']
    : areUsersKnown
      ? [' of one user', '']
      : ['', '; a report of named users can be had in parts']
  return new KpiError(
    'too_large',
    `one KPI${of} has more than ${REPORT_LIMIT} rows on ${formatDay(from)}, more than the service gives${advice}`,
  )
}
