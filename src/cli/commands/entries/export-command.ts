import { type Command, Option } from 'commander'
import { LAYOUTS } from '../../../import/options.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'

/** Registers `kpi entries export` */
export const addExport = (group: Command, act: Act): void => {
  const command = group
    .command('export')
    .description('write entries as a CSV file, which imports as what is there already')
    .option('--from <day>', 'first day: a date, today, -7d, this-month and the like', '-30d')
    .option('--to <day>', 'last day', 'today')
    .option('--user <list>', 'only of these users, by id, name or e-mail address, with commas between them')
    .addOption(new Option('--source <list>', 'only of these breakdown items, by id or name').conflicts('user'))
    .option('--kpi <list>', 'only of these KPIs, by id or name')
    .addOption(
      new Option('--layout <layout>', 'a row an entry; or actuals with a column a KPI, or a user of the only KPI')
        .choices(LAYOUTS)
        .default('long'),
    )
    .option('--names', 'names instead of ids, where they name but one')
    .option('--excel <locale>', 'as a spreadsheet of a locale such as de-DE opens it right')
    .option('--to-file <file>', 'where to write it, whole or not at all; compressed where it ends in .gz')
  addExamples(
    command,
    'entries export --from 2026-01-01 --to-file entries.csv.gz',
    'entries export --user "Ann Lee" --from this-month --names --layout wide',
    'entries export --kpi Revenue --layout wide --excel de-DE --to-file revenue.csv',
  )
  act(command, async (cli, _, flags) => {
    const { runExport } = await import('./export.ts')
    return runExport(cli, flags)
  })
}
