import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { FIRST_QUERY_DAY, formatDay } from '../../../domain/day.ts'
import { type DayRange, nextPeriod } from '../../../domain/period.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import { type ReportRow, reportRow } from '../../../domain/resources/report-row.ts'
import { addExamples } from '../../args/examples.ts'
import { idsIn } from '../../args/names.ts'
import { readRange } from '../../args/relative-dates.ts'
import type { Cli, Register } from '../../cli.ts'
import { printRecords } from '../../output/print.ts'
import { printWhenComplete } from '../../output/whole-output.ts'
import { overview, overviewRows } from './overview.ts'

const LISTS = { kpi: '--kpis', user: '--users', group_item: '--group-items' } as const

const idsOf = async (
  client: Client,
  kind: keyof typeof LISTS,
  list: string | undefined,
): Promise<number[] | undefined> => (list === undefined ? undefined : idsIn(client, kind, LISTS[kind], list))

/** Describes the flags that narrow a report. */
type Narrowing = { readonly kpis?: string; readonly users?: string; readonly groupItems?: string }

const requestOf = async (
  client: Client,
  range: DayRange,
  { kpis, users, groupItems }: Narrowing,
): Promise<ReportRequest> => ({
  ...range,
  kpiIds: await idsOf(client, 'kpi', kpis),
  userIds: await idsOf(client, 'user', users),
  groupItemIds: await idsOf(client, 'group_item', groupItems),
})

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

const printOverview = async (cli: Cli, client: Client, request: ReportRequest): Promise<void> => {
  const rows = (await Array.fromAsync(completeReport(client, request))).flat()
  rows.push(...(await readUnderWay(client, request)))
  if (rows.length === 0) return cli.note(`no values from ${formatDay(request.from)} to ${formatDay(request.to)}`)
  await cli.printMany(overview.shown, overviewRows(rows))
}

/** Registers `kpi report` */
export const report: Register = (group, act) => {
  const command = group
    .option('--from <day>', 'first day: a date, today, -7d, this-month, last-quarter and the like', '-30d')
    .option('--to <day>', 'last day', 'today')
    .option('--kpis <list>', 'only of these KPIs, by id or name, separated by commas')
    .option('--users <list>', 'only of these users, by id, name or e-mail address')
    .option(
      '--group-items <list>',
      'report group items instead of users, by id or name; with --users, only their entries',
    )
    .option('--rows', 'one row per period, instead of an overview; csv and json always have these rows')
  command.addHelpText(
    'after',
    `\nThe overview shows:\n${overview.shown.map(({ name, field }) => `  ${name.padEnd(9)} ${field.about}`).join('\n')}`,
  )
  addExamples(
    command,
    'report --from this-year',
    'report --kpis Revenue,Visits --users ann@example.com --from last-month --to yesterday --rows',
    'report --group-items North,South --from this-year',
    'report --from 2026-01-01 --to 2026-03-31 -o csv',
  )
  act(command, async (cli, _, flags) => {
    const rangeOf = readRange(flags, cli.today().day)
    const printing = cli.printing()
    const work = async (client: Client): Promise<void> => {
      const range = rangeOf(client)
      const request = await requestOf(client, range, flags)
      if (printing.format === 'table' && flags.rows !== true) return printOverview(cli, client, request)
      const parts = completeReport(client, request)
      const columns = printing.format === 'table' ? reportRow.brief : reportRow.shown
      await printWhenComplete(cli.io, (held) => printRecords(held, printing, columns, parts))
    }
    // Ctrl-C ends it at once: nothing is printed before all is there.
    const { signal } = new AbortController()
    await cli.withClient({ of: reportRow, verb: 'list' }, work, { signal })
  })
}
