import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { nameColumns } from '../src/cli/commands/verbs/reference-names.ts'
import { processIo } from '../src/cli/io.ts'
import { outputOf, type Printed } from '../src/cli/output/printed.ts'
import { describeProgram } from '../src/cli/program.ts'
import type { Field } from '../src/domain/schema.ts'
import { type Schema, shownField } from '../src/server/api/openapi/field-schemas.ts'

/** The commands that print records, each with the words that lead to it. */
export const printingCommands = (
  command: CommandUnknownOpts,
  path: string,
): { readonly path: string; readonly command: CommandUnknownOpts }[] => [
  ...(outputOf(command) ? [{ path, command }] : []),
  ...command.commands.flatMap((one) => printingCommands(one, `${path} ${one.name()}`)),
]

const hasFlag = ({ options }: CommandUnknownOpts, flag: string): boolean => options.some(({ long }) => long === flag)

const TEXT_OR_NULL = (about: string): Schema => ({ description: about, type: ['string', 'null'] })

/** One record: columns may be missing where `--columns` chooses them, and names are there with `--names`. */
const recordSchema = ({ of, more = [], isOpen }: Printed, isWhole: boolean): Schema => {
  const shown = Object.entries<Field>(of.fields)
    .filter(([, field]) => !field.writeOnly)
    .map(([name, field]) => ({ name, field }))
  const fields = [...more, ...shown].map(({ name, field }) => [name, shownField(field)] as const)
  const names = nameColumns({ ...of, shown }).map(({ name, field }) => [name, TEXT_OR_NULL(field.about)] as const)
  return {
    type: 'object',
    description: `One ${of.title}.`,
    properties: Object.fromEntries([...fields, ...names]),
    ...(isWhole && { required: of.shown.map(({ name }) => name) }),
    additionalProperties: isOpen === true,
  }
}

/** The schema of what a command prints; those of its records are kept under names of their own. */
const schemaOf = (printed: Printed, command: CommandUnknownOpts, records: Map<string, Schema>): Schema => {
  const isWhole = !printed.isOpen && !hasFlag(command, '--columns')
  const name = [printed.of.name, ...(isWhole ? [] : ['columns']), ...(printed.more ? ['of file'] : [])].join(', ')
  records.set(name, recordSchema(printed, isWhole))
  const record = { $ref: `#/$defs/${encodeURIComponent(name)}` }
  return printed.isList ? { type: 'array', items: record } : record
}

/** The JSON Schema of what each command prints under `-o json`, by its words, and of the records in it. */
export const outputSchemas = async (): Promise<Schema> => {
  const program = await describeProgram('', processIo())
  const commands: Record<string, Schema> = {}
  const records = new Map<string, Schema>()
  for (const { path, command } of program.commands.flatMap((group) => printingCommands(group, `kpi ${group.name()}`))) {
    const printed = (await outputOf(command)?.prints()) ?? []
    const [only = {}, ...others] = printed.map((one) => schemaOf(one, command, records))
    commands[path] = others.length === 0 ? only : { anyOf: [only, ...others] }
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'What each command prints under -o json. Made from the code by `npm run docs`.',
    $defs: { ...commands, ...Object.fromEntries(records) },
  }
}
