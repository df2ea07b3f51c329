import { type Command, Option } from '@commander-js/extra-typings'
import { DATE_TOKENS } from '../../../reading/formats/date-format.ts'
import {
  BOOLEANS_AS,
  LAYOUTS,
  ON_CONFLICT,
  ON_DUPLICATE,
  ON_OVERLAP,
  OWNERS_AS,
  PERIOD_DATES,
  TIMES,
  UPPER_ROWS,
} from '../../../reading/options/options.ts'
import { markFirst } from '../../args/first-flags.ts'
import { collect, collectOrAll } from '../../args/flags.ts'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import {
  decimalFlag,
  emailPatternFlag,
  encodingFlag,
  ignoreRowsFlag,
  missingFlag,
  recordsFlag,
  rejectsFlag,
  scaleFlag,
  separatorFlag,
  sheetsFlag,
  skipLinesFlag,
} from '../../args/format-flags.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'

const EXAMPLES = `
Columns are recognised by their names: user (id, e-mail or name), kpi (id or name), date, actual, target, notes. Through
the newer interface (/v1), a column source (a breakdown item by id or name) may replace user, or stand beside it. A wide
file has one column for each KPI, user or breakdown item, with its name in the header, or one for each day or period.

Everything is checked before the first row is sent. Rows that cannot be imported go to data.rejects.csv for data.csv,
with the reasons: fix them there and import that file. If a run is stopped or killed, the same command continues it.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 some rows rejected, 4 not authorised, 5 not reachable and
nothing sent, 6 stopped with work left, 7 not in this variant, 8 running already, 130 interrupted.

Examples:
  kpi entries import data.csv --dry-run
  kpi entries import daily.csv --user "Ann Lee"
  kpi entries import regions.csv --kpi Revenue --create-assignments
  kpi entries import export.csv --map date=Day,actual="Net sales" --ignore Region
  kpi entries import sales.csv --create-missing --dry-run
  kpi entries import report.xlsx --sheet Sales
  kpi entries import orders.json --records data.items --map actual=total
  kpi entries import --sql "select day as date, visits as actual from counts" --kpi Visits --from-db shop.sqlite --user "Ann Lee"
  kpi entries import north.csv south.csv --deadline 06:00 --max-errors 1%`

