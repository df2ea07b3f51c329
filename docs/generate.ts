import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { importSummary } from '../src/cli/commands/entries/import/output.ts'
import { processIo } from '../src/cli/io.ts'
import { describeProgram } from '../src/cli/program.ts'
import { isObject } from '../src/codec/json.ts'
import { answerRow } from '../src/domain/analysis/answer-row.ts'
import { describeField } from '../src/domain/field-value.ts'
import { categoryKpi } from '../src/domain/resources/kpi.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import { reportRow } from '../src/domain/resources/report-row.ts'
import { resources } from '../src/domain/resources/index.ts'
import { describeFallback, type Field, type NamedField, type Resource } from '../src/domain/schema.ts'
import { SCOPES } from '../src/domain/scopes.ts'
import { verbsIn } from '../src/domain/variants.ts'
import { SYNONYMS } from '../src/reading/columns/header.ts'
import { problemTitles, problemType } from '../src/server/api/problem.ts'
import { classicRoutes, v1Routes } from '../src/server/api/routes/index.ts'
import { v1Status } from '../src/server/api/status.ts'
import { format, resolveConfig } from 'prettier'
import { settingSentence, ALL_SETTINGS, fieldName, type Setting } from '../src/cli/target/settings.ts'
import { jobSchema } from './job-schema.ts'
import { manPages } from './man-pages.ts'
import { outputSchemas } from './output-schemas.ts'
import { settingsSchema } from './settings-schema.ts'

const INTRODUCTION = `# Reference

Made from the code by \`npm run docs\`; a test holds it to the code.
`

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

const optionRow = ({ flags, description, defaultValue, argChoices }: Option): string[] => [
  `\`${flags}\``,
  description +
    (argChoices === undefined ? '' : `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`) +
    (defaultValue === undefined || typeof defaultValue === 'boolean' ? '' : ` (default: ${String(defaultValue)})`),
]

const commandText = (command: CommandUnknownOpts, path: string): string => {
  const own = [`### ${path}`, command.description(), `\`${path} ${command.usage()}\``]
  if (command.options.length > 0) own.push(table(['Flag', 'Is'], command.options.map(optionRow)))
  return own.join('\n\n')
}

/** The commands that do something, each with the words that lead to it; a group with flags does something, too. */
const leaves = (command: CommandUnknownOpts, path: string): string[] => [
  ...(command.commands.length === 0 || command.options.length > 0 ? [commandText(command, path)] : []),
  ...command.commands.flatMap((one) => leaves(one, `${path} ${one.name()}`)),
]

const limits = (field: Field): string => {
  const parts = [field.oneOf ? field.oneOf.join(', ') : describeField(field)]
  if (field.max !== undefined) parts.push(`at most ${field.max} characters`)
  if (field.form) parts.push(field.form.says)
  return parts.join('; ')
}

const marks = (field: Field): string =>
  [
    field.newer && 'newer variant only',
    field.readOnly && 'read only',
    field.writeOnly && 'write only',
    field.required && !field.readOnly && 'mandatory',
    describeFallback(field),
    field.lenient && 'may be left out of a new one in the classic interface',
  ]
    .filter((mark) => typeof mark === 'string')
    .join(', ')

const fieldRow = ({ name, field }: NamedField): string[] => [`\`${name}\``, field.about, limits(field), marks(field)]

/** What can be done to it, in which variant. */
const verbsText = (of: Resource): string => {
  const [classic, newer] = [verbsIn('classic', of).join(', '), verbsIn('v1', of).join(', ')]
  if (classic === newer) return `\`${of.path}\`: ${classic}`
  if (newer === '') return `\`${of.path}\`, in the classic interface only: ${classic}`
  if (classic === '') return `\`${of.path}\`, in the newer variant only: ${newer}`
  return `\`${of.path}\`: ${classic}; in the newer variant ${newer}`
}

