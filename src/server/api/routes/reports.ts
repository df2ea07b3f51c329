import { dayOfInstant } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { ANSWER_LIMIT } from '../../../domain/limits.ts'
import type { DayRange } from '../../../domain/period.ts'
import { REPORT_LIMIT, REPORT_LIMIT_IN_PROCESS, reportRow } from '../../../domain/resources/report-row.ts'
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
  ...(await import('../../../service/reports/report.ts')),
  ...(await import('../../../service/reports/report-selection.ts')),
})

const reportRoute = (selection: 'selectUsers' | 'selectBreakdownItems'): Route => ({
  method: 'GET',
  path: reportRow.path,
  gives: reportRow,
  query: [KPIS, FROM, TO, GROUP_ITEMS, USERS],
  counts: true,
  isLong: true,
  handle: async ({ ctx, query }) => {
    const days = daysOf(query, ctx)
    const asked = {
      days,
      limit: ctx.beginLong ? REPORT_LIMIT : REPORT_LIMIT_IN_PROCESS,
      kpiIds: queryIds(query, KPIS),
      userIds: queryIds(query, USERS),
      groupItemIds: queryIds(query, GROUP_ITEMS),
    }
    const { report, [selection]: selectItems } = await loadReport()
    const { rows, total } = await report(ctx, asked, selectItems)
    return { status: 200, total, content: { of: reportRow, records: rows, most: ANSWER_LIMIT } }
  },
})

/** Defines the route of the processed report in the classic interface: by users. */
export const classicReportRoute = reportRoute('selectUsers')

/** Defines the route of the processed report in the newer variant: by breakdown items, people and others. */
export const v1ReportRoute = reportRoute('selectBreakdownItems')
