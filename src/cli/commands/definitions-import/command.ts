import { type Command, Option } from '@commander-js/extra-typings'
import type { NamedField, Resource } from '../../../domain/schema.ts'
import { markFirst } from '../../args/first-flags.ts'
import { addFlags, collect, type FieldFlag, fieldFlags, flagName } from '../../args/flags.ts'
import { SUMMARY_ONLY } from '../../args/dry-run.ts'
import {
  decimalFlag,
  emailPatternFlag,
  encodingFlag,
  ignoreRowsFlag,
  recordsFlag,
  rejectsFlag,
  scaleFlag,
  separatorFlag,
  sheetFlag,
  skipLinesFlag,
} from '../../args/format-flags.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import { rolesOf } from '../../../reading/definitions/roles.ts'
import { FOLLOW_TARGETS, KEEP_HISTORY, type TargetFlags } from '../targets/target-flags.ts'
import type { Act } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { commandName } from '../verbs/samples.ts'

/** Lists what becomes of what exists already. */
const ON_CONFLICT = ['update', 'skip', 'error'] as const

const parentOf = (of: Resource): readonly NamedField[] => {
  const [, name] = /\{(\w+)\}/.exec(of.path) ?? []
  return of.shown.filter((one) => one.name === name)
}

/** Returns the flags that stand for a column of all rows: of what many records have alike. */
export const constantFlags = (of: Resource): FieldFlag[] => {
  const parents = parentOf(of).map((one) => ({ ...one, flag: flagName(one.name) }))
  const alike = fieldFlags(of).filter(
    ({ name, field }) =>
      field.refers !== undefined || field.oneOf || field.kind === 'boolean' || name === 'breakdown_id',
  )
  return [...parents, ...alike]
}

/** Is the flag that creates groups and their items which a file gives people. */
export const CREATE_MISSING_ITEMS = [
  '--create-missing',
  'create the groups and group items that the file names and the service does not have',
] as const

/** Is the flag that creates what a file of KPIs names. */
const CREATE_MISSING_NAMES = [
  '--create-missing',
  'create the categories and units that the file names and the service does not have',
] as const

/** Lists the columns that a file may have. */
const columnsOf = (of: Resource): string =>
  rolesOf({ of, within: parentOf(of)[0]?.name })
    .map(({ role }) => role)
    .join(', ')

const GROUPS = `
A column that is named as a group gives people its items: Shop, Region. Of any other column --map says that it does:
--map group-item:Shop=Filiale. Items that people have besides stay.
`

const DATED = ` A column that is called by a
year, a quarter, a month or a day (2027, Q1 2027) holds the target from its first day on; so does a row with that in a column
"valid from". Other days keep theirs.
`

const EXAMPLES = (of: Resource, file: string, sample: string): string => `
Columns: ${columnsOf(of)}.${of.name === kpi.name ? DATED : '\n'}They are recognised by these names and similar ones, in the languages of the usual spreadsheets; others are named with --map. A row whose
${'email' in of.fields ? 'e-mail address' : 'name'} the service has changes the fields that differ, any other row creates; an empty cell keeps the stored value. All
rows are checked before the first is sent. Rows that cannot be imported go to ${file}.rejects.csv for ${file}.csv, with
the reasons: fix them there and import that file. If a run is stopped or killed, the same command continues it.
${of.name === user.name ? GROUPS : ''}
Examples:
  kpi ${commandName(of)} import ${file}.csv${sample === '' ? '' : ` ${sample}`} --dry-run
  kpi ${commandName(of)} import ${file}.csv${sample === '' ? '' : ` ${sample}`} --on-conflict error`

/** Declares `import` and its flags. */
const declareImport = (group: Command) =>
  group
    .command('import')
    .description('create or change many, from a CSV file, a workbook or JSON, or - for standard input')
    .argument('<file>', 'the file, or its https: address')
    .option('--map <column=header,...>', 'which header a column of the file has: category=Bereich', collect)
    .option('--ignore <header,...>', 'columns to leave out', collect)
    .option('--by-id <column,...>', 'columns whose numbers are ids, where they could also be names', collect)
    .option('--by-name <column,...>', 'columns whose texts are names: 7 is not the id 7, and N/A is meant', collect)
    .addOption(
      new Option('--on-conflict <what>', 'what to do with a row of something that exists already')
        .choices(ON_CONFLICT)
        .default('update'),
    )
    .option('--only-existing', 'change what exists already, and reject the rows of anything new')
    .addOption(
      new Option('--empty <what>', 'what an empty cell does to the stored value (default: keep)').choices([
        'keep',
        'clear',
      ]),
    )
    .addOption(separatorFlag())
    .addOption(encodingFlag())
    .addOption(decimalFlag())
    .addOption(scaleFlag())
    .addOption(skipLinesFlag())
    .addOption(ignoreRowsFlag())
    .addOption(sheetFlag())
    .addOption(recordsFlag())
    .option('--dry-run', 'do everything except sending, and show old and new values of each row')
    .option(...SUMMARY_ONLY)
    .addOption(rejectsFlag())
    .option('--max-errors <n>', 'stop if more rows than this are rejected: a number, or a percentage such as 5%')
    .option('--rate <n>', 'send at most this many requests per minute')
    .option('--journal <folder>', 'the folder for the record of the run, from which it continues if it was stopped')

/** Describes the flags of an import of definitions. */
export type DefinitionFlags = ReturnType<ReturnType<typeof declareImport>['opts']> &
  TargetFlags & { readonly createMissing?: true | undefined; readonly emailPattern?: string | undefined }

/** Adds `import`, which creates and changes many records from a file. */
export const addImport = (group: Command, act: Act, of: Resource, sample = ''): void => {
  const command = addFlags(
    declareImport(group).optionsGroup('Instead of a column, for all rows:'),
    constantFlags(of),
    'update',
  )
  if (of.name === kpi.name)
    command
      .option(...CREATE_MISSING_NAMES)
      .option(...KEEP_HISTORY)
      .option(...FOLLOW_TARGETS)
  if (of.name === user.name) command.option(...CREATE_MISSING_ITEMS).addOption(emailPatternFlag())
  command.addHelpText('after', EXAMPLES(of, commandName(of), sample))
  addOutput(command, async () => (await import('./run.ts')).definitionPrints)
  markFirst(command, ['--map', '--ignore', '--on-conflict', '--only-existing', '--decimal', '--sheet', '--dry-run'])
  act(command, async (cli, [file], flags) => {
    const { runDefinitionImport } = await import('./run.ts')
    return runDefinitionImport(cli, of, file, flags)
  })
}