const resourceText = (of: Resource): string =>
  [
    `### ${of.title}`,
    verbsText(of),
    ...(of.caution === undefined ? [] : [of.caution]),
    table(
      ['Field', 'Is', 'Holds', ''],
      Object.entries<Field>(of.fields).map(([name, field]) => fieldRow({ name, field })),
    ),
  ].join('\n\n')

const unique = (texts: readonly string[]): string[] => [...new Set(texts)]

/** A scope, the methods that it allows, and below which paths. */
const scopeRow = (scope: string): string[] => {
  const allowed = v1Routes.filter((route) => route.scope === scope)
  const paths = allowed.map(({ path }) => `\`${path.replace(/\/(?:\{\w+\}|list)$/, '')}\``)
  return [`\`${scope}\``, unique(allowed.map(({ method }) => method)).join(', '), unique(paths).join(', ')]
}

/** Errors that no problem tells: the client's own two, one that is told as `unavailable`, and one that comes before the path. */
const UNTOLD: ReadonlySet<string> = new Set<ErrorCode>(['unsupported', 'locked', 'unusable', 'head_too_large'])

const isErrorCode = (text: string): text is ErrorCode => text in problemTitles

const problemRows = (): string[][] =>
  Object.keys(problemTitles)
    .filter(isErrorCode)
    .filter((code) => !UNTOLD.has(code))
    .map((code) => [String(v1Status[code]), `\`${problemType(code)}\``, problemTitles[code]])
    .sort(([left], [right]) => Number(left) - Number(right))

const newerText = (): string =>
  [
    '## Scopes\n',
    'What a key of the newer variant may do, by its scopes:\n',
    `${table(['Scope', 'Allows', 'At and below'], SCOPES.map(scopeRow))}\n`,
    '## Problems\n',
    'What the newer variant refuses a request with, as `application/problem+json`:\n',
    `${table(['Status', 'Type', 'Title'], problemRows())}\n`,
  ].join('\n')

const fileText = (): string =>
  [
    '## Files that are loaded\n',
    `${table(
      ['Column', 'May be called'],
      Object.entries(SYNONYMS)
        .filter(([, names]) => names.length > 0)
        .map(([role, names]) => [`\`${role}\``, names.join(', ')]),
    )}\n`,
    'What an import says at its end:\n',
    `${table(
      ['Field', 'Is'],
      importSummary.shown.map(({ name, field }) => [`\`${name}\``, field.about]),
    )}\n`,
  ].join('\n')

/** The languages whose names of months are read, as the file of words has them. */
const languagesText = (): string => {
  const file = join(import.meta.dirname, '..', 'src/reading/formats/calendar-words.json')
  const languages: Readonly<Record<string, { readonly name: string }>> = JSON.parse(readFileSync(file, 'utf8'))
  const named = Object.entries(languages).map(([code, { name }]) => `${name} (\`${code}\`)`)
  return [
    '## Languages of dates\n',
    'Names of months, and of days of the week beside a date, are read in these languages, in full and shortened, in any case,',
    'with or without accents. A date format names one of them by its code, as in `MMM YYYY@pl`, where the name of a month is that',
    'of another one elsewhere:\n',
    `${named.toSorted().join(', ')}.\n`,
  ].join('\n')
}

/** The fields that answers have beside those of a report row. */
const answerText = (): string =>
  [
    '## Answers about a report\n',
    'What `kpi report` adds to the fields of a [report row](#report-row) where it is asked [a question](reports.md):\n',
    `${table(
      ['Field', 'Is', 'Holds'],
      answerRow.shown
        .filter(({ name }) => !(name in reportRow.fields))
        .map(({ name, field }) => [`\`${name}\``, field.about, limits(field)]),
    )}\n`,
  ].join('\n')

/** Whether a variant has it; the field table may be ahead of both. */
const isServed = (of: Resource): boolean => [...classicRoutes, ...v1Routes].some(({ path }) => path === of.path)

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
    languagesText(),
    answerText(),
    newerText(),
    '## Resources\n',
    'Each variant is described in OpenAPI 3.1, for anybody who asks: at `/api/openapi.json` and at `/v1/openapi.json`.\n',
    'Paths are below `/api`, and below `/v1` in [the newer variant](newer.md). Mandatory fields are needed to make one;',
    'read-only ones are ignored when sent. In the classic interface a new KPI may leave out its category, which is the first of',
    'the account then, and its aggregate function, which is SUM.\n',
    `The KPIs of one category are at \`${categoryKpi.path}\`, too.\n`,
    ...resources.filter(isServed).map((of) => `${resourceText(of)}\n`),
  ].join('\n')
}