/** Declares `kpi entries import` and its flags. */
const declareImport = (group: Command) =>
  group
    .command('import')
    .description(
      'import entries from CSV files, workbooks or JSON, or - for standard input; the same command continues a stopped run',
    )
    .argument('[file...]', 'the files, or their https: addresses, imported one after another')
    .optionsGroup('What the columns mean:')
    .option('--user <user>', 'the user of all rows')
    .addOption(new Option('--source <item>', 'the breakdown item of all rows, instead of a user').conflicts('user'))
    .option('--kpi <kpi>', 'the KPI of all rows')
    .option('--date <date>', 'the date of all rows')
    .option(
      '--year <year>',
      'the year of dates without one: months, weeks, quarters or days of a year, as columns or in rows',
    )
    .option(
      '--map <role=column,...>',
      'which column is the user, source, kpi, date, actual, target or notes, or the name or email of new users; several make one: date=year+month+day',
      collect,
    )
    .option('--map-kpi <header=kpi,...>', 'which KPI a header or a name in the file means', collect)
    .option('--columns <column,...>', 'use these columns and no others, beside those of --map', collect)
    .option('--ignore <column,...>', 'columns to leave out', collect)
    .option(
      '--by-id <role,...>',
      'columns whose numbers are ids, where they could also be names: user, source, kpi',
      collect,
    )
    .option(
      '--by-name <role,...>',
      'columns whose cells are names: 7 is not the id 7, and NA not a missing value',
      collect,
    )
    .addOption(
      new Option(
        '--layout <layout>',
        'one row per entry, one column per KPI, user or item, or per day or period',
      ).choices(LAYOUTS),
    )
    .addOption(
      new Option('--as <what>', 'what whom-it-belongs-to names are, where the file does not say it').choices(OWNERS_AS),
    )
    .addOption(
      new Option(
        '--upper-row <what>',
        'what the upper of two rows of names above the columns is, where nothing else says it',
      ).choices(UPPER_ROWS),
    )
    .optionsGroup('What rows mean:')
    .addOption(
      new Option('--empty <what>', 'what an empty cell does to the stored value (default: keep)').choices([
        'keep',
        'clear',
      ]),
    )
    .addOption(missingFlag())
    .addOption(
      new Option(
        '--booleans <what>',
        'what truth values are in columns of values, such as TRUE and FALSE, yes and no: 1 and 0 (default: no numbers)',
      ).choices(BOOLEANS_AS),
    )
    .addOption(
      new Option(
        '--time <what>',
        'what becomes of times of day, as entries have only dates: they are left out, or those that are midnight, within a minute or in another time zone, are that midnight',
      ).choices(TIMES),
    )
    .option(
      '--percent <what,...>',
      'what values below 1 of percentage KPIs are: as-is (0.42 is 0.42 %) or fraction (42 %), or of some: fraction=KPI',
      collect,
    )
    .option('--strict', 'reject values with more than four decimals, instead of rounding them')
    .addOption(
      new Option(
        '--on-duplicate <what>',
        'what to do if several rows have the same user, KPI and date (default: error)',
      ).choices(ON_DUPLICATE),
    )
    .addOption(
      new Option(
        '--period-dates <which>',
        'the day of its period that an entry of a KPI gets that is not daily: the first, the last, or as the file has it; next: the first day of the next week, for weeks that begin on another day than those of the account',
      ).choices(PERIOD_DATES),
    )
    .optionsGroup('How the file is written:')
    .addOption(separatorFlag())
    .addOption(encodingFlag())
    .addOption(decimalFlag())
    .addOption(scaleFlag())
    .addOption(skipLinesFlag())
    .addOption(ignoreRowsFlag())
    .option(
      '--row-names <name>',
      'the name of the first column, where rows have one cell more than the header, as R writes them',
    )
    .addOption(sheetsFlag())
    .addOption(recordsFlag())
    .option('--sql <query>', 'import the result of a query instead of a file: one SELECT, with --from-db')
    .option('--from-db <file>', 'the SQLite database of --sql, which is only read')
    .option('--date-format <format>', `how dates are written, such as DD.MM.YYYY, MMM-YY or YYYY-[W]WW: ${DATE_TOKENS}`)
    .option('--mapping <name>', 'read the file with a saved mapping')
    .option('--save-mapping <name>', 'save how the file is read, for use with --mapping')
    .option('--explain', 'show how the file is read, and which rows are the evidence; nothing is sent')
    .optionsGroup('What happens to entries:')
    .addOption(
      new Option('--on-conflict <what>', 'what to do with an entry that exists already')
        .choices(ON_CONFLICT)
        .default('update'),
    )
    .addOption(
      new Option(
        '--on-overlap <what>',
        'what to do if several files give other values of the same entry, and neither their names nor the times in them say which corrects the other: later takes those of the file that is named later',
      ).choices(ON_OVERLAP),
    )
    .option('--only-changes', 'read the existing entries first, and send only what differs')
    .option('--add-again', 'with --on-conflict add: also add rows that an unfinished import may have added already')
    .option('--create-assignments', 'assign KPIs to users where the rows need it')
    .optionsGroup('What is created if the service does not have it:')
    .option(
      '--create-missing [kinds]',
      'create what the file names and the service lacks, after showing it: all, or some of users,kpis,items,assignments',
      collectOrAll,
    )
    .option('--yes', 'create without asking')
    .addOption(emailPatternFlag())
    .option('--frequency <frequency>', 'the frequency of new KPIs: D, W, M, Q or Y, or daily to yearly')
    .option('--unit <unit>', 'the unit of new KPIs')
    .option('--category <category>', 'the category of new KPIs (default: General)')
    .option('--group <group>', 'the group of new breakdown items (default: the name of their column)')
    .optionsGroup('Before and after:')
    .option('--dry-run', 'do everything except sending, and show old and new values of each row')
    .option(...SUMMARY_ONLY)
    .addOption(rejectsFlag())
    .option(
      '--max-errors <n>',
      'stop if more rows than this are rejected: a number such as 100, or a percentage such as 5%',
    )
    .option('--verify', 'read everything back at the end and compare it')
    .option('--receipt <file>', 'with --verify: the file for the receipt')
    .option('--no-undo', 'keep no receipt of what becomes of entries, so that the import cannot be taken back')
    .optionsGroup('How it runs:')
    .option('--rate <n>', 'send at most this many requests per minute')
    .option('--journal <folder>', 'the folder for the journal, from which a stopped run continues')

/** Describes the flags of an import; one of assignments has some of them. */
export type ImportFlags = Partial<ReturnType<ReturnType<typeof declareImport>['opts']>>

/** Registers `kpi entries import` */
export const addImport = (group: Command, act: Act): void => {
  const command = declareImport(group).addHelpText('after', EXAMPLES)
  addOutput(command, async () => (await import('./import/print.ts')).importPrints)
  markFirst(command, [
    '--user',
    '--kpi',
    '--map',
    '--decimal',
    '--sheet',
    '--on-conflict',
    '--create-assignments',
    '--create-missing',
    '--dry-run',
    '--verify',
  ])
  act(
    command,
    async (cli, [files], flags) => {
      const { runImport } = await import('./import/run.ts')
      return runImport(cli, files, flags)
    },
    { checks: async (cli, [files], flags) => (await import('./import/run.ts')).readImport(cli, files, flags).needs },
  )
}
