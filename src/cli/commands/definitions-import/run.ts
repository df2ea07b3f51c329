import { DID_YOU_MEAN } from '../../../client/nearest.ts'
import { valueText } from '../changes/plan-rows.ts'
import { desiredName } from '../../../changes/records/desired.ts'
import type { Planned } from '../../../changes/plan/plan.ts'
import { unknownName } from '../../../client/directory.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import { category, unit } from '../../../domain/resources/catalog.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { group } from '../../../domain/resources/groups.ts'
import { type AnyRecord, printable, type Resource } from '../../../domain/schema.ts'
import { checkDefinitions, type CheckedDefinitions, tellPlanned } from '../../../reading/definitions/check.ts'
import { kinds } from '../../../changes/records/kind-fields.ts'
import {
  createdBeside,
  type DefinitionKind,
  definitionKind,
  type DefinitionOptions,
  fieldOf,
  mayGiveItems,
} from '../../../reading/definitions/columns.ts'
import { type DefinitionRole, rolesOf } from '../../../reading/definitions/roles.ts'
import { asGroupRole, GROUP_ROLES } from '../../../reading/group-items/columns.ts'
import type { CountedReasons } from '../../../reading/rejects/reason-counts.ts'
import { camelCase, type FlagValues } from '../../args/flags.ts'
import type { Cli } from '../../cli.ts'
import { UsageError, type ExitCode } from '../../exit.ts'
import type { Printed } from '../../output/printed.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { changesText, PLANNED } from '../../output/plan.ts'
import { summary } from '../../output/summary.ts'
import { withClassic } from '../../target/service-of.ts'
import { runRowsImport } from '../changes/import-rows.ts'
import type { JudgedRow } from '../changes/send-rows.ts'
import type { ImportFlags } from '../entries/import-command.ts'
import { columnsByRole, numbersAsOf, requireEmailPattern } from '../entries/import/options.ts'
import { type ParsedOptions, parseOptions } from '../entries/import/parsed-options.ts'
import { commandName } from '../verbs/samples.ts'
import { constantFlags, type DefinitionFlags } from './command.ts'

/** Describes the parsed flags of an import of definitions. */
type DefinitionRun = {
  readonly kind: DefinitionKind
  readonly options: DefinitionOptions
  readonly parsed: ParsedOptions
}

/** Returns the names that `--map` may give a role: its own, and that of the interface's field. */
const namesOfRoles = (roles: readonly DefinitionRole[]): Map<string, string> =>
  new Map(roles.flatMap(({ role, name }) => [[role, role] as const, [name, role] as const]))

const mapOf = (
  kind: DefinitionKind,
  roles: readonly DefinitionRole[],
  given: readonly string[] | undefined,
): Map<string, string> => {
  const names = namesOfRoles(roles)
  const map = mayGiveItems(kind)
    ? columnsByRole(given, [...names.keys()], asGroupRole, GROUP_ROLES)
    : columnsByRole(given, [...names.keys()])
  return new Map([...map].map(([name, header]) => [names.get(name) ?? name, header]))
}

/** Returns the texts of the flags that stand for a column, by role. */
const constantsOf = (of: Resource, roles: readonly DefinitionRole[], flags: FlagValues): Map<string, string> => {
  const texts = constantFlags(of).flatMap(({ flag, name }) => {
    const [text, role] = [flags[camelCase(flag)], roles.find((one) => one.name === name)?.role]
    if (typeof text !== 'string' || role === undefined) return []
    if (text.trim() === '') throw new UsageError(`--${flag} is empty; leave it out to keep what is stored`)
    return [[role, text] as const]
  })
  return new Map(texts)
}

/** Lists the flags that mean the same as of an import of entries. */
const SHARED = [
  'ignore',
  'onConflict',
  'empty',
  'separator',
  'encoding',
  'decimal',
  'scale',
  'skipLines',
  'ignoreRows',
  'sheet',
  'records',
  'dryRun',
  'summaryOnly',
  'rejects',
  'maxErrors',
  'rate',
  'journal',
] as const

const sharedFlags = (flags: DefinitionFlags): ImportFlags =>
  Object.fromEntries(SHARED.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])))

/** Reads the flags of an import of definitions, once nothing is wrong with them. */
const parseDefinitionFlags = (cli: Cli, of: Resource, file: string, flags: DefinitionFlags): DefinitionRun => {
  const kind = definitionKind(of)
  const roles = rolesOf(kind)
  const { map, byId, byName, onlyExisting, emailPattern } = flags
  requireEmailPattern(emailPattern)
  const parsed = parseOptions(cli, [file], sharedFlags(flags))
  const { ignore, ignoreRows, clearEmpty, decimal, scale, onConflict, maxErrors, addAgain } = parsed.options
  const references = roles
    .filter(({ field, name }) => field.refers !== undefined || name === 'breakdown_id')
    .map(({ role }) => role)
  return {
    kind,
    parsed,
    options: {
      ignore,
      ignoreRows,
      clearEmpty,
      decimal,
      scale,
      onConflict,
      maxErrors,
      addAgain,
      ...(onlyExisting && { onlyExisting }),
      resource: of.name,
      map: mapOf(kind, roles, map),
      ...(flags.createMissing && { createMissing: true }),
      ...(emailPattern !== undefined && { emailPattern }),
      constants: constantsOf(of, roles, flags),
      numbersAs: numbersAsOf({ ...(byId && { byId }), ...(byName && { byName }) }, references, [
        ...references,
        ...nameFieldsOf(of),
        ...(mayGiveItems(kind) ? ['group', 'group_item'] : []),
      ]),
    },
  }
}

