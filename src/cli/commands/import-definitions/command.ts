import { type Command, Option } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { collect, type FieldFlag } from '../../args/flags.ts'
import { decimalFlag, encodingFlag, separatorFlag } from '../../args/format-flags.ts'
import type { Act } from '../../cli.ts'
import type { DefinitionClient } from './send.ts'
import { commandName } from '../verbs/samples.ts'

const CONFLICTS = ['update', 'skip', 'error'] as const

const describeImport = (of: Resource): string => `
A column holds the field of its name: ${of.writable.map(({ name }) => name).join(', ')}; or the name of
what an id refers to, or one that --map gives it. A row whose ${'email' in of.fields ? 'e-mail address' : 'name'} exists already changes that ${of.title} where a cell
differs; an empty cell keeps the stored value. Everything is checked before the first row is sent. Rows that cannot be
imported go to data.rejects.csv for data.csv, with the reasons. The same command continues a run that was cut off.`

/** Adds `import`, which creates and changes records from a CSV file or workbook. */
export const addImport = (
  group: Command,
  act: Act,
  of: Resource,
  collection: (client: Client, parent?: number) => DefinitionClient,
  below?: FieldFlag,
): void => {
  const command = group
    .command('import')
    .description(
      `create and change ${of.title === 'KPI' ? 'KPIs' : of.plural.replaceAll('_', ' ')} from a CSV file or workbook, or - for standard input`,
    )
    .argument('<file>', 'the file, or its https: address')
    .option('--map <field=column,...>', 'which column holds a field, where its name does not say so', collect)
    .option('--ignore <column,...>', 'columns to leave out', collect)
    .addOption(
      new Option('--on-conflict <what>', 'what to do with those that exist already')
        .choices(CONFLICTS)
        .default('update'),
    )
    .option('--dry-run', 'do everything except sending, and show what would change in each row')
    .option('--summary-only', 'with --dry-run: only the counts')
    .option('--max-errors <n>', 'send nothing if more rows than this, or than this share (5%), are rejected')
    .addOption(separatorFlag())
    .addOption(encodingFlag())
    .addOption(decimalFlag())
    .option('--skip-lines <n>', 'lines before the header, such as titles (default: found)')
    .option('--sheet <sheet>', 'the sheet of a workbook, by name or number (default: the only one with rows)')
    .option('--rejects <file>', 'the file for the rejected rows')
  const flag = below && `--${below.flag} <id|name>`
  if (flag !== undefined) command.option(flag, `${below?.field.about ?? ''} of all rows`)
  command.addHelpText('after', describeImport(of))
  addExamples(
    command,
    `${commandName(of)} import ${commandName(of)}.csv --dry-run`,
    `${commandName(of)} import ${commandName(of)}.csv --on-conflict skip`,
  )
  act(command, async (cli, [file], { map, ignore, onConflict, ...flags }) => {
    const { runDefinitionImport } = await import('./run.ts')
    const { [below?.flag ?? '']: parent, ...others }: Readonly<Record<string, unknown>> = flags
    const what = { of, collection, columns: { map, ignore }, onConflict }
    return runDefinitionImport(cli, file, others, { ...what, parent: typeof parent === 'string' ? parent : undefined })
  })
}
