import { nearest } from '../../client/directory.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { foldName, type HeaderFindings, mayBePersons, severalOf, unassignedColumns } from '../columns/header.ts'
import { namedColumns } from '../columns/named-columns.ts'
import { mapFlag } from '../flag-text.ts'
import type { ImportOptions, NumbersAs } from '../options.ts'
import type { DefinitionKind } from './kinds.ts'
import { type DefinitionRole, FULL_NAME, PERSON, rolesOf, withoutId } from './roles.ts'

/** Describes what the user said about a file of definitions; all of it is part of the identity of a run. */
export type DefinitionOptions = Pick<
  ImportOptions,
  'ignore' | 'ignoreRows' | 'clearEmpty' | 'decimal' | 'onConflict' | 'maxErrors' | 'addAgain'
> & {
  /** Names the resource. */
  readonly resource: string
  /** Maps roles to headers. */
  readonly map: ReadonlyMap<string, string>
  /** Holds the texts that stand for the columns of all rows, by role. */
  readonly constants: ReadonlyMap<string, string>
  /** Tells whether rows of what the service does not have are rejected, instead of creating it. */
  readonly onlyExisting?: true | undefined
  /** Says whether the numbers in columns of names are ids or names, by role. */
  readonly numbersAs?: ReadonlyMap<string, NumbersAs> | undefined
}

/** Returns the names of a field's column, as they are compared. */
const namesOf = ({ name, field, role }: DefinitionRole): string[] =>
  [name, role, role.replace(/^(?:is|can)_/, ''), ...(field.called?.split(', ') ?? [])].map(foldName)

/** Returns a function that finds the role that a column is called for. */
const roleFinder = (roles: readonly DefinitionRole[]): ((header: string) => DefinitionRole | undefined) => {
  // Reverse the roles, so that the first one with a name wins.
  const called = new Map(roles.toReversed().flatMap((one) => namesOf(one).map((name) => [name, one] as const)))
  const person = roles.find((one) => one === PERSON)
  return (header) => called.get(foldName(header)) ?? (mayBePersons(header) ? person : undefined)
}

/** Describes the columns of a file of definitions: the place of each role that has one. */
export type DefinitionPlan = {
  readonly header: readonly string[]
  readonly places: ReadonlyMap<string, number>
  /** Lists columns without a meaning. */
  readonly unused: readonly string[]
  /** Lists the roles that nothing gives, which those columns may hold. */
  readonly free: readonly string[]
}

/** Returns the roles that neither a column nor a flag gives, and that can be shown. */
const freeRoles = (
  roles: readonly DefinitionRole[],
  { roles: places }: HeaderFindings<string>,
  constants: ReadonlyMap<string, string>,
): string[] =>
  roles
    .filter(({ role, field }) => !places.has(role) && !constants.has(role) && !field.secret)
    .filter((one) => one !== PERSON || !places.has('first_name'))
    .map(({ role }) => role)

/** Tells whether a column holds ids beside another one with their names, as `list --names -o csv` prints them. */
const holdsIds = ({ name, field }: DefinitionRole, header: string | undefined): boolean =>
  field.refers !== undefined && foldName(header ?? '') === foldName(name)

/** Adds the columns that have names of roles, unless the user has named others. */
const recognize = (found: HeaderFindings<string>, roles: readonly DefinitionRole[]): void => {
  const { header, issues } = found
  const given = new Set(found.roles.keys())
  const roleCalled = roleFinder(roles)
  for (const at of unassignedColumns(found)) {
    const one = roleCalled(header[at] ?? '')
    if (!one || given.has(one.role)) continue
    const other = found.roles.get(one.role)
    if (other === undefined || holdsIds(one, header[other])) found.roles.set(one.role, at)
    else if (!holdsIds(one, header[at])) {
      issues.push({ field: one.role, message: severalOf(one.role, header, [other, at]) })
    }
  }
  if (found.roles.has('first_name')) found.roles.delete(FULL_NAME)
}

/** Says that no column is a role; the one that is nearly called so, or the only one without a meaning, may be it. */
const lackingText = (role: string, found: HeaderFindings<string>, hasFlag: boolean): string => {
  const [only, ...more] = unassignedColumns(found).map((at) => found.header[at]?.trim() ?? '')
  const meant = nearest(role, found.header) ?? (more.length === 0 ? only : undefined) ?? 'COLUMN'
  const flag = hasFlag ? ` or --${role}` : ''
  return `no column is the ${role}; give one with ${mapFlag(role, meant)}${flag}`
}

/** Returns the faults of roles that every row needs, and of those that are given twice. */
const faultsOfRoles = (
  found: HeaderFindings<string>,
  { key, within }: DefinitionKind,
  constants: ReadonlyMap<string, string>,
): Issue[] => {
  const { header, roles: places } = found
  const needed = [key, ...(within ? [withoutId(within)] : [])]
  const lacking = needed.filter((role) => !places.has(role) && !constants.has(role))
  const twice = [...constants.keys()].filter((role) => places.has(role))
  return [
    ...lacking.map((role) => ({ field: role, message: lackingText(role, found, role !== key) })),
    ...twice.map((role) => ({
      field: role,
      message: `is given by a flag and by the column "${header[places.get(role) ?? 0]}"; leave one out (--ignore)`,
    })),
  ]
}

/** Finds out what each column of a file means; everything that is unclear is one error. */
export const planDefinitions = (
  header: readonly string[],
  kind: DefinitionKind,
  { map, ignore, constants }: Pick<DefinitionOptions, 'map' | 'ignore' | 'constants'>,
): DefinitionPlan => {
  const found = namedColumns(header, { map, ignore })
  const roles = rolesOf(kind)
  recognize(found, roles)
  const issues = [...found.issues, ...faultsOfRoles(found, kind, constants)]
  if (issues.length > 0) throw new KpiError('malformed', 'the header does not say what each column is', { issues })
  const own = new Set(Object.keys(kind.of.fields).map(foldName))
  const unused = unassignedColumns(found).map((at) => header[at] ?? '')
  return {
    header,
    places: found.roles,
    unused: unused.filter((name) => !own.has(foldName(name))),
    free: freeRoles(roles, found, constants),
  }
}