/** Defines the summary of an import of definitions, as it is printed. */
const definitionSummary = summary(
  'definition_summary',
  'summary of an import of definitions',
  'Records',
  ['read', 'created', 'updated', 'unchanged', 'skipped', 'rejected', 'rounded', 'empty', 'left'],
  {
    left: { kind: 'integer', about: 'Records that were not sent, or may be there twice, because the run was stopped' },
  },
)

/** Defines a row of a dry run of definitions. */
const definitionDryRunRow = printable('definition_dry_run_row', 'row of a dry run of definitions', {
  line: PLANNED.line,
  action: { kind: 'text', about: 'create, update, unchanged, skip or reject' },
  id: { kind: 'integer', about: 'Record that exists already', nullable: true },
  name: { kind: 'text', about: 'Name of the record, or e-mail address of a person', nullable: true },
  changes: { kind: 'text', about: 'Fields with old and new values', nullable: true, isSentence: true },
  reason: PLANNED.reason,
})

/** Lists what an import of definitions may print. */
export const definitionPrints: readonly Printed[] = [
  { of: definitionSummary, isList: false },
  { of: definitionDryRunRow, isList: true },
]

/** Returns the fields that a row sets, with old and new values, in the order and the words of the columns. */
const changesIn = (kind: DefinitionKind, { roles }: CheckedDefinitions, { changes }: Planned): string | null => {
  const [change] = changes
  if (!change) return null
  const fields = roles.flatMap(({ role, name }) => {
    const config = fieldOf(kind, name)
    if (!config || name === kind.key) return []
    const given = change.fields.find((one) => one.config.name === config.name)
    const value = given ? given.after : change.defaults?.[config.as]
    if (value === undefined) return []
    return [{ field: role, old: given ? valueText(config, given.before) : null, new: valueText(config, value) }]
  })
  return changesText(fields, change.action !== 'update')
}

/** Says which group items a person would be given: `Shop: North`. */
const itemsIn = (beside: readonly Planned[]): string[] =>
  beside.flatMap(({ action, record }) => {
    const item = record?.above['group_item']
    return action === 'create' && item ? [`${item.above['group']?.name ?? 'group item'}: ${item.name}`] : []
  })

/** Returns a row of a dry run as a record. */
const dryRunRecord = (
  kind: DefinitionKind,
  checked: CheckedDefinitions,
  row: JudgedRow,
  beside: readonly Planned[],
): AnyRecord => {
  if (row.action === 'reject') return { ...row, id: null, name: checked.names.get(row.line) ?? null, changes: null }
  const { action, desired, record } = row
  const given = itemsIn(beside)
  const changes = [changesIn(kind, checked, row) ?? [], given].flat()
  return {
    line: desired.line,
    action: action === 'unchanged' && given.length > 0 ? 'update' : action,
    id: record?.stored ? Number(record.stored['id']) : null,
    name: desiredName(desired),
    changes: changes.length === 0 ? null : changes.join('; '),
    reason: null,
  }
}

/** Lists what definitions name that has a command of its own. */
const NAMED = [
  [category, 'categories'],
  [unit, 'units'],
  [group, 'groups'],
] as const

/** Says how to create what rows name and the service does not have. */
const adviceOn = ({ shown }: CountedReasons): string[] => [
  ...NAMED.filter(([{ title }]) =>
    shown.some(({ reason }) => reason.includes(unknownName(title)) && !reason.includes(DID_YOU_MEAN)),
  ).map(([, noun]) => `kpi ${noun} list shows the ${noun} that are there; kpi ${noun} import FILE creates more`),
  // Name the category that new KPIs get by default, if it was deleted.
  ...(shown.some(({ reason }) => / needs (?:\w+, )*category\b/.test(reason))
    ? [
        `new KPIs go to the category ${DEFAULT_CATEGORY}, which is not there: kpi categories create --name ${DEFAULT_CATEGORY} makes it, --category NAME takes another`,
      ]
    : []),
]

const DEFAULT_CATEGORY = kpi.fields.category_id.usual

/** Runs `import`: reads, checks and sends a file of definitions, or only says what that would do. */
export const runDefinitionImport = (
  cli: Cli,
  of: Resource,
  file: string,
  flags: DefinitionFlags,
): Promise<ExitCode | void> => {
  const { kind, options, parsed } = parseDefinitionFlags(cli, of, file, flags)
  return runRowsImport<CheckedDefinitions>(cli, file, {
    command: `${commandName(of)} import`,
    needs: [
      { of, verb: 'add' },
      { of, verb: 'update' },
      ...(flags.createMissing ? createdBeside(kind).map((name) => ({ of: kinds[name].of, verb: 'add' as const })) : []),
    ],
    words: [of.title, pluralOf(of)],
    parsed,
    flags,
    options,
    hasOwnFlags:
      options.map.size + options.constants.size > 0 ||
      options.onlyExisting === true ||
      options.createMissing === true ||
      options.emailPattern !== undefined,
    withAccount: (client, work) =>
      of.newer ? withClassic(cli, client, (classic) => work({ client, classic })) : work({ client }),
    read: (reading) => checkDefinitions({ ...reading, kind, options }),
    tellPlan: (reading, { snapshot }, plan, isContinued) =>
      tellPlanned({ ...reading, kind, snapshot }, plan, isContinued),
    printed: {
      summary: definitionSummary,
      countsOf: (counts) => counts,
      dryRunRow: definitionDryRunRow,
      recordOf: (checked, row, beside = []) => dryRunRecord(kind, checked, row, beside),
      adviceOn,
    },
  })
}
