import { dayOfInstant } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { ANSWER_LIMIT } from '../../../domain/limits.ts'
import type { DayRange } from '../../../domain/period.ts'
import { REPORT_LIMIT, REPORT_LIMIT_IN_PROCESS, reportDay, reportRow } from '../../../domain/resources/report-row.ts'
import type { Context } from '../../../service/context.ts'
import type { Query, Route } from '../call.ts'
import { queryDay, queryIds } from '../query.ts'

const KPIS = { kind: 'ids', name: 'kpiIds', about: 'Ids of the KPIs to narrow to', example: [1] } as const
const FROM = {
  kind: 'day',
  name: 'dateFrom',
  about: 'First day that a period may begin on; today when not given',
  example: '2026-03-01',
} as const
const TO = {
  kind: 'day',
  name: 'dateTo',
  about: 'Last day that a period may begin on; today when not given',
  example: '2026-03-31',
} as const
const GROUP_ITEMS = {
  kind: 'ids',
  name: 'groupItemIds',
  about: 'Ids of the group items to report, each with all entries that carry it',
  example: [3],
} as const
const USERS = { kind: 'ids', name: 'userIds', about: 'Ids of the users to narrow to', example: [2] } as const

const daysOf = (query: Query, { now }: Context): DayRange => {
  const today = dayOfInstant(now)
  const [from, to] = [queryDay(query, FROM), queryDay(query, TO)]
  if ((from ?? today) <= (to ?? today)) return { from: from ?? today, to: to ?? today }
  const isToday = from === undefined ? 'dateFrom' : to === undefined ? 'dateTo' : undefined
  const why = isToday === undefined ? '' : `: ${isToday} is today where it is not given`
  throw new KpiError('malformed', `dateFrom is after dateTo${why}`)
}

/** Loads the report with the first request for one: few commands need it. */
const loadReport = async () => ({
  ...(await import('../../../codec/report-digest.ts')),
  ...(await import('../../../domain/report.ts')),
  ...(await import('../../../service/reports/report.ts')),
  ...(await import('../../../service/reports/report-selection.ts')),
})

/** Names which items a variant reports. */
type Selection = 'selectUsers' | 'selectBreakdownItems'

const asked = (query: Query, ctx: Context) => ({
  days: daysOf(query, ctx),
  kpiIds: queryIds(query, KPIS),
  userIds: queryIds(query, USERS),
  groupItemIds: queryIds(query, GROUP_ITEMS),
})

const PARAMETERS = [KPIS, FROM, TO, GROUP_ITEMS, USERS]

const reportRoute = (selection: Selection): Route => ({
  method: 'GET',
  path: reportRow.path,
  gives: reportRow,
  query: PARAMETERS,
  counts: true,
  isLong: true,
  handle: async ({ ctx, query }) => {
    const of = asked(query, ctx)
    const { report, reportBuilder, [selection]: selectItems } = await loadReport()
    const limit = ctx.beginLong ? REPORT_LIMIT : REPORT_LIMIT_IN_PROCESS
    const { rows, total } = await report(ctx, of, selectItems, (calendar) => reportBuilder(calendar, limit))
    return { status: 200, total, content: { of: reportRow, records: rows, most: ANSWER_LIMIT } }
  },
})

const reportDaysRoute = (selection: Selection): Route => ({
  method: 'GET',
  path: reportDay.path,
  gives: reportDay,
  query: PARAMETERS,
  isLong: true,
  handle: async ({ ctx, query }) => {
    const of = asked(query, ctx)
    const { report, passingBuilder, createDayDigests, [selection]: selectItems } = await loadReport()
    const records = await report(ctx, of, selectItems, (calendar) => passingBuilder(calendar, createDayDigests()))
    return { status: 200, content: { of: reportDay, records, most: ANSWER_LIMIT } }
  },
})

/** Lists the routes of the processed report in the classic interface: by users. */
export const classicReportRoutes = [reportRoute('selectUsers'), reportDaysRoute('selectUsers')]

/** Lists the routes of the processed report in the newer variant: by breakdown items, people and others. */
export const v1ReportRoutes = [reportRoute('selectBreakdownItems'), reportDaysRoute('selectBreakdownItems')]
