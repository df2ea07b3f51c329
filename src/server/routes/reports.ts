import { dayOfInstant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { reportRow } from '../../domain/resources/report-row.ts'
import { report } from '../../service/report.ts'
import type { Route } from '../call.ts'
import { queryDay, queryIds } from '../query.ts'

const KPIS = { kind: 'ids', name: 'kpiIds', about: 'Ids of the KPIs to narrow to' } as const
const FROM = {
  kind: 'day',
  name: 'dateFrom',
  about: 'First day that a period may begin on; today when not given',
} as const
const TO = { kind: 'day', name: 'dateTo', about: 'Last day that a period may begin on; today when not given' } as const
const GROUP_ITEMS = {
  kind: 'ids',
  name: 'groupItemIds',
  about: 'Ids of the group items to report instead of users',
} as const
const USERS = { kind: 'ids', name: 'userIds', about: 'Ids of the users to narrow to' } as const

/** The processed report. */
export const reportRoute: Route = {
  method: 'GET',
  path: reportRow.path,
  gives: reportRow,
  query: [KPIS, FROM, TO, GROUP_ITEMS, USERS],
  counts: true,
  handle: async ({ ctx, query }) => {
    const today = dayOfInstant(ctx.now)
    const days = { from: queryDay(query, FROM) ?? today, to: queryDay(query, TO) ?? today }
    if (days.from > days.to) throw new KpiError('malformed', 'dateFrom is after dateTo')
    const { rows, total } = await report(ctx, {
      days,
      kpiIds: queryIds(query, KPIS),
      userIds: queryIds(query, USERS),
      groupItemIds: queryIds(query, GROUP_ITEMS),
    })
    return { status: 200, total, content: { of: reportRow, records: rows } }
  },
}
