import type { Day } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { ReportDay } from '../../domain/resources/report-row.ts'
import type { Client } from '../client.ts'
import type { ReportRequest } from './queries.ts'
import { isShort } from './report/asking.ts'

/** Yields the digests of a range of days; a range that is too large for one answer is halved. */
async function* readDays(client: Client, request: ReportRequest): AsyncGenerator<ReportDay> {
  const { from, to } = request
  const days = await client.reportDays(request).catch((error: unknown) => {
    if (error instanceof KpiError && error.code === 'too_large' && from < to) return undefined
    throw error
  })
  if (days) return yield* days
  const middle = Math.floor((from + to) / 2)
  yield* readDays(client, { ...request, to: middle })
  yield* readDays(client, { ...request, from: middle + 1 })
}

/** Lists the errors of a service that has no digests, or none for what is asked. */
const HAS_NONE: ReadonlySet<string> = new Set(['not_found', 'too_large'])

/**
 * Reads the digests of the days of a report, by which a caller finds what has changed in rows that it has; undefined if
 * the service has none, or if the request names too many KPIs or users for one URL.
 */
export const readReportDays = async (
  client: Client,
  request: ReportRequest,
): Promise<ReadonlyMap<Day, ReportDay> | undefined> => {
  const { kpiIds, userIds, groupItemIds } = request
  if (!client.isBundled() || ![kpiIds, userIds, groupItemIds].every(isShort)) return undefined
  try {
    const days = await Array.fromAsync(readDays(client, request))
    return new Map(days.map((day) => [day.entryDate, day]))
  } catch (error) {
    if (error instanceof KpiError && HAS_NONE.has(error.code)) return undefined
    throw error
  }
}
