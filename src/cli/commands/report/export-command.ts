import { type Command, Option } from '@commander-js/extra-typings'
import { FILE_FORMATS } from '../../../export/report/formats.ts'
import { addExamples } from '../../args/examples.ts'
import { markFirst } from '../../args/first-flags.ts'
import type { Act } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addPresentation } from './presentation-flags.ts'
import { addQuestions } from './question-flags.ts'
import { addSelection, printsAnswers } from './report-flags.ts'

/** Declares `kpi report export` and its flags. */
const declareExport = (group: Command) =>
  addPresentation(
    addQuestions(
      addSelection(group.command('export').description('write the rows of a report to a file, complete or not at all')),
    ),
  )
    .option(
      '--to-file <file>',
      'the file to write, in the format of its ending: .csv, .json, .ndjson, .jsonl, .md (also with .gz behind it), .xlsx or .html; - for standard output; -o names the format of that, and of a file with another ending: ' +
        FILE_FORMATS.join(', '),
    )
    .addOption(
      new Option(
        '--append-since <file>',
        'add to an earlier export (.csv, .ndjson, or with .gz behind it), in its place or in --to-file: rows that have changed, on a third-party service those of its last periods, are read again; --from counts only while there is no such file',
      ),
    )
    .option(
      '--look-back <time>',
      'with --append-since on a third-party service, which does not tell what has changed: read again at least so many days, weeks, months or years: 90d, 12w, 3m, 1y',
    )
    .option('--force', 'replace a file that is there')
    .option('--excel <locale>', 'write CSV for spreadsheets of a locale, such as de-DE')
    .option(
      '--manifest',
      'also write FILE.manifest.json, by which kpi report verify checks the file; one that is there is always written again',
    )

/** Describes the flags of `kpi report export`. */
export type ReportExportFlags = ReturnType<ReturnType<typeof declareExport>['opts']>

const refuseStream = (given: unknown): void => {
  if (given === true) throw new UsageError('--stream is for kpi report; an export is written when all rows are there')
}

/** Registers `kpi report export` and `kpi report verify`. */
export const addReportFiles = (group: Command, act: Act): void => {
  const exporting = declareExport(group)
  addExamples(
    exporting,
    'report export --from this-year --to-file report.xlsx',
    'report export --from 2026-01-01 --to 2026-10-31 --to-file report.csv.gz --manifest',
    'report export --from 2026-01-01 --to yesterday --append-since report.ndjson --manifest',
    'report export --from this-year --to-file report.html',
    'report export --from this-month -o markdown',
    'report export --from this-month --only-missing --per-person --to-file missing.xlsx',
    'report export --from this-year --by month --pivot period --totals --units --title Year --to-file months.xlsx',
    'report export --from this-month --columns kpi,item,actual --heads kpi=Kennzahl,actual=Ist --to-file ist.csv',
    'report export --from last-month --to last-month --excel de-DE --to-file report.csv',
  )
  printsAnswers(exporting)
  markFirst(exporting, [
    '--from',
    '--to',
    '--kpis',
    '--users',
    '--by',
    '--group-by',
    '--pivot',
    '--to-file',
    '--append-since',
    '--force',
    '--excel',
  ])
  act(
    exporting,
    async (cli) => {
      refuseStream(exporting.parent?.getOptionValue('stream'))
      const { runReportExport } = await import('./export.ts')
      // Take the flags of kpi report, too: it gets those that both have, wherever they stand.
      return runReportExport(cli, exporting.optsWithGlobals())
    },
    {
      fileFormats: FILE_FORMATS,
      checks: async (cli, _, flags) => {
        refuseStream(exporting.parent?.getOptionValue('stream'))
        return (await import('./export.ts')).readReportExport(cli, flags)
      },
    },
  )
  const verifying = group
    .command('verify')
    .description('check a report file against the manifest beside it')
    .argument('<file>', 'the file, as it was written by kpi report export --manifest')
  addExamples(verifying, 'report verify report.csv.gz')
  act(verifying, async (cli, [file]) => {
    const { runVerify } = await import('./verify.ts')
    return runVerify(cli, file)
  })
}
