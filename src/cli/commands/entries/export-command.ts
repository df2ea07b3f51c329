import { type Command, Option } from '@commander-js/extra-typings'
import { entry } from '../../../domain/resources/entry.ts'
import { FILE_FORMATS } from '../../../export/report/formats.ts'
import { addRange } from '../../args/day-range.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'
import { printsList } from '../../output/printed.ts'

/** Names the formats that entries are exported in: those of reports, but no page. */
export const EXPORT_FORMATS = FILE_FORMATS.filter((one) => one !== 'html')

/** Declares `kpi entries export` and its flags. */
const declareExport = (group: Command) =>
  addRange(
    group.command('export').description('write entries to a file; an import counts those of a CSV file as unchanged'),
  )
    .option('--user <list>', 'only of these users, by id, name or e-mail address, separated by commas')
    .addOption(new Option('--source <list>', 'only of these breakdown items, by id or name').conflicts('user'))
    .option('--kpi <list>', 'only of these KPIs, by id or name')
    .addOption(
      new Option(
        '--layout <layout>',
        'one row per entry; or actuals in one column per KPI, or per user if there is only one KPI',
      )
        .choices(['long', 'wide'])
        .default('long'),
    )
    .option('--names', 'names or e-mail addresses instead of ids, for another account with the same names')
    .option('--excel <locale>', 'write the file for spreadsheets of a locale, such as de-DE')
    .option(
      '--to-file <file>',
      'the file to write, in the format of its ending: .csv, .json, .ndjson, .yaml, .md (also with .gz behind it) or .xlsx; it appears only when complete',
    )
    .option('--force', 'replace a file that is there')

/** Describes the flags of `kpi entries export`. */
export type ExportFlags = ReturnType<ReturnType<typeof declareExport>['opts']>

/** Registers `kpi entries export` */
export const addExport = (group: Command, act: Act): void => {
  const command = declareExport(group)
  addExamples(
    command,
    'entries export --from 2026-01-01 --to-file entries.csv.gz',
    'entries export --user "Ann Lee" --from this-month --names --layout wide',
    'entries export --from last-month --names --to-file entries.xlsx',
    'entries export --kpi Revenue --layout wide --excel de-DE --to-file revenue.csv',
  )
  printsList(command, entry)
  act(
    command,
    async (cli, _, flags) => {
      const { runExport } = await import('./export.ts')
      return runExport(cli, flags)
    },
    {
      fileFormats: EXPORT_FORMATS,
      checks: async (cli, _, flags) => (await import('./export.ts')).readExport(cli, flags).needs,
    },
  )
}
