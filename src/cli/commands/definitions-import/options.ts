import { nameFieldsOf } from '../../../domain/kinds.ts'
import type { Resource } from '../../../domain/schema.ts'
import { type DefinitionKind, definitionKind, type DefinitionOptions } from '../../../import/definitions/columns.ts'
import { type DefinitionRole, rolesOf } from '../../../import/definitions/roles.ts'
import { camelCase, type FlagValues } from '../../args/flags.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import type { ImportFlags } from '../entries/import-command.ts'
import { columnsByRole, numbersAsOf } from '../entries/import/options.ts'
import { type ParsedOptions, parseOptions } from '../entries/import/parsed-options.ts'
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

const mapOf = (roles: readonly DefinitionRole[], given: readonly string[] | undefined): Map<string, string> => {
  const names = namesOfRoles(roles)
  const map = columnsByRole(given, [...names.keys()])
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
  'skipLines',
  'ignoreRows',
  'sheet',
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
export const parseDefinitionFlags = (cli: Cli, of: Resource, file: string, flags: DefinitionFlags): DefinitionRun => {
  const kind = definitionKind(of)
  const roles = rolesOf(kind)
  const { map, byId, byName, onlyExisting } = flags
  const parsed = parseOptions(cli, [file], sharedFlags(flags))
  const { ignore, ignoreRows, clearEmpty, decimal, onConflict, maxErrors, addAgain } = parsed.options
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
      onConflict,
      maxErrors,
      addAgain,
      ...(onlyExisting && { onlyExisting }),
      resource: of.name,
      map: mapOf(roles, map),
      constants: constantsOf(of, roles, flags),
      numbersAs: numbersAsOf({ ...(byId && { byId }), ...(byName && { byName }) }, references, [
        ...references,
        ...nameFieldsOf(of),
      ]),
    },
  }
}
