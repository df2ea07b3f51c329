import { type Command, Option } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { FILE_FORMATS } from '../../../export/report/formats.ts'
import type { Question } from '../../../domain/analysis/question.ts'
import { addExamples } from '../../args/examples.ts'
import { markFirst } from '../../args/first-flags.ts'
import { readRange } from '../../args/day-range.ts'
import { type Cli, PACED, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { addReportFiles } from './export-command.ts'
import { overview } from './overview.ts'
import { addPresentation, hasOwnColumns, readPresentation, requireTitled } from './presentation-flags.ts'
import type { AskedReport } from './print-table.ts'
import { addQuestions, readQuestion, withItemsOfGroup } from './question-flags.ts'
import { addSelection, needsOf, printsAnswers, requestOf } from './report-flags.ts'

/** Declares the flags of a report, and of questions about it. */
const declareAnswers = (group: Command) => addPresentation(addQuestions(addSelection(group)))

/** Declares the flags of `kpi report export` here, too, to tell those who leave out `export`. */
const withFileFlags = (command: ReturnType<typeof declareAnswers>) =>
  command.addOption(new Option('--append-since <file>').hideHelp()).addOption(new Option('--manifest').hideHelp())

/** Declares the flags of `kpi report`. */
const declareReport = (group: Command) =>
  withFileFlags(declareAnswers(group))
    .option(
      '--rows',
      'one row per period, instead of an overview, or of one per person with --only-missing; csv and json always have these rows',
    )
    .option(
      '--stream',
      'print rows as they come, not when all are there; the last line on standard error says if some are missing',
    )

type ReportFlags = ReturnType<ReturnType<typeof declareReport>['opts']>

const stream = async (asked: AskedReport, isOverview: boolean): Promise<void> => {
  const { cli, question, presentation, requestFor, needs } = asked
  const { printStreamed, requireStreamable } = await import('./print-streamed.ts')
  requireStreamable(isOverview, question !== undefined)
  await printStreamed(cli, needs, async (client) => {
    const [{ readTable }, { titleText }] = await Promise.all([import('./print-table.ts'), import('./presentation.ts')])
    const request = await requestFor(client)
    await cli.io.stdout.write(titleText(presentation, request, cli.printing().format))
    return { ...(await readTable(asked, client, request)), from: request.from }
  })
}

/** Refuses the flags and formats of `kpi report export`. */
const refuseFileFlags = (cli: Cli, { appendSince, manifest }: ReportFlags): void => {
  const { output } = cli.flags
  if (output !== undefined && output !== cli.printing().format) {
    throw new UsageError(`${output} is a format of files: write kpi report export -o ${output} --to-file FILE`)
  }
  const given = { '--append-since': appendSince, '--manifest': manifest }
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? []
  if (flag !== undefined) throw new UsageError(`${flag} is for files: write kpi report export … ${flag}`)
}

/** Reads the days and the question of a report, and what it needs of the service. */
const isOfPeople = (cli: Cli, flags: ReportFlags, asked: Question | undefined): asked is Question =>
  asked?.onlyMissing === true &&
  isForPeople(cli.printing().format) &&
  !flags.rows &&
  !asked.sort &&
  asked.top === undefined

const readReport = async (cli: Cli, flags: ReportFlags) => {
  refuseFileFlags(cli, flags)
  const rangeOf = readRange(cli, flags)
  const asked = readQuestion(flags)
  const presentation = readPresentation(flags)
  if (asked?.perPerson && (flags.rows || hasOwnColumns(presentation)))
    throw new UsageError(
      `${flags.rows ? '--rows' : '--columns and --heads'} and --per-person do not go together: give one of them`,
    )
  const question = isOfPeople(cli, flags, asked) && !hasOwnColumns(presentation) ? { ...asked, perPerson: true } : asked
  const { format } = cli.printing()
  const isOverview = isForPeople(format) && flags.rows !== true && !question
  requireTitled(presentation, format)
  const needs = needsOf(flags, question)
  const read = { rangeOf, question, presentation, isOverview, needs }
  if (!hasOwnColumns(presentation)) return { ...read, columns: undefined }
  const { overviewColumns, requireColumns } = await import('./presentation.ts')
  if (isOverview) return { ...read, columns: overviewColumns(presentation, overview.shown) }
  requireColumns(presentation, question)
  return { ...read, columns: undefined }
}

const runReport = async (cli: Cli, given: ReportFlags): Promise<void> => {
  const flags = await withItemsOfGroup(cli, given)
  const { rangeOf, question, presentation, isOverview, columns, needs } = await readReport(cli, flags)
  const requestFor = async (client: Client): Promise<ReportRequest> => requestOf(client, await rangeOf(client), flags)
  const asked = { cli, question, presentation, requestFor, needs }
  if (flags.stream) return stream(asked, isOverview)
  const work = async (client: Client): Promise<void> => {
    if (!isOverview) return (await import('./print-table.ts')).printTable(asked, client)
    const { printOverview } = await import('./print-overview.ts')
    return printOverview(cli, client, await requestFor(client), { title: presentation.title, columns })
  }
  // Ctrl-C ends it at once: nothing is printed before all is there.
  await cli.withClient(needs, work, PACED)
}

/** Registers `kpi report` */
export const report: Register = (group, act) => {
  const command = declareReport(group)
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
    'report --from 2020-01-01 -o ndjson --stream',
    'report --from this-year --by month --total --compare previous',
    'report --from this-month --by month --pace',
    'report --from this-year --group-by item --share --sort -share_percent --top 10',
    'report --from this-year --by month --pivot period -o csv',
    'report --from this-year --by month --pivot period --totals --units --title Year',
    'report --from this-year --by month --columns kpi,item,actual --heads kpi=Kennzahl,actual=Ist',
    'report --from this-month --only-missing',
    'report --from this-month --only-missing --frequency weekly --rows',
  )
  printsAnswers(command)
  addReportFiles(group, act)
  markFirst(command, [
    '--from',
    '--to',
    '--kpis',
    '--users',
    '--by',
    '--total',
    '--group-by',
    '--compare',
    '--only-missed',
    '--only-missing',
    '--rows',
  ])
  act(command, (cli, _, flags) => runReport(cli, flags), {
    fileFormats: FILE_FORMATS,
    checks: async (cli, _, flags) => (await readReport(cli, flags)).needs,
  })
}
