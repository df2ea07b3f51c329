import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { joinsPeriods, type Question } from '../../../domain/analysis/question.ts'
import { countingRows, type ReportTable } from '../../../domain/analysis/report-table.ts'
import { formatDay } from '../../../domain/day.ts'
import type { DayRange } from '../../../domain/period.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { NamedField } from '../../../domain/schema.ts'
import type { PageAbout } from '../../../export/page/page.ts'
import { manifestPath, manifestText, type Origin } from '../../../export/report/manifest.ts'
import {
  continuedChunks,
  type FileLook,
  measured,
  reportChunks,
  reportText,
  type Written,
} from '../../../export/report/report-file.ts'
import { untilStopped } from '../../../export/until-stopped.ts'
import { requireWritable, writeWhole } from '../../../files/write-file.ts'
import { readRange, RECENT } from '../../args/day-range.ts'
import { requireFree } from '../../files/require-free.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { printWhenComplete } from '../../output/whole-output.ts'
import { visible } from '../../output/width.ts'
import { findPlace } from '../../target/place.ts'
import { writeNamed } from '../../files/named-output.ts'
import { rightsOf } from '../../target/store-rights.ts'
import { briefColumns } from './answer-table.ts'
import { continueFile, readLookBack } from './continue-export.ts'
import type { ReportExportFlags } from './export-command.ts'
import { lookOf } from './export-look.ts'
import { readQuestion } from './question-flags.ts'
import { requestOf } from './report-flags.ts'
import { needsOf, readReportTable } from './report-table.ts'
import { noteLeftOut, readLonger } from './under-way.ts'
import { tellWhereValuesLie } from './where-values-lie.ts'

/** Returns which service and account a report is of; never a secret. */
const serviceOf = ({ io, flags }: Cli, client: Client): Origin['service'] => {
  const place = findPlace(io, flags)
  const { for: name, isSure } = client.identifyAccount()
  const account = isSure ? { account: name.replace('account ', '') } : {}
  if (place.kind === 'embedded') return { kind: 'embedded', data_dir: place.dataDir, ...account }
  const { kind, baseUrl } = place
  return { kind, base_url: baseUrl, ...(place.kind === 'classic' ? { login: place.login } : {}), ...account }
}

const isGiven = <T>(pair: readonly [string, T | undefined]): pair is [string, T] => pair[1] !== undefined

const filtersOf = ({ kpis, category, users, groupItems }: ReportExportFlags): Origin['filters'] =>
  Object.fromEntries(Object.entries({ kpis, category, users, group_items: groupItems }).filter(isGiven))

const questionOf = (flags: ReportExportFlags): Origin['question'] => {
  const { by, total, groupBy, compare, rolling, share, pace, onlyMissed, onlyMissing, sort, top, pivot } = flags
  const [ordered, only] = [
    { sort, top, pivot },
    { only_missed: onlyMissed, only_missing: onlyMissing },
  ]
  const all = { by, total, group_by: groupBy, compare, rolling, share, pace, ...only, ...ordered }
  return Object.fromEntries(Object.entries(all).filter(isGiven))
}

/** Returns what a manifest says of where rows come from. */
const originOf = ({ cli, client, flags }: Export, { range, columns }: Content): Origin => ({
  made_at: new Date(cli.io.now()).toISOString(),
  service: serviceOf(cli, client),
  from: formatDay(range.from),
  to: formatDay(range.to),
  filters: filtersOf(flags),
  question: questionOf(flags),
  columns: columns.map(({ name }) => name),
})

/** Returns what a page says of itself. */
const aboutPage = ({ io }: Cli, client: Client, range: DayRange): PageAbout => ({
  title: 'KPI report',
  account: client.identifyAccount().for,
  range,
  madeAt: Math.floor(io.now() / 1000),
  calendar: client.calendar ?? client.usualCalendar,
})

/** Prints a report once all of it is known. */
const printReport = async ({ io }: Cli, table: ReportTable, look: FileLook): Promise<void> => {
  const shown = io.stdout.isTerminal ? visible : (text: string): string => text
  await printWhenComplete(io, async ({ stdout }) => {
    for await (const text of reportText(table, look)) await stdout.write(shown(text))
  })
}

/** Describes what a file is made of: the days that it will hold, its columns, and its content. */
type Content = {
  readonly range: DayRange
  readonly columns: readonly NamedField[]
  readonly chunks: AsyncIterable<string | Uint8Array>
}

/** Describes an export that is under way. */
type Export = {
  readonly cli: Cli
  readonly client: Client
  readonly flags: ReportExportFlags
  readonly look: FileLook
  readonly question: Question | undefined
  readonly written: Written
  readonly signal: AbortSignal
  /** Holds the days from --from to --to. */
  readonly asked: DayRange
}

/** Returns the table of a report of some days, whose rows are counted as they are read. */
const tableOf = async (work: Export, range: DayRange, isContinued = false): Promise<ReportTable> => {
  const { cli, client, flags, look, question, written, signal } = work
  const request = await requestOf(client, range, flags)
  if (!isContinued) await noteLeftOut(cli, client, request, question)
  const { columns: all, parts } = await readReportTable(cli, client, request, question)
  // Leave ids and descriptions out of what only people read.
  const columns = look.format === 'markdown' ? briefColumns(all, question, false) : all
  return countingRows({ columns, parts: untilStopped(parts, signal) }, written)
}

/** Returns the content of a file that is written anew. */
const wholeContent = async (work: Export, range: DayRange): Promise<Content> => {
  const { cli, client, look } = work
  const table = await tableOf(work, range)
  return { range, columns: table.columns, chunks: reportChunks(table, look, aboutPage(cli, client, range)) }
}

