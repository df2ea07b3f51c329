import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import type { ReportTable } from '../../../domain/analysis/report-table.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'

/** Returns the table of a report, whose rows are read as the table is. */
export const readReportTable = (client: Client, request: ReportRequest): ReportTable => ({
  columns: reportRow.shown,
  parts: completeReport(client, request),
})