/** The schemas as the file holds them. */
export const schemasText = async (): Promise<string> => `${JSON.stringify(await outputSchemas(), null, 1)}\n`

/** The schema of jobs as the file holds it. */
export const jobSchemaText = async (): Promise<string> => `${JSON.stringify(await jobSchema(), null, 1)}\n`

/** The schema of the project file as the file holds it. */
export const settingsSchemaText = (): string => `${JSON.stringify(settingsSchema(), null, 1)}\n`

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

const settingRow = (setting: Setting<unknown>): string[] => {
  const { name, sources, usual, usually } = setting
  const { flag, profileFlag, variables = [], project, profile } = sources
  const field = codes([fieldName(setting)])
  return [
    name,
    codes([flag ?? profileFlag ?? []].flat()),
    codes(variables),
    project ? field : '',
    profile ? field : '',
    usually ?? (typeof usual === 'string' ? codes([usual]) : ''),
    settingSentence(setting),
  ]
}

/** The tables of settings in pages, by the file and the words of the comment that begins and ends each. */
const SETTING_TABLES: Readonly<Record<string, () => string>> = {
  'docs/settings.md': () =>
    table(['Setting', 'Flag', 'Variable', '`kpi.yaml`', 'Profile', 'Otherwise', 'Is'], ALL_SETTINGS.map(settingRow)),
  'README.md': () =>
    table(
      ['Variable', 'Is'],
      ALL_SETTINGS.flatMap((one) =>
        one.sources.variables ? [[codes(one.sources.variables), settingSentence(one)]] : [],
      ),
    ),
}

export const SETTING_PAGES = Object.keys(SETTING_TABLES)

/** A page with its table of settings, between the comments that hold its place. */
export const settingsPage = async (page: string): Promise<string> => {
  const file = join(import.meta.dirname, '..', page)
  const text = readFileSync(file, 'utf8').replace(
    /(?<=<!-- settings -->\n)[^]*(?=<!-- end of settings -->)/,
    () => `\n${SETTING_TABLES[page]?.()}\n\n`,
  )
  return format(text, { ...(await resolveConfig(file)), parser: 'markdown' })
}

const MANIFEST = join(import.meta.dirname, '..', 'package.json')

/** The package's manifest with the list of its manual pages: npm installs those that are named there, and no folder. */
export const manifestText = async (): Promise<string> => {
  const manifest: unknown = JSON.parse(readFileSync(MANIFEST, 'utf8'))
  const man = [...(await manPages()).keys()].toSorted().map((name) => `./man/${name}`)
  return `${JSON.stringify({ ...(isObject(manifest) && manifest), man }, null, 2)}\n`
}

if (import.meta.main) {
  writeFileSync(MANIFEST, await manifestText())
  writeFileSync(join(import.meta.dirname, 'reference.md'), await reference())
  writeFileSync(join(import.meta.dirname, 'output-schemas.json'), await schemasText())
  writeFileSync(join(import.meta.dirname, 'job-schema.json'), await jobSchemaText())
  writeFileSync(join(import.meta.dirname, 'settings-schema.json'), settingsSchemaText())
  for (const page of SETTING_PAGES) writeFileSync(join(import.meta.dirname, '..', page), await settingsPage(page))
  for (const [name, text] of await manPages()) writeFileSync(join(import.meta.dirname, '..', 'man', name), text)
}
