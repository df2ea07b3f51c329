import { type Day, formatDay } from '../../domain/day.ts'

/** Describes which entries to list; both days are included. */
export type EntryQuery = {
  readonly from: Day
  readonly to: Day
  readonly userId?: number | undefined
  /** Selects a breakdown item; only the newer variant has this filter. */
  readonly sourceId?: number | undefined
  readonly kpiId?: number | undefined
  /** Counts from 1; a page has at most `ENTRIES_PAGE` entries. */
  readonly page?: number
  /** Leaves out the entries of `from` up to this id; only the bundled service has this filter. */
  readonly after?: number | undefined
  /** Bounds the entries on a page. */
  readonly rows?: number | undefined
}

/** Selects many entries: those of some users, breakdown items and KPIs, or of all, in a range of days; both are included. */
export type EntrySelection = {
  readonly from: Day
  readonly to: Day
  readonly userIds?: readonly number[] | undefined
  /** Selects breakdown items; only the newer variant has this filter. */
  readonly sourceIds?: readonly number[] | undefined
  readonly kpiIds?: readonly number[] | undefined
}

/** Describes which breakdown items to list; all by default. */
export type BreakdownItemQuery = { readonly breakdownId?: number | undefined; readonly archived?: boolean | undefined }

/** Describes what to report; both days are included. */
export type ReportRequest = {
  readonly from: Day
  readonly to: Day
  readonly kpiIds?: readonly number[] | undefined
  readonly userIds?: readonly number[] | undefined
  /** Reports group items instead of users; `userIds` then selects whose entries count. */
  readonly groupItemIds?: readonly number[] | undefined
}

/** Holds the parameters of a request's query. */
export type QueryParameters = Readonly<Record<string, string>>

const daysToQuery = ({ from, to }: { readonly from: Day; readonly to: Day }): QueryParameters => ({
  dateFrom: formatDay(from),
  dateTo: formatDay(to),
})

/** Returns the query string for a list of entries. */
export const entryQuery = (query: EntryQuery): QueryParameters => ({
  ...daysToQuery(query),
  ...(query.userId !== undefined && { userid: String(query.userId) }),
  ...(query.sourceId !== undefined && { sourceid: String(query.sourceId) }),
  ...(query.kpiId !== undefined && { kpiid: String(query.kpiId) }),
  ...(query.page !== undefined && { page: String(query.page) }),
  ...(query.after !== undefined && { after: String(query.after) }),
  ...(query.rows !== undefined && { rows: String(query.rows) }),
})

/** Returns the query string that selects many entries. */
export const selectionQuery = (selection: EntrySelection): QueryParameters => ({
  ...daysToQuery(selection),
  ...(selection.userIds && { userIds: selection.userIds.join(',') }),
  ...(selection.sourceIds && { sourceIds: selection.sourceIds.join(',') }),
  ...(selection.kpiIds && { kpiIds: selection.kpiIds.join(',') }),
})

/** Returns the query string for a report. */
export const reportQuery = (request: ReportRequest): QueryParameters => ({
  ...daysToQuery(request),
  ...(request.kpiIds && { kpiIds: request.kpiIds.join(',') }),
  ...(request.userIds && { userIds: request.userIds.join(',') }),
  ...(request.groupItemIds && { groupItemIds: request.groupItemIds.join(',') }),
})

/** Returns the query string for a list of breakdown items. */
export const itemQuery = ({ breakdownId, archived }: BreakdownItemQuery): QueryParameters => ({
  ...(breakdownId !== undefined && { breakdown_id: String(breakdownId) }),
  ...(archived !== undefined && { archived: String(archived) }),
})
