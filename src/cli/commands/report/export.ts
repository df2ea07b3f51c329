import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { joinsPeriods, type Question } from '../../../domain/analysis/question.ts'
import type { ReportTable } from '../../../domain/analysis/report-table.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { CIVIL_CALENDAR, type DayRange } from '../../../domain/period.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { PageAbout } from '../../../export/page/page.ts'
import { readEarlier } from '../../../export/report/earlier-file.ts'
import { formatOfName } from '../../../export/report/formats.ts'
import { manifestPath, manifestText, type Origin, requireSameFilters } from '../../../export/report/manifest.ts'
import {
  continuedChunks,
  countingRows,
  type FileLook,
  measured,
  reportChunks,
  reportText,
  type Written,
} from '../../../export/report/report-file.ts'
import { untilStopped } from '../../../export/until-stopped.ts'
import { writeWhole } from '../../../import/parse/files.ts'
import { readRange } from '../../args/relative-dates.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { printWhenComplete } from '../../output/whole-output.ts'
import { visible } from '../../output/width.ts'
import { findPlace } from '../../target/settings.ts'
import { rightsOf } from '../../target/store-rights.ts'
import { briefColumns } from './answer-table.ts'
import type { ReportExportFlags } from './export-command.ts'
import { lookOf } from './export-look.ts'
import { readQuestion } from './question-flags.ts'
import { requestOf } from './report-flags.ts'
import { needsOf, readReportTable } from './report-table.ts'
import { noteLeftOut } from './under-way.ts'

/** Returns which service a report is of; never a secret. */
const serviceOf = ({ io, flags }: Cli): Origin['service'] => {
  const place = findPlace(io, flags)
  if (place.kind === 'embedded') return { kind: 'embedded' }
  const { kind, baseUrl } = place
  return { kind, base_url: baseUrl, ...(place.kind === 'classic' ? { login: place.login } : {}) }
}

const isGiven = (pair: readonly [string, string | undefined]): pair is [string, string] => pair[1] !== undefined

const filtersOf = ({ kpis, category, users, groupItems }: ReportExportFlags): Origin['filters'] =>
  Object.fromEntries(Object.entries({ kpis, category, users, group_items: groupItems }).filter(isGiven))

const originOf = (cli: Cli, flags: ReportExportFlags, { columns }: ReportTable, range: DayRange): Origin => {
  return {
    made_at: new Date(cli.io.now()).toISOString(),
    service: serviceOf(cli),
    from: formatDay(range.from),
    to: formatDay(range.to),
    filters: filtersOf(flags),
    columns: columns.map(({ name }) => name),
  }
}

/** Returns what a page says of itself. */
const aboutPage = ({ io }: Cli, client: Client, range: DayRange): PageAbout => ({
  title: 'KPI report',
  account: client.identifyAccount().for,
  range,
  madeAt: Math.floor(io.now() / 1000),
  calendar: client.calendar ?? CIVIL_CALENDAR,
})

/** Prints a report once all of it is known. */
const printReport = async ({ io }: Cli, table: ReportTable, look: FileLook): Promise<void> => {
  const shown = io.stdout.isTerminal ? visible : (text: string): string => text
  await printWhenComplete(io, async ({ stdout }) => {
    for await (const text of reportText(table, look)) await stdout.write(shown(text))
  })
}

/** Describes what a file is made of: the days that it will hold, its table, and its content. */
type Content = {
  readonly range: DayRange
  readonly table: ReportTable
  readonly chunks: AsyncIterable<string | Uint8Array>
}

/** Describes an export that is under way. */
type Export = {
  /** Returns the days from --from to --to; throws if they are in the wrong order. */
  readonly rangeOf: () => DayRange
  readonly lastDay: Day
  readonly cli: Cli
  readonly flags: ReportExportFlags
  readonly look: FileLook
  readonly written: Written
  readonly tableOf: (range: DayRange) => Promise<ReportTable>
  readonly aboutOf: (range: DayRange) => PageAbout
}

/** Returns the content of a file that is written anew. */
const wholeContent = async ({ look, rangeOf, tableOf, aboutOf }: Export): Promise<Content> => {
  const range = rangeOf()
  const table = await tableOf(range)
  return { range, table, chunks: reportChunks(table, look, aboutOf(range)) }
}

