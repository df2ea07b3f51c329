import { type Day, formatDay } from '../../domain/day.ts'

/** Which entries to list; both days are included. */
export type EntryQuery = {
  readonly from: Day
  readonly to: Day
  readonly userId?: number | undefined
  /** The breakdown item that they belong to; only the newer variant knows this filter. */
  readonly sourceId?: number | undefined
  readonly kpiId?: number | undefined
  /** From 1; a page has at most `ENTRIES_PAGE` entries. */
  readonly page?: number
}

/** Which breakdown items to list; all where nothing is said. */
export type BreakdownItemQuery = { readonly breakdownId?: number | undefined; readonly archived?: boolean | undefined }

/** What to report; both days are included. */
export type ReportRequest = {
  readonly from: Day
  readonly to: Day
  readonly kpiIds?: readonly number[] | undefined
  readonly userIds?: readonly number[] | undefined
  /** Reports group items, of the entries of these users, instead of users. */
  readonly groupItemIds?: readonly number[] | undefined
}

type Query = Readonly<Record<string, string>>

const daysToQuery = ({ from, to }: { readonly from: Day; readonly to: Day }): Query => ({
  dateFrom: formatDay(from),
  dateTo: formatDay(to),
})

/** The query that a list of entries is asked with. */
export const entryQuery = (query: EntryQuery): Query => ({
  ...daysToQuery(query),
  ...(query.userId !== undefined && { userid: String(query.userId) }),
  ...(query.sourceId !== undefined && { sourceid: String(query.sourceId) }),
  ...(query.kpiId !== undefined && { kpiid: String(query.kpiId) }),
  ...(query.page !== undefined && { page: String(query.page) }),
})

/** The query that a report is asked with. */
export const reportQuery = (request: ReportRequest): Query => ({
  ...daysToQuery(request),
  ...(request.kpiIds && { kpiIds: request.kpiIds.join(',') }),
  ...(request.userIds && { userIds: request.userIds.join(',') }),
  ...(request.groupItemIds && { groupItemIds: request.groupItemIds.join(',') }),
})

/** The query that a list of breakdown items is asked with. */
export const itemQuery = ({ breakdownId, archived }: BreakdownItemQuery): Query => ({
  ...(breakdownId !== undefined && { breakdown_id: String(breakdownId) }),
  ...(archived !== undefined && { archived: String(archived) }),
})
