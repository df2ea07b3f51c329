import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { FIRST_QUERY_DAY, formatDay } from '../../../domain/day.ts'
import { nextPeriod } from '../../../domain/period.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Cli } from '../../cli.ts'
import { overview, overviewRows } from './overview.ts'

/** Sets the longest period in days. */
const YEAR_DAYS = 366

/** Reads the periods that began before a range and reach into it: a report has each by its first day. */
const readUnderWay = async (client: Client, request: ReportRequest): Promise<ReportRow[]> => {
  const { from, kpiIds } = request
  const isMeant = ({ id, frequency_id }: Kpi): boolean =>
    frequency_id !== 'D' && (kpiIds === undefined || kpiIds.includes(id))
  // A key that may not read KPIs reads them in the report alone.
  const kpis = (await readIfAllowed(client, client.kpis.list())) ?? []
  const longer = kpis.filter(isMeant).map(({ id }) => id)
  if (longer.length === 0) return []
  const before = { ...request, from: Math.max(FIRST_QUERY_DAY, from - YEAR_DAYS), to: from - 1, kpiIds: longer }
  const parts = await Array.fromAsync(completeReport(client, before))
  return parts.flat().filter(({ periodId, entryDate }) => nextPeriod(periodId, entryDate) > from)
}

/** Reads a report and prints its overview. */
export const printOverview = async (cli: Cli, client: Client, request: ReportRequest): Promise<void> => {
  const rows = (await Array.fromAsync(completeReport(client, request))).flat()
  rows.push(...(await readUnderWay(client, request)))
  if (rows.length === 0) return cli.note(`no values from ${formatDay(request.from)} to ${formatDay(request.to)}`)
  await cli.printMany(overview.shown, overviewRows(rows))
}
