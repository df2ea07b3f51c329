import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { type Day, FIRST_QUERY_DAY, formatDay } from '../../../domain/day.ts'
import { CIVIL_CALENDAR, nextPeriod, periodBefore, periodStart, periodName } from '../../../domain/period.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Cli } from '../../cli.ts'

/** Reads the KPIs of a report that are measured less often than each day; none if the key may not read KPIs. */
const readLonger = async (client: Client, { kpiIds }: ReportRequest): Promise<Kpi[]> => {
  const kpis = (await readIfAllowed(client, client.kpis.list())) ?? []
  return kpis.filter(({ id, frequency_id }) => frequency_id !== 'D' && (!kpiIds || kpiIds.includes(id)))
}

/** Returns the first day of the period of a KPI in which a range begins. */
const firstStart = ({ frequency_id }: Kpi, from: Day, { calendar = CIVIL_CALENDAR }: Pick<Client, 'calendar'>): Day =>
  periodStart(frequency_id, from, calendar)

/** Holds rows of periods that began before a range: those that reach into it, and those before them. */
type EarlierRows = { readonly underWay: readonly ReportRow[]; readonly before: readonly ReportRow[] }

/**
 * Reads the periods that began before a range and reach into it, and the ones before: a report has each by its first
 * day, so they are not in the report of the range.
 */
export const readEarlierPeriods = async (client: Client, request: ReportRequest): Promise<EarlierRows> => {
  const { from } = request
  const longer = await readLonger(client, request)
  const starts = longer.map((kpi) => periodBefore(kpi.frequency_id, firstStart(kpi, from, client)))
  const first = Math.max(FIRST_QUERY_DAY, Math.min(...starts))
  if (longer.length === 0 || first >= from) return { underWay: [], before: [] }
  const earlier = { ...request, from: first, to: from - 1, kpiIds: longer.map(({ id }) => id) }
  const rows = (await Array.fromAsync(completeReport(client, earlier))).flat()
  const reachesIn = ({ periodId, entryDate }: ReportRow): boolean => nextPeriod(periodId, entryDate) > from
  return { underWay: rows.filter(reachesIn), before: rows.filter((row) => !reachesIn(row)) }
}

const SHOWN_NAMES = 3

const namesOf = (kpis: readonly Kpi[]): string => {
  const more = kpis.length - SHOWN_NAMES
  const names = kpis.slice(0, SHOWN_NAMES).map(({ name }) => name)
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Notes which periods the rows of a report leave out, because they began before its first day. */
export const noteLeftOut = async (cli: Cli, client: Client, request: ReportRequest): Promise<void> => {
  const longer = (await readLonger(client, request)).filter(
    (kpi) => firstStart(kpi, request.from, client) < request.from,
  )
  for (const [frequency, kpis] of Map.groupBy(longer, ({ frequency_id }) => frequency_id)) {
    const [first] = kpis
    if (!first) continue
    const start = firstStart(first, request.from, client)
    const period = periodName(frequency, start, client.calendar ?? CIVIL_CALENDAR)
    const day = formatDay(start)
    const of = frequency === 'W' ? `the week of ${period}` : period
    await cli.note(`left out: ${of} of ${namesOf(kpis)}, which began before the range; --from ${day} has it`)
  }
}
