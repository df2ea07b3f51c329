import { dayOfInstant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { reportRow } from '../../domain/resources/report-row.ts'
import { report } from '../../service/report.ts'
import type { Route } from '../call.ts'
import { queryDay, queryIds } from '../query.ts'

/** The processed report. */
export const reportRoute: Route = {
  method: 'GET',
  path: reportRow.path,
  handle: async ({ ctx, query }) => {
    const today = dayOfInstant(ctx.now)
    const days = { from: queryDay(query, 'dateFrom') ?? today, to: queryDay(query, 'dateTo') ?? today }
    if (days.from > days.to) throw new KpiError('malformed', 'dateFrom is after dateTo')
    const { rows, total } = await report(ctx, {
      days,
      kpiIds: queryIds(query, 'kpiIds'),
      userIds: queryIds(query, 'userIds'),
      groupItemIds: queryIds(query, 'groupItemIds'),
    })
    return { status: 200, total, content: { of: reportRow, records: rows } }
  },
}
