import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import type { Question } from '../../../domain/analysis/question.ts'
import { countingRows, type ReportTable } from '../../../domain/analysis/report-table.ts'
import type { Cli } from '../../cli.ts'
import { isForPeople, printRecords } from '../../output/print.ts'
import { printWhenComplete } from '../../output/whole-output.ts'
import { presentTable, titleText } from './presentation.ts'
import type { Presentation } from './presentation-flags.ts'
import { readReportTable } from './report-table.ts'
import { noteLeftOut } from './under-way.ts'
import { tellWhereValuesLie } from './where-values-lie.ts'

/** Describes what `kpi report` was asked for. */
export type AskedReport = {
  readonly needs: Needs
  readonly cli: Cli
  readonly question: Question | undefined
  readonly presentation: Presentation
  readonly requestFor: (client: Client) => Promise<ReportRequest>
}

/** Reads the table of a report, with the columns that the format shows. */
export const readTable = async (asked: AskedReport, client: Client, request: ReportRequest): Promise<ReportTable> => {
  const { cli, question, presentation } = asked
  const table = await readReportTable(cli, client, request, question)
  await noteLeftOut(cli, client, request, question)
  const { format, signs, readingSigns } = cli.printing()
  return presentTable(table, presentation, {
    isForPrograms: !isForPeople(format),
    question,
    isNoted: format === 'table',
    calendar: () => client.calendar ?? client.usualCalendar,
    signs: question || format === 'markdown' ? readingSigns : signs,
    note: (text) => cli.note(text),
  })
}

/** Prints the rows of a report, or the answer to a question, when all is there. */
export const printTable = async (asked: AskedReport, client: Client): Promise<void> => {
  const { cli, question, requestFor, presentation } = asked
  const request = await requestFor(client)
  const counted = { rows: 0 }
  const { columns, parts } = countingRows(await readTable(asked, client, request), counted)
  await printWhenComplete(cli.io, async (held) => {
    await held.stdout.write(titleText(presentation, request, cli.printing().format))
    await printRecords(held, cli.printing(), columns, parts)
  })
  // Say it only for a plain report: an answer has said why it has no rows.
  if (!question && counted.rows === 0) await tellWhereValuesLie(cli, client, request)
}
