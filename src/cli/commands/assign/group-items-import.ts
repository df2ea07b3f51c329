import type { Command } from '@commander-js/extra-typings'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import { markFirst } from '../../args/first-flags.ts'
import { collect } from '../../args/flags.ts'
import {
  encodingFlag,
  ignoreRowsFlag,
  recordsFlag,
  rejectsFlag,
  separatorFlag,
  sheetFlag,
  skipLinesFlag,
} from '../../args/format-flags.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { CREATE_MISSING_ITEMS } from '../definitions-import/command.ts'

const EXAMPLES = `
A file has a column of users (id, e-mail or name, also as first and last name), and a column for each group, whose cells are
items of it: Shop, Region. Or it has a column group item, and beside it one of its group. An empty cell does nothing, and
what people have besides stays. Everything is checked before the first row is sent. Rows that cannot be imported go to
places.rejects.csv for places.csv, with the reasons: fix them there and import that file.

Examples:
  kpi assign group-items import places.csv --dry-run
  kpi assign group-items import places.csv --map user=Mitarbeiter,group-item:Shop=Filiale --create-missing`

/** Declares `import` and its flags. */
const declareImport = (group: Command) =>
  group
    .command('import')
    .description('give users group items from a CSV file, a workbook or JSON, or - for standard input')
    .argument('<file>', 'the file, or its https: address')
    .option('--user <user>', 'the user of all rows')
    .option(
      '--map <role=column,...>',
      'which column is the user, group_item, group, or of a group: group-item:Shop=Filiale',
      collect,
    )
    .option('--ignore <column,...>', 'columns to leave out', collect)
    .option('--by-id <role,...>', 'columns whose numbers are ids, where they could also be names: user', collect)
    .option(
      '--by-name <role,...>',
      'columns whose texts are names: 7 is not the id 7, and N/A is meant: user, group, group_item',
      collect,
    )
    .option(...CREATE_MISSING_ITEMS)
    .addOption(separatorFlag())
    .addOption(encodingFlag())
    .addOption(skipLinesFlag())
    .addOption(ignoreRowsFlag())
    .addOption(sheetFlag())
    .addOption(recordsFlag())
    .option('--dry-run', 'do everything except sending, and show what each row gives')
    .option(...SUMMARY_ONLY)
    .option('--ids', 'with --dry-run: show ids beside names')
    .addOption(rejectsFlag())

/** Describes the flags of an import of group items. */
export type GroupItemFlags = ReturnType<ReturnType<typeof declareImport>['opts']>

/** Registers `kpi assign group-items import` */
export const addGroupItemsImport = (group: Command, act: Act): void => {
  const command = declareImport(group)
  command.addHelpText('after', EXAMPLES)
  addOutput(command, async () => (await import('./group-items-run.ts')).groupItemsPrints)
  markFirst(command, ['--user', '--map', '--ignore', '--create-missing', '--sheet', '--dry-run', '--rejects'])
  act(command, async (cli, [file], flags) => {
    const { runGroupItemsImport } = await import('./group-items-run.ts')
    return runGroupItemsImport(cli, file, flags)
  })
}
