import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { needsKpis, type Question } from '../../../domain/analysis/question.ts'
import { listFirst } from '../../../domain/count-text.ts'
import { type Day, FIRST_QUERY_DAY, formatDay } from '../../../domain/day.ts'
import { isCoarser, nextPeriod, periodBefore, periodStart, periodTitle } from '../../../domain/period.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Cli } from '../../cli.ts'

const isLonger = ({ frequency_id }: Kpi): boolean => isCoarser(frequency_id, 'D')

/** Reads the KPIs of a report, in its order; undefined if the key may not read KPIs. */
const readKpis = async (
  client: Client,
  { kpiIds }: Pick<ReportRequest, 'kpiIds'>,
): Promise<readonly Kpi[] | undefined> => {
  const kpis = await readIfAllowed(client, client.kpis.list())
  return kpis
    ?.filter(({ id }) => !kpiIds || kpiIds.includes(id))
    .toSorted((one, other) => one.sort_order - other.sort_order || one.id - other.id)
}

/** Reads those that are measured less often than each day. */
export const readLonger = async (...of: Parameters<typeof readKpis>): Promise<readonly Kpi[] | undefined> =>
  (await readKpis(...of))?.filter(isLonger)

/** Returns the first day of the period of a KPI in which a range begins. */
const firstStart = ({ frequency_id }: Kpi, from: Day, { calendar, usualCalendar }: Client): Day => {
  const start = periodStart(frequency_id, from, calendar ?? usualCalendar)
  // Where it is unknown when periods begin, the one under way may have begun up to a whole period before.
  return calendar ? start : periodBefore(frequency_id, start)
}

/** Holds rows of periods that began before a range: those that reach into it, and those before them. */
type EarlierRows = {
  readonly underWay: readonly ReportRow[]
  readonly before: readonly ReportRow[]
  /** Lists the KPIs of the report in its order; undefined if the key may not read KPIs, so that no rows could be found. */
  readonly kpis: readonly Kpi[] | undefined
}

/** Says that periods which began before the range may be missing. */
export const UNKNOWN_PERIODS =
  'weeks, months and longer periods that began before the range are not looked for, as the key may not read KPIs (scope kpis:read)'

/**
 * Reads the periods that began before a range and reach into it, and, unless only those are wanted, the ones before: a
 * report has each by its first day, so they are not in the report of the range.
 */
export const readEarlierPeriods = async (
  client: Client,
  request: ReportRequest,
  wanted: 'under way' | 'also before' = 'also before',
): Promise<EarlierRows> => {
  const { from } = request
  const kpis = await readKpis(client, request)
  const longer = kpis?.filter(isLonger) ?? []
  const starts = longer.map((kpi) => {
    const start = firstStart(kpi, from, client)
    return wanted === 'under way' ? start : periodBefore(kpi.frequency_id, start)
  })
  const first = Math.max(
    FIRST_QUERY_DAY,
    starts.reduce((one, other) => Math.min(one, other), Infinity),
  )
  if (longer.length === 0 || first >= from) return { underWay: [], before: [], kpis }
  const earlier = { ...request, from: first, to: from - 1, kpiIds: longer.map(({ id }) => id) }
  const rows = (await Array.fromAsync(completeReport(client, earlier))).flat()
  const reachesIn = ({ periodId, entryDate }: ReportRow): boolean => nextPeriod(periodId, entryDate) > from
  return { underWay: rows.filter(reachesIn), before: rows.filter((row) => !reachesIn(row)), kpis }
}

const SHOWN_NAMES = 3

/** Returns the names of the KPIs of rows, a few of them. */
const namesIn = (rows: readonly ReportRow[]): string =>
  listFirst([...new Set(rows.map(({ kpiName }) => kpiName))], SHOWN_NAMES)

/**
 * Notes which periods with values the rows of a report, or an answer that aggregates or compares them, leave out because
 * they began before its first day.
 */
export const noteLeftOut = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  question: Question | undefined,
): Promise<void> => {
  // A key for any other question may not read KPIs.
  if (question && (question.onlyMissing || !needsKpis(question))) return
  const { underWay, kpis } = await readEarlierPeriods(client, request, 'under way')
  if (!kpis) await cli.note(UNKNOWN_PERIODS)
  for (const [frequency, rows] of Map.groupBy(underWay, ({ periodId }) => periodId)) {
    const start = rows.reduce((first, { entryDate }) => Math.min(first, entryDate), Infinity)
    const period = periodTitle(frequency, start, client.calendar ?? client.usualCalendar)
    const has = `--from ${formatDay(start)} has it`
    await cli.note(`left out: ${period} of ${namesIn(rows)}, which began before the range; ${has}`)
  }
}

/** Reads the day before a range for KPIs whose last value in it is of its first day, which a change is counted from. */
export const readDayBefore = async (
  client: Client,
  request: ReportRequest,
  inRange: readonly ReportRow[],
): Promise<readonly ReportRow[]> => {
  const day = request.from - 1
  const last = new Map<string, ReportRow>()
  for (const row of inRange) if (row.periodId === 'D') last.set(`${row.kpiId} ${row.itemId}`, row)
  const alone = [...last.values()].filter(({ entryDate }) => entryDate === request.from)
  if (alone.length === 0 || day < FIRST_QUERY_DAY) return []
  const kpiIds = [...new Set(alone.map(({ kpiId }) => kpiId))]
  return (await Array.fromAsync(completeReport(client, { ...request, from: day, to: day, kpiIds }))).flat()
}
