import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { joinsPeriods, type Question } from '../../../domain/analysis/question.ts'
import { countingRows, type ReportTable } from '../../../domain/analysis/report-table.ts'
import { formatDay } from '../../../domain/day.ts'
import { PLAIN_SIGNS } from '../../../domain/number-pattern.ts'
import type { DayRange } from '../../../domain/period.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { NamedField } from '../../../domain/schema.ts'
import { manifestPath, manifestText, type Origin } from '../../../export/report/manifest.ts'
import {
  continuedChunks,
  type FileAbout,
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
import { continueFile, readLookBack } from './continue-export.ts'
import type { ReportExportFlags } from './export-command.ts'
import { lookOf } from './export-look.ts'
import { presentTable, requireColumns, titleText } from './presentation.ts'
import { hasOwnColumns, type Presentation, readPresentation, requireTitled } from './presentation-flags.ts'
import { readQuestion, withItemsOfGroup } from './question-flags.ts'
import { needsOf, requestOf } from './report-flags.ts'
import { readReportTable } from './report-table.ts'
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

const filtersOf = ({ kpis, category, frequency, users, groupItems }: ReportExportFlags): Origin['filters'] =>
  Object.fromEntries(Object.entries({ kpis, category, frequency, users, group_items: groupItems }).filter(isGiven))

const questionOf = (flags: ReportExportFlags): Origin['question'] => {
  const {
    by,
    total,
    groupBy,
    compare,
    rolling,
    rollingSum,
    share,
    pace,
    onlyMissed,
    onlyMissing,
    perPerson,
    sort,
    top,
    pivot,
  } = flags
  const { totals, units, columns, heads, title } = flags
  const [ordered, only, shown] = [
    { sort, top, pivot, totals, units },
    { only_missed: onlyMissed, only_missing: onlyMissing, per_person: perPerson },
    { columns, heads: heads?.join(','), title },
  ]
  const joined = { function: flags.function, rolling_sum: rollingSum }
  const all = { by, total, group_by: groupBy, compare, rolling, ...joined, share, pace, ...only, ...ordered, ...shown }
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

/** Returns what a file says of itself. */
const aboutFile = ({ cli: { io }, client, presentation }: Export, range: DayRange): FileAbout => ({
  title: presentation.title,
  account: client.identifyAccount().for,
  range,
  madeAt: Math.floor(io.now() / 1000),
  calendar: client.calendar ?? client.usualCalendar,
})

/** Lists the formats that people read, who get names and the most telling columns. */
const FOR_PEOPLE: ReadonlySet<FileLook['format']> = new Set(['markdown', 'xlsx', 'html'])

/** Prints a report once all of it is known. */
const printReport = async ({ cli: { io }, presentation, look, asked }: Export, table: ReportTable): Promise<void> => {
  const shown = io.stdout.isTerminal ? visible : (text: string): string => text
  await printWhenComplete(io, async ({ stdout }) => {
    await stdout.write(titleText(presentation, asked, look.format))
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
  readonly presentation: Presentation
  readonly written: Written
  readonly signal: AbortSignal
  /** Holds the days from --from to --to. */
  readonly asked: DayRange
}

/** Tells whether a file is written, whose numbers do not depend on the language of the terminal. */
const isFile = ({ toFile, appendSince }: ReportExportFlags): boolean => (toFile ?? appendSince) !== undefined

/** Returns the table of a report of some days, whose rows are counted as they are read. */
const tableOf = async (work: Export, range: DayRange, isContinued = false): Promise<ReportTable> => {
  const { cli, client, flags, look, question, presentation, written, signal } = work
  const request = await requestOf(client, range, flags)
  if (!isContinued) await noteLeftOut(cli, client, request, question)
  const table = await readReportTable(cli, client, request, question)
  const { columns, parts } = await presentTable(table, presentation, {
    // A workbook of people has their addresses, too.
    isForPrograms: !FOR_PEOPLE.has(look.format) || (question?.perPerson === true && look.format === 'xlsx'),
    question,
    isNoted: false,
    calendar: () => client.calendar ?? client.usualCalendar,
    signs: isFile(flags) ? PLAIN_SIGNS : cli.printing().readingSigns,
    note: (text) => cli.note(text),
  })
  return countingRows({ columns, parts: untilStopped(parts, signal) }, written)
}

/** Returns the content of a file that is written anew. */
const wholeContent = async (work: Export, range: DayRange): Promise<Content> => {
  const { look, question, presentation } = work
  const table = await tableOf(work, range)
  const shows = { charts: isCharted(question), table: question !== undefined || hasOwnColumns(presentation) }
  return { range, columns: table.columns, chunks: reportChunks(table, look, { ...aboutFile(work, range), shows }) }
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
  const { flags, asked } = work
  const { toFile, appendSince } = flags
  const file = toFile ?? appendSince
  if (file === undefined) {
    await printReport(work, await tableOf(work, asked))
    return asked
  }
  const content = await (appendSince === undefined ? wholeContent(work, asked) : continuedContent(work, appendSince))
  await writeFiles(work, file, content)
  return content.range
}

/** Tells whether the rows have a value for each KPI and period, in the report's order: a page charts these. */
const isCharted = (question: Question | undefined): boolean => {
  if (!question) return true
  const { onlyMissing, sort, top, pivot, compare, rolling, rollingSum, share, pace } = question
  const others = [joinsPeriods(question), onlyMissing, sort, top, pivot, compare, rolling, rollingSum, share, pace]
  return !others.some(Boolean)
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
  const presentation = readPresentation(flags)
  requireTitled(presentation, look.format)
  requireColumns(presentation, question)
  if (flags.appendSince !== undefined && hasOwnColumns(presentation)) {
    throw new UsageError('--append-since adds rows with all their fields; leave out --columns and --heads')
  }
  return { rangeOf, look, question, presentation, needs: needsOf(flags, question) }
}

/** Returns the flags of an export without a file that is standard output. */
const withoutStdout = ({ toFile, ...others }: ReportExportFlags): ReportExportFlags =>
  toFile === undefined || toFile === '-' ? others : { toFile, ...others }

/** Reads the flags of an export, and returns what it needs of the service. */
export const readReportExport = (cli: Cli, flags: ReportExportFlags): readonly Capability[] =>
  readFlags(cli, withoutStdout(flags)).needs

/** Runs `kpi report export`: writes the rows of a report, all of them or nothing. */
export const runReportExport = async (cli: Cli, given: ReportExportFlags): Promise<void> => {
  const flags = withoutStdout(await withItemsOfGroup(cli, given))
  const { rangeOf, look, question, presentation, needs } = readFlags(cli, flags)
  const { toFile: file } = flags
  const target = file ?? flags.appendSince
  if (target !== undefined) requireWritable(resolve(cli.io.cwd, target), { isNamed: true })
  if (file !== flags.appendSince) await requireFree(cli, file, flags.force)
  const written: Written = { rows: 0, bytes: 0, sha256: '' }
  const work = async (client: Client, signal: AbortSignal): Promise<DayRange> => {
    const asked = await rangeOf(client)
    const range = await exportReport({ cli, client, flags, look, question, presentation, written, signal, asked })
    // An answer has said why it has no rows.
    if (question || written.rows > 0) return range
    await tellWhereValuesLie(cli, client, await requestOf(client, range, flags))
    return range
  }
  const range = await cli.withClient(needs, work, { signal: cli.io.interruption() })
  await noteWritten(cli, flags, written, range)
}
