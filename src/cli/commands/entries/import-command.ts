import { type Command, Option } from 'commander'
import { DATE_TOKENS } from '../../../import/formats/date-format.ts'
import {
  DECIMALS,
  ENCODINGS,
  LAYOUTS,
  ON_CONFLICT,
  ON_DUPLICATE,
  separatorName,
  SEPARATORS,
} from '../../../import/options.ts'
import type { Act } from '../../cli.ts'

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

const EXAMPLES = `
Columns are found by their names: user (id, e-mail or name), kpi (id or name), date, actual, target, notes. Through the
newer interface (/v1) source, a breakdown item by id or name, may stand instead of user, or beside it. A wide file has
a column for each KPI, or for each user, headed by its name.

Everything is checked before the first row is sent. Rows that cannot be loaded go to data.rejects.csv for data.csv, with
the reasons: mend them there and import that file. Whatever stops a run, the same command goes on.

Exit codes: 0 done, 1 refused or given up, 2 wrong usage, 3 some rows rejected, 4 not authorised, 5 not reachable and
nothing sent, 6 stopped with work left, 7 not in this variant, 8 running already, 130 interrupted.

Examples:
  kpi entries import data.csv --dry-run
  kpi entries import daily.csv --user "Ann Lee"
  kpi entries import regions.csv --kpi Revenue --create-assignments
  kpi entries import export.csv --map date=Day,actual="Net sales" --ignore Region
  kpi entries import north.csv south.csv --deadline 06:00 --max-errors 1%`

/** Registers `kpi entries import` */
export const addImport = (group: Command, act: Act): void => {
  const command = group
    .command('import')
    .description('load entries from CSV files, or - for standard input; the same command continues what was stopped')
    .argument('<file...>', 'the files, loaded one after another')
    .optionsGroup('What the columns mean:')
    .option('--user <user>', 'the user of all rows')
    .addOption(new Option('--source <item>', 'the breakdown item of all rows, instead of a user').conflicts('user'))
    .option('--kpi <kpi>', 'the KPI of all rows')
    .option('--date <date>', 'the date of all rows')
    .option('--map <role=column,...>', 'which column is the user, source, kpi, date, actual, target or notes', collect)
    .option('--ignore <column,...>', 'columns to leave out', collect)
    .option(
      '--by-id <role,...>',
      'columns whose numbers are ids, where they may be names, too: user, source, kpi',
      collect,
    )
    .option('--by-name <role,...>', 'columns whose numbers are names, so that 7 is not what has the id 7', collect)
    .addOption(new Option('--layout <layout>', 'a row an entry, or a column a KPI or user').choices(LAYOUTS))
    .optionsGroup('What rows mean:')
    .addOption(
      new Option('--empty <what>', 'what an empty cell does (keep, if nothing is said)').choices(['keep', 'clear']),
    )
    .option('--strict', 'reject values with more than four decimals, instead of rounding them')
    .addOption(
      new Option(
        '--on-duplicate <what>',
        'what to do where the file gives a user, KPI and date more than once (error, if nothing is said)',
      ).choices(ON_DUPLICATE),
    )
    .optionsGroup('How the file is written:')
    .addOption(
      new Option('--separator <sign>', 'what stands between cells, where it is not found out').choices(
        SEPARATORS.map(separatorName),
      ),
    )
    .addOption(new Option('--encoding <name>', 'how letters are written, where it is not found out').choices(ENCODINGS))
    .addOption(new Option('--decimal <sign>', 'the decimal sign of numbers').choices(DECIMALS))
    .option('--date-format <format>', `how dates are written, such as DD.MM.YYYY, MMM-YY or YYYY-[W]WW: ${DATE_TOKENS}`)
    .option('--mapping <name>', 'read the file by a mapping that was saved')
    .option('--save-mapping <name>', 'save how the file is read, for --mapping')
    .option('--explain', 'say how the file is read, and which rows show that; nothing is sent')
    .optionsGroup('What becomes of entries:')
    .addOption(
      new Option('--on-conflict <what>', 'what to do with an entry that is there already')
        .choices(ON_CONFLICT)
        .default('update'),
    )
    .option('--only-changes', 'read what is there first, and send only what differs')
    .option('--add-again', 'with --on-conflict add: add rows too that an unfinished import may have added')
    .option('--create-assignments', 'assign KPIs to users where the rows need it')
    .optionsGroup('Before and after:')
    .option('--dry-run', 'do all but send, and say what each row would do')
    .option('--rejects <file>', 'where the rejected rows go')
    .option('--max-errors <n>', 'give up once more rows are rejected, or a greater share of them: 100, 5%')
    .option('--verify', 'read everything back in the end and compare')
    .option('--receipt <file>', 'with --verify: where to write what was sent and found')
    .optionsGroup('How it runs:')
    .option('--rate <n>', 'at most so many requests a minute')
    .option('--deadline <time>', 'stop cleanly at this time, 06:30, or after so long, 30m (default: 24h)')
    .option('--journal <folder>', 'where it is kept how far the run is')
    .addHelpText('after', EXAMPLES)
  act(command, async (cli, files, flags) => {
    const { runImport } = await import('./import/run.ts')
    return runImport(cli, files, flags)
  })
}