/** Returns the content of a file that goes on from an earlier one. */
const continuedContent = async (work: Export, name: string): Promise<Content> => {
  const { cli, client, flags, look, written, asked } = work
  const request = await requestOf(client, asked, flags)
  // Asks the service, which names the account then.
  await readLonger(client, request)
  const origin = { service: serviceOf(cli, client), filters: filtersOf(flags) }
  const lookBack = readLookBack(cli, flags.lookBack)
  const { range, kept } = await continueFile({ cli, client, look, origin, request, lookBack, asked }, name)
  if (!kept) return wholeContent(work, range)
  const read = (days: DayRange): Promise<ReportTable> => tableOf(work, days, true)
  return { range, columns: reportRow.shown, chunks: continuedChunks(read, look, kept, written) }
}

/** Writes the file, and its manifest where one is wanted, or there: that of an earlier file would be wrong. */
const writeFiles = async (work: Export, name: string, content: Content): Promise<void> => {
  const { cli, flags, look, written } = work
  const path = resolve(cli.io.cwd, name)
  await writeNamed(cli, path, measured(content.chunks, written))
  if (flags.manifest !== true && !existsSync(manifestPath(path))) return
  // Write the manifest last: if the program is killed before, kpi report verify finds that the file does not match.
  await writeWhole(manifestPath(path), [manifestText(path, look, written, originOf(work, content))], rightsOf(cli))
}

/** Writes or prints the report; returns the days that it holds. */
const exportReport = async (work: Export): Promise<DayRange> => {
  const { cli, flags, look, asked } = work
  const { toFile, appendSince } = flags
  const file = toFile ?? appendSince
  if (file === undefined) {
    await printReport(cli, await tableOf(work, asked), look)
    return asked
  }
  const content = await (appendSince === undefined ? wholeContent(work, asked) : continuedContent(work, appendSince))
  await writeFiles(work, file, content)
  return content.range
}

/** Refuses questions whose answers have no value for each KPI and period, in the report's order: a page charts these. */
const requirePeriods = (question: Question): void => {
  const { onlyMissing, sort, top, pivot, compare, rolling, share, pace } = question
  const unknown = [joinsPeriods(question), onlyMissing, sort, top, pivot, compare, rolling, share, pace]
  if (!unknown.some(Boolean)) return
  throw new UsageError(
    'a page charts each KPI by period, with its change; leave out --group-by kpi, item or category, --only-missing, --sort, --top, --pivot, --compare, --rolling, --share and --pace, or write another format',
  )
}

/** Says what was written, and where. */
const noteWritten = (
  cli: Cli,
  { toFile, appendSince }: ReportExportFlags,
  { rows }: Written,
  { from, to }: DayRange,
): Promise<void> => {
  const what = `${countOf(rows, 'row')} of ${formatDay(from)} to ${formatDay(to)}`
  if (appendSince !== undefined) return cli.note(`${toFile ?? appendSince} has ${what} now`)
  return cli.note(`wrote ${what}${toFile === undefined ? '' : ` to ${toFile}`}`)
}

/** Returns the range of an export; where a file is added to, only its last day is asked for, and --from may be behind it. */
const readAsked = (cli: Cli, flags: ReportExportFlags): ((client: Client) => Promise<DayRange>) =>
  readRange(cli, flags, flags.appendSince === undefined ? RECENT : { ...RECENT, mayBeTurned: true })

/** Refuses flags that do not go together, before anything is read; returns what they say, and what they need of the service. */
const readFlags = (cli: Cli, flags: ReportExportFlags) => {
  const rangeOf = readAsked(cli, flags)
  const look = lookOf(cli, flags)
  const question = readQuestion(flags)
  if (question && flags.appendSince !== undefined) {
    throw new UsageError('--append-since adds plain rows; leave it out to write the answer to a question')
  }
  if (flags.lookBack !== undefined && flags.appendSince === undefined) {
    throw new UsageError('--look-back says how much of an earlier file is read again; it goes with --append-since')
  }
  readLookBack(cli, flags.lookBack)
  if (question && look.format === 'html') requirePeriods(question)
  return { rangeOf, look, question, needs: needsOf(flags, question) }
}

/** Returns the flags of an export without a file that is standard output. */
const withoutStdout = ({ toFile, ...others }: ReportExportFlags): ReportExportFlags =>
  toFile === undefined || toFile === '-' ? others : { toFile, ...others }

/** Reads the flags of an export, and returns what it needs of the service. */
export const readReportExport = (cli: Cli, flags: ReportExportFlags): readonly Capability[] =>
  readFlags(cli, withoutStdout(flags)).needs

/** Runs `kpi report export`: writes the rows of a report, all of them or nothing. */
export const runReportExport = async (cli: Cli, given: ReportExportFlags): Promise<void> => {
  const flags = withoutStdout(given)
  const { rangeOf, look, question, needs } = readFlags(cli, flags)
  const { toFile: file } = flags
  const target = file ?? flags.appendSince
  if (target !== undefined) requireWritable(resolve(cli.io.cwd, target), { isNamed: true })
  if (file !== flags.appendSince) await requireFree(cli, file, flags.force)
  const written: Written = { rows: 0, bytes: 0, sha256: '' }
  const work = async (client: Client, signal: AbortSignal): Promise<DayRange> => {
    const asked = await rangeOf(client)
    const range = await exportReport({ cli, client, flags, look, question, written, signal, asked })
    // An answer has said why it has no rows.
    if (question || written.rows > 0) return range
    await cli.note(await tellWhereValuesLie(client, await requestOf(client, range, flags)))
    return range
  }
  const range = await cli.withClient(needs, work, { signal: cli.io.interruption() })
  await noteWritten(cli, flags, written, range)
}
