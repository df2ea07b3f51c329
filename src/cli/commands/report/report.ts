import type { Client } from '../../../client/client.ts'
import { addExamples } from '../../args/examples.ts'
import { readRange } from '../../args/relative-dates.ts'
import type { NamedField } from '../../../domain/schema.ts'
import type { Register } from '../../cli.ts'
import { printRecords } from '../../output/print.ts'
import { printWhenComplete } from '../../output/whole-output.ts'
import { addReportFiles } from './export-command.ts'
import { briefColumns, byPattern } from './answer-table.ts'
import { overview } from './overview.ts'
import { addQuestions, readQuestion } from './question-flags.ts'
import { addSelection, requestOf } from './report-flags.ts'
import { needsOf, readReportTable } from './report-table.ts'
import { noteLeftOut } from './under-way.ts'

/** Registers `kpi report` */
export const report: Register = (group, act) => {
  const command = addQuestions(addSelection(group))
    .option('--rows', 'one row per period, instead of an overview; csv and json always have these rows')
    .option(
      '--stream',
      'print rows as they come, not when all are there; the last line on standard error says if some are missing',
    )
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
    'report --from this-year --by M --total --compare previous',
    'report --from this-month --by M --pace',
    'report --from this-year --group-by item --share --sort -share_percent --top 10',
    'report --from this-year --by M --pivot period -o csv',
    'report --from this-month --only-missing',
  )
  addReportFiles(group, act)
  act(command, async (cli, _, flags) => {
    const rangeOf = readRange(flags, cli.today().day)
    const question = readQuestion(flags)
    const printing = cli.printing()
    const isTable = printing.format === 'table'
    const isOverview = isTable && flags.rows !== true && !question
    const columnsOf = (all: readonly NamedField[]): readonly NamedField[] =>
      isTable ? briefColumns(all, question) : all
    if (flags.stream) {
      const { printStreamed, requireStreamable } = await import('./print-streamed.ts')
      requireStreamable(isOverview, question !== undefined)
      return printStreamed(cli, needsOf(question), async (client) => {
        const request = await requestOf(client, rangeOf(client), flags)
        const { columns, parts } = await readReportTable(cli, client, request, question)
        await noteLeftOut(cli, client, request)
        return { columns: columnsOf(columns), parts, from: request.from }
      })
    }
    const work = async (client: Client): Promise<void> => {
      const request = await requestOf(client, rangeOf(client), flags)
      if (isOverview) {
        const { printOverview } = await import('./print-overview.ts')
        return printOverview(cli, client, request)
      }
      const { columns, parts } = await readReportTable(cli, client, request, question)
      if (!question) await noteLeftOut(cli, client, request)
      const shown = isTable && question ? byPattern(parts) : parts
      await printWhenComplete(cli.io, (held) => printRecords(held, printing, columnsOf(columns), shown))
    }
    // Ctrl-C ends it at once: nothing is printed before all is there.
    const { signal } = new AbortController()
    await cli.withClient(needsOf(question), work, { signal })
  })
}