/** Returns the content of a file that goes on from an earlier one, from the last periods of that on. */
const continuedContent = async (work: Export, name: string): Promise<Content> => {
  const { cli, flags, look, written, lastDay, tableOf } = work
  const path = resolve(cli.io.cwd, name)
  if (!existsSync(path)) return wholeContent(work)
  await requireSameFilters(path, name, filtersOf(flags))
  const { isGzip } = formatOfName(name)
  const earlier = { path, name, format: look.format, isGzip, columns: reportRow.shown }
  const held = await readEarlier(earlier)
  if (!held) return wholeContent(work)
  const { first, again } = held
  if (again > lastDay) {
    throw new UsageError(`--to ${formatDay(lastDay)} is before ${formatDay(again)}, up to which ${name} is kept`)
  }
  const table = await tableOf({ from: again, to: lastDay })
  return {
    range: { from: first, to: lastDay },
    table,
    chunks: continuedChunks(table, look, { earlier, again }, written),
  }
}

/** Writes the file, and its manifest where one is wanted. */
const writeFiles = async ({ cli, flags, look, written }: Export, name: string, content: Content): Promise<void> => {
  const path = resolve(cli.io.cwd, name)
  await writeWhole(path, measured(content.chunks, written), rightsOf(cli))
  if (flags.manifest !== true) return
  // Write the manifest last: if the program is killed before, kpi report verify finds that the file does not match.
  const text = manifestText(path, look, written, originOf(cli, flags, content.table, content.range))
  await writeWhole(manifestPath(path), [text], rightsOf(cli))
}

/** Writes or prints the report; returns the days that it holds. */
const exportReport = async (work: Export): Promise<DayRange> => {
  const { cli, flags, look, rangeOf, tableOf } = work
  const { toFile, appendSince } = flags
  const file = toFile ?? appendSince
  if (file === undefined) {
    const range = rangeOf()
    await printReport(cli, await tableOf(range), look)
    return range
  }
  const content = await (appendSince === undefined ? wholeContent(work) : continuedContent(work, appendSince))
  await writeFiles(work, file, content)
  return content.range
}

/** Refuses questions whose answers have no value for each KPI and period, in the report's order: a page charts these. */
const requirePeriods = (question: Question): void => {
  const { onlyMissing, sort, top, pivot } = question
  if (!joinsPeriods(question) && !onlyMissing && !sort && top === undefined && !pivot) return
  throw new UsageError(
    'a page charts each KPI by period; leave out --group-by kpi, item or category, --only-missing, --sort, --top and --pivot, or write another format',
  )
}

/** Runs `kpi report export`: writes the rows of a report, all of them or nothing. */
export const runReportExport = async (cli: Cli, flags: ReportExportFlags): Promise<void> => {
  const rangeOf = readRange(flags, cli.today().day)
  // A file that is added to says itself from which day on.
  const lastDaysOf = readRange({ from: flags.to, to: flags.to }, cli.today().day)
  const look = lookOf(cli, flags)
  const question = readQuestion(flags)
  if (question && flags.appendSince !== undefined) {
    throw new UsageError('--append-since adds plain rows; leave it out to write the answer to a question')
  }
  if (question && look.format === 'html') requirePeriods(question)
  const signal = cli.io.interruption()
  const written: Written = { rows: 0, bytes: 0, sha256: '' }
  const work = async (client: Client): Promise<DayRange> => {
    const tableOf = async (range: DayRange): Promise<ReportTable> => {
      const request = await requestOf(client, range, flags)
      if (!question) await noteLeftOut(cli, client, request)
      const { columns: all, parts } = await readReportTable(cli, client, request, question)
      // Leave ids and descriptions out of what only people read.
      const columns = look.format === 'markdown' ? briefColumns(all, question) : all
      return countingRows({ columns, parts: untilStopped(parts, signal) }, written)
    }
    const aboutOf = (range: DayRange): PageAbout => aboutPage(cli, client, range)
    const known = { cli, flags, look, written, rangeOf: () => rangeOf(client), lastDay: lastDaysOf(client).to }
    return exportReport({ ...known, tableOf, aboutOf })
  }
  const { from, to } = await cli.withClient(needsOf(question), work, { signal })
  const file = flags.toFile ?? flags.appendSince
  const place = file === undefined ? '' : ` to ${file}`
  await cli.note(`wrote ${countOf(written.rows, 'row')} of ${formatDay(from)} to ${formatDay(to)}${place}`)
}
