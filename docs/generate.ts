import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { importSummary } from '../src/cli/import/output.ts'
import { processIo } from '../src/cli/io.ts'
import { describeProgram } from '../src/cli/program.ts'
import { fieldSays } from '../src/domain/field-value.ts'
import { categoryKpi } from '../src/domain/resources/kpi.ts'
import { resources } from '../src/domain/resources/index.ts'
import type { Field, NamedField, Resource } from '../src/domain/schema.ts'
import { SYNONYMS } from '../src/load/header.ts'
import { classicRoutes as routes } from '../src/server/routes/index.ts'

const INTRODUCTION = `# Reference

Made from the code by \`npm run docs\`; a test holds it to the code.
`

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

const optionRow = ({ flags, description, defaultValue }: Option): string[] => [
  `\`${flags}\``,
  description +
    (defaultValue === undefined || typeof defaultValue === 'boolean' ? '' : ` (default: ${String(defaultValue)})`),
]

const commandText = (command: Command, path: string): string => {
  const own = [`### ${path}`, command.description(), `\`${path} ${command.usage()}\``]
  if (command.options.length > 0) own.push(table(['Flag', 'Is'], command.options.map(optionRow)))
  return own.join('\n\n')
}

/** The commands that do something, each with the words that lead to it. */
const leaves = (command: Command, path: string): string[] =>
  command.commands.length === 0
    ? [commandText(command, path)]
    : command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`))

const limits = (field: Field): string => {
  const parts = [field.oneOf ? field.oneOf.join(', ') : fieldSays(field)]
  if (field.max !== undefined) parts.push(`at most ${field.max} characters`)
  if (field.form) parts.push(field.form.says)
  return parts.join('; ')
}

const marks = (field: Field): string => {
  if (field.readOnly) return 'read only'
  if (field.writeOnly) return 'write only'
  if (!field.required) return ''
  return field.lenient ? 'mandatory, may be left out of a new one' : 'mandatory'
}

const fieldRow = ({ name, field }: NamedField): string[] => [`\`${name}\``, field.about, limits(field), marks(field)]

const resourceText = (of: Resource): string => {
  const fields = Object.entries<Field>(of.fields)
    .filter(([, { newer }]) => !newer)
    .map(([name, field]) => fieldRow({ name, field }))
  return [
    `### ${of.title}`,
    `\`${of.path}\`: ${of.verbs.join(', ')}`,
    ...(of.caution === undefined ? [] : [of.caution]),
    table(['Field', 'Is', 'Holds', ''], fields),
  ].join('\n\n')
}

const fileText = (): string =>
  [
    '## Files that are loaded\n',
    `${table(
      ['Column', 'May be called'],
      Object.entries(SYNONYMS).map(([role, names]) => [`\`${role}\``, names.join(', ')]),
    )}\n`,
    'What an import says at its end:\n',
    `${table(
      ['Field', 'Is'],
      importSummary.shown.map(({ name, field }) => [`\`${name}\``, field.about]),
    )}\n`,
  ].join('\n')

/** Whether the interface has it; the field table is ahead of it. */
const isServed = (of: Resource): boolean => routes.some(({ path }) => path === of.path)

/** The reference: every command with its flags, every resource with its fields. */
export const reference = async (): Promise<string> => {
  const program = await describeProgram('', processIo())
  return [
    INTRODUCTION,
    '## Flags of every command\n',
    `${table(['Flag', 'Is'], program.options.map(optionRow))}\n`,
    '## Commands\n',
    ...program.commands.flatMap((group) => leaves(group, `kpi ${group.name()}`)).map((text) => `${text}\n`),
    fileText(),
    '## Resources\n',
    'The whole interface is described in OpenAPI 3.1 at `/api/openapi.json`, for anybody who asks.\n',
    'Paths are below `/api`. Mandatory fields are needed to make one; read-only ones are ignored when sent. A new KPI may leave',
    'out its category, which is the first of the account then, and its aggregate function, which is SUM.\n',
    `The KPIs of one category are at \`${categoryKpi.path}\`, too.\n`,
    ...resources.filter(isServed).map((of) => `${resourceText(of)}\n`),
  ].join('\n')
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'reference.md'), await reference())
