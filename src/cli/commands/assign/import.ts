import type { Command } from '@commander-js/extra-typings'
import { markFirst } from '../../args/first-flags.ts'
import { collect } from '../../args/flags.ts'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import {
  decimalFlag,
  encodingFlag,
  ignoreRowsFlag,
  missingFlag,
  recordsFlag,
  rejectsFlag,
  scaleFlag,
  separatorFlag,
  sheetFlag,
  skipLinesFlag,
} from '../../args/format-flags.ts'
import { FOLLOW_TARGETS, KEEP_HISTORY } from '../targets/target-flags.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'

const EXAMPLES = `
Columns are recognised by their names: user (id, e-mail or name), kpi (id or name), target, sort_order. A file may also
be a matrix: a column of users, and a column for each KPI, whose cells hold the targets; an x assigns the KPI without a
target of the user's own, and an empty cell does nothing. A column that is called by a year, a quarter, a month or a day
(2027, Q1 2027) holds the target from its first day on; so does a row with that in a column "valid from". An existing
assignment is changed only where a cell differs; an empty cell keeps the stored value. Everything is checked before the
first row is sent. Rows that cannot be imported go to assignments.rejects.csv for assignments.csv, with the reasons: fix
them there and import that file.

Examples:
  kpi assign import assignments.csv --dry-run
  kpi assign import visitors.csv --kpi Visits --map user=Name`

/** Registers `kpi assign import` */
export const addAssignImport = (group: Command, act: Act): void => {
  const command = group
    .command('import')
    .description('assign KPIs to users from a CSV file, a workbook or JSON, or - for standard input')
    .argument('<file>', 'the file, or its https: address')
    .option('--user <user>', 'the user of all rows')
    .option('--kpi <kpi>', 'the KPI of all rows')
    .option('--map <role=column,...>', 'which column is the user, kpi or target', collect)
    .option('--ignore <column,...>', 'columns to leave out', collect)
    .option('--by-id <role,...>', 'columns whose numbers are ids, where they could also be names: user, kpi', collect)
    .option('--by-name <role,...>', 'columns whose numbers are names, so that 7 does not mean the id 7', collect)
    .addOption(missingFlag())
    .addOption(separatorFlag())
    .addOption(encodingFlag())
    .addOption(decimalFlag())
    .addOption(scaleFlag())
    .addOption(skipLinesFlag())
    .addOption(ignoreRowsFlag())
    .addOption(sheetFlag())
    .addOption(recordsFlag())
    .option(...KEEP_HISTORY)
    .option(...FOLLOW_TARGETS)
    .option('--dry-run', 'do everything except sending, and show old and new values of each row')
    .option(...SUMMARY_ONLY)
    .option('--ids', 'with --dry-run: show ids beside names')
    .addOption(rejectsFlag())
    .addHelpText('after', EXAMPLES)
  addOutput(command, async () => (await import('./run.ts')).assignPrints)
  markFirst(command, ['--user', '--kpi', '--map', '--decimal', '--sheet', '--keep-history', '--dry-run'])
  act(command, async (cli, [file], flags) => {
    const { runAssignImport } = await import('./run.ts')
    return runAssignImport(cli, file, flags)
  })
}
