import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { cellText } from '../../../codec/cell-text.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import {
  type Calendar,
  type Frequency,
  nextPeriod,
  periodBefore,
  periodName,
  periodStart,
  periodTitle,
} from '../../../domain/period.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { printRecords } from '../../output/print.ts'
import { wrap } from '../../output/width.ts'
import { type OverviewRow, overviewRows } from './overview.ts'
import { type HeadedColumn, OVERVIEW_COLUMNS, overviewTable } from './overview-table.ts'
import { readDayBefore, readEarlierPeriods, UNKNOWN_PERIODS } from './under-way.ts'
import { tellItemsWithout, tellWhereValuesLie } from './where-values-lie.ts'

const NAMES: Readonly<Record<Frequency, readonly [string, string]>> = {
  D: ['day', 'days'],
  W: ['week of', 'weeks of'],
  M: ['month', 'months'],
  Q: ['quarter', 'quarters'],
  Y: ['year', 'years'],
}

/** Says which periods of a frequency there are, and whether the last one is under way. */
const periodsText = (frequency: Frequency, rows: readonly ReportRow[], calendar: Calendar, today: Day): string => {
  const starts = rows.map(({ entryDate }) => entryDate)
  const first = starts.reduce((one, other) => Math.min(one, other))
  const last = starts.reduce((one, other) => Math.max(one, other))
  const [one, many] = NAMES[frequency]
  const name = (start: Day): string => periodName(frequency, start, calendar)
  const isUnderWay = frequency !== 'D' && today >= last && today < nextPeriod(frequency, last)
  const range = first === last ? `${one} ${name(first)}` : `${many} ${name(first)} to ${name(last)}`
  return isUnderWay ? `${range} (under way)` : range
}

/** Returns the line above the overview: the range, and which periods it shows. */
const headingOf = ({ from, to }: ReportRequest, rows: readonly ReportRow[], calendar: Calendar, today: Day): string => {
  const byFrequency = Map.groupBy(rows, ({ periodId }) => periodId)
  const range = `${formatDay(from)} to ${formatDay(to)}`
  const parts = (['D', 'W', 'M', 'Q', 'Y'] as const).flatMap((frequency) => {
    const own = byFrequency.get(frequency)
    return own ? [periodsText(frequency, own, calendar, today)] : []
  })
  // Days that are those of the range are not said twice.
  const said = parts.map((part) => part.replace(` ${range}`, ''))
  return said.join() === 'days' ? range : `${range}: ${said.join(', ')}`
}

/** Notes of which periods under way a change is shown, which is one from a whole period. */
const noteUnderWay = async (
  cli: Cli,
  rows: readonly ReportRow[],
  latest: readonly OverviewRow[],
  calendar: Calendar,
): Promise<void> => {
  const today = cli.today().day
  for (const frequency of ['W', 'M', 'Q', 'Y'] as const) {
    const start = periodStart(frequency, today, calendar)
    const name = periodName(frequency, start, calendar)
    const isThere = rows.some(({ periodId, entryDate }) => periodId === frequency && entryDate === start)
    const isCompared = latest.some(({ period, change }) => period === name && change !== null)
    if (!isThere || !isCompared || nextPeriod(frequency, start) - 1 === today) continue
    const { underWayText } = await import('./compared-notes.ts')
    const before = periodTitle(frequency, periodBefore(frequency, start), calendar)
    await cli.note(underWayText(frequency, start, calendar, `all of ${before}`))
  }
}

/** Returns rows by KPI, in the order of these; the others come last. */
const inOrder = (rows: readonly ReportRow[], kpis: readonly Kpi[] = []): ReportRow[] => {
  const place = new Map(kpis.map(({ id }, at) => [id, at]))
  const placeOf = ({ kpiId }: ReportRow): number => place.get(kpiId) ?? kpis.length
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/** Describes how the overview looks: its title and its columns, if they are not the usual ones. */
type OverviewLook = { readonly title: string | undefined; readonly columns: readonly HeadedColumn[] | undefined }

/** Reads a report and prints its overview, with the periods that overlap the range. */
export const printOverview = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  { title, columns = OVERVIEW_COLUMNS }: OverviewLook,
): Promise<void> => {
  const inRange = (await Array.fromAsync(completeReport(client, request))).flat()
  const { underWay, before, kpis } = await readEarlierPeriods(client, request)
  if (!kpis) await cli.note(UNKNOWN_PERIODS)
  const rows = [...inRange, ...underWay]
  if (rows.length === 0) return tellWhereValuesLie(cli, client, request)
  const calendar = client.calendar ?? client.usualCalendar
  const { stdout } = cli.io
  const { color, format, readingSigns } = cli.printing()
  const earlier = [...before, ...(await readDayBefore(client, request, inRange))]
  const latest = overviewRows(inOrder(rows, kpis), earlier, calendar, readingSigns)
  await noteUnderWay(cli, rows, latest, calendar)
  await tellItemsWithout(cli, client, request, rows)
  const heading = headingOf(request, rows, calendar, cli.today().day)
  if (format === 'markdown') {
    const { markdownTitle } = await import('../../../codec/markdown.ts')
    await stdout.write(title === undefined ? `${heading}\n\n` : markdownTitle(title, heading))
    const headed = columns.map(({ name, field, head }) => {
      return { name: head, field, textOf: (record: AnyRecord) => cellText(field, record[name] ?? null) }
    })
    return printRecords(cli.io, cli.printing(), headed, [latest])
  }
  const { text, leftOut, needed } = await overviewTable(latest, { width: stdout.columns, color, columns })
  if (title !== undefined) await stdout.write(`${title}\n`)
  const lines = wrap(heading, stdout.columns ?? Infinity, (text) => text.length)
  await stdout.write(`${lines.join('\n')}\n${text}`)
  if (leftOut.length === 0) return
  await cli.note(
    `no room for ${leftOut.join(', ')}: a terminal of ${needed} columns shows all, and so does -o markdown`,
  )
}
