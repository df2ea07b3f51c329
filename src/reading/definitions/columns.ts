import type { Day } from '../../domain/day.ts'
import { withoutUnit } from '../../domain/numbers/measure.ts'
import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import type { Resource } from '../../domain/schema.ts'
import { type Kind, type KindField, type KindName, kinds } from '../../changes/records/kind-fields.ts'
import { type ChangedKind, isListedKind, type ListedKind } from '../../client/operations/kind-operations.ts'
import { keyOf, KINDS, parentOf } from '../../domain/kinds.ts'
import { areAddressesIn } from '../columns/persons.ts'
import {
  faultsOfNeeded,
  foldedNames,
  foldName,
  type HeaderFindings,
  mayBePersons,
  namedColumns,
  requireClear,
  roleOf,
  severalOf,
  unassignedColumns,
} from '../columns/header.ts'
import { faultOfTargetDay, isFromName, targetDayIn } from '../columns/target-days.ts'
import type { ImportOptions, NumbersAs } from '../options/options.ts'
import { namesOfRole } from './meanings.ts'
import type { Sample } from '../columns/contents.ts'
import { holdsLastNames, holdsNames, holdsWholeNames } from '../columns/split-names.ts'
import { type DefinitionRole, FROM, FULL_NAME, PERSON, rolesOf, withoutId } from './roles.ts'

/** Describes a kind of definitions that files hold: its resource, and how records are told apart. */
export type DefinitionKind = {
  readonly of: Resource
  /** Names the field by which a record is known. */
  readonly key: string
  /** Names the field of what a record lies in, within which its name is one of a kind. */
  readonly within: string | undefined
  /** Describes the records that rows become, in the words of the resource. */
  readonly kind: Kind
}

/** Tells whether files may hold definitions of a kind: they have names, and the interface lets a client add them. */
const isImported = (name: string): name is ChangedKind & ListedKind =>
  isListedKind(name) && KINDS[name].of.verbs.includes('add')

/** Returns the kind of the definitions of a resource. */
export const definitionKind = ({ name }: Pick<Resource, 'name'>): DefinitionKind => {
  if (!isImported(name)) throw new TypeError(`${name} cannot be imported`)
  const { of } = KINDS[name]
  const kind = name === 'breakdown_item' ? { ...kinds.group_item, of } : kinds[name]
  return { of, key: keyOf(name), within: parentOf(name), kind }
}

/** Returns the field of a record that a field of the interface is; a breakdown is a group. */
export const fieldOf = ({ kind: { fields } }: Pick<DefinitionKind, 'kind'>, name: string): KindField | undefined =>
  fields.find(({ as }) => as === (name === 'breakdown_id' ? 'group_id' : name))

/** Describes what the user said about a file of definitions; all of it is part of the identity of a run. */
export type DefinitionOptions = Pick<
  ImportOptions,
  'ignore' | 'ignoreRows' | 'clearEmpty' | 'decimal' | 'scale' | 'onConflict' | 'maxErrors' | 'addAgain'
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
  /** Tells whether what rows name is created where it is missing: groups and items of people, categories and units of KPIs. */
  readonly createMissing?: true | undefined
  /** Makes the addresses of people that have none in the file of their names. */
  readonly emailPattern?: string | undefined
}

/** Tells whether rows of a kind may give group items: a column for each group. */
export const mayGiveItems = ({ of }: Pick<DefinitionKind, 'of'>): boolean => of === KINDS.user.of

/** Returns the kinds that rows of a kind name, and an import may create beside them. */
export const createdBeside = ({ of }: Pick<DefinitionKind, 'of'>): readonly KindName[] =>
  of === KINDS.kpi.of ? ['category', 'unit'] : []

/** Returns a function that finds the role that a column is called for. */
const roleFinder = (roles: readonly DefinitionRole[]): ((header: string) => DefinitionRole | undefined) => {
  // Reverse the roles, so that the first one with a name wins.
  const called = new Map(roles.toReversed().flatMap((one) => namesOfRole(one).map((name) => [name, one] as const)))
  const person = roles.find((one) => one === PERSON)
  /** Returns the role of a column of numbers that is named with their unit, such as `Target (k€)`. */
  const withUnit = (header: string): DefinitionRole | undefined => {
    const role = called.get(foldName(withoutUnit(header) ?? ''))
    return role?.field.kind === 'decimal' ? role : undefined
  }
  return (header) => called.get(foldName(header)) ?? withUnit(header) ?? (mayBePersons(header) ? person : undefined)
}

/** Describes the columns of a file of definitions: the place of each role that has one. */
export type DefinitionPlan = {
  readonly header: readonly string[]
  /** Holds what is known of the header, for columns that are found by what the account has. */
  readonly found: HeaderFindings<string>
  readonly places: ReadonlyMap<string, number>
  /** Maps the headings of columns with targets from a day on to that day. */
  readonly dated: ReadonlyMap<string, Day>
  /** Lists the places of columns without a meaning. */
  readonly unused: readonly number[]
  /** Lists the roles that nothing gives, which those columns may hold. */
  readonly free: readonly DefinitionRole[]
}

/** Returns the roles that neither a column nor a flag gives, and that can be shown. */
const freeRoles = (
  roles: readonly DefinitionRole[],
  { roles: places }: HeaderFindings<string>,
  constants: ReadonlyMap<string, string>,
): DefinitionRole[] =>
  roles
    .filter(({ role, field }) => !places.has(role) && !constants.has(role) && !field.secret && !field.onRequest)
    .filter((one) => one !== PERSON || !places.has('first_name'))

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
}

/** Settles which columns are the names of persons, by their cells: `Name` beside `Vorname` is the last name. */
const settlePersons = ({ header, roles }: HeaderFindings<string>, sample: Sample): void => {
  const [first, whole] = [roles.get('first_name'), roles.get(FULL_NAME)]
  if (first === undefined) return
  if (whole !== undefined) {
    const isLast = holdsLastNames(sample, first, whole)
    const isWhole = !roles.has('last_name') && !isLast && holdsWholeNames(sample, whole)
    roles.delete(isWhole ? 'first_name' : FULL_NAME)
    if (isLast && !roles.has('last_name')) roles.set('last_name', whole)
  } else if (!roles.has('last_name') && mayBePersons(header[first] ?? '') && holdsWholeNames(sample, first)) {
    roles.delete('first_name')
    roles.set(FULL_NAME, first)
  }
}

/** Lists names of columns for users that hold login names as often as names of people: these have several words. */
const LOGINS = foldedNames(
  'user, user id, userid, user name, username, benutzer, benutzername, nutzer, nutzername, utilisateur, usuario, utente',
  'utilizador, gebruiker, användare, użytkownik',
)

/** Takes columns that are named for users as their names or addresses, as the cells are, where no other column is. */
const recognizeUsers = (
  found: HeaderFindings<string>,
  sample: Sample,
  constants: ReadonlyMap<string, string>,
): void => {
  const { header, roles } = found
  const isGiven = (...names: readonly string[]): boolean => names.some((one) => roles.has(one) || constants.has(one))
  for (const at of unassignedColumns(found)) {
    if (roleOf(header[at] ?? '') !== 'user' || sample.every((cells) => (cells[at]?.trim() ?? '') === '')) continue
    const isNames = LOGINS.has(foldName(header[at] ?? '')) ? holdsWholeNames(sample, at) : holdsNames(sample, at)
    if (isNames && !isGiven(FULL_NAME, 'first_name', 'last_name')) roles.set(FULL_NAME, at)
    else if (!isNames && !isGiven('email') && areAddressesIn(sample, at)) roles.set('email', at)
  }
}

/** Returns a function that tells whether a column may be what identifies records: addresses, or names that hold letters. */
const mayIdentify =
  (sample: Sample) =>
  (at: number, role: string): boolean => {
    const texts = sample.map((cells) => cells[at]?.trim() ?? '').filter((text) => text !== '')
    return role === 'email'
      ? areAddressesIn(sample, at)
      : texts.length === 0 || texts.some((text) => /\p{L}/u.test(text))
  }

/** Tells whether records of a kind have targets that begin on days. */
export const hasDatedTargets = ({ of }: Pick<DefinitionKind, 'of'>): boolean => of.fields['targets']?.kind === 'targets'

/** Adds the columns that are called for a day or period, and the one with the first day of the target of a row. */
const recognizeDated = (
  found: HeaderFindings<string>,
  calendar: Calendar,
  constants: ReadonlyMap<string, string>,
): Map<string, Day> => {
  const { header, issues, roles } = found
  const dated = new Map<string, Day>()
  const hasTarget = roles.has('target_default') || constants.has('target_default')
  for (const at of unassignedColumns(found)) {
    const heading = (header[at] ?? '').trim()
    const day = targetDayIn(heading, calendar)
    const fault = day === undefined ? undefined : faultOfTargetDay(heading, day)
    if (fault) issues.push(fault)
    if (day !== undefined && [...dated.values()].includes(day))
      issues.push({
        field: 'header',
        message: `"${heading}" is the same day as another column; leave one out (--ignore "#${at + 1}")`,
      })
    else if (day !== undefined) {
      dated.set(heading, day)
      roles.set(heading, at)
    } else if (isFromName(heading) && hasTarget && !roles.has(FROM.role)) roles.set(FROM.role, at)
  }
  return dated
}

const OR_PATTERN = "or --email-pattern '{name}@example.com' makes addresses of the names"

/** Finds out what each column of a file means; everything that is unclear is one error. */
export const planDefinitions = (
  header: readonly string[],
  kind: DefinitionKind,
  { map, ignore, constants, emailPattern }: Pick<DefinitionOptions, 'map' | 'ignore' | 'constants' | 'emailPattern'>,
  sample: Sample,
  calendar: Calendar = CIVIL_CALENDAR,
): DefinitionPlan => {
  const found = namedColumns(header, { map, ignore })
  const roles = rolesOf(kind)
  recognize(found, roles)
  if (roles.includes(PERSON)) {
    settlePersons(found, sample)
    recognizeUsers(found, sample, constants)
  }
  const dated = hasDatedTargets(kind) ? recognizeDated(found, calendar, constants) : new Map<string, Day>()
  const { key, within } = kind
  // A name can be made the address of a person.
  const isNamed = roles.includes(PERSON) && (found.roles.has(FULL_NAME) || found.roles.has('first_name'))
  const isMade = isNamed && emailPattern !== undefined
  const needed = [...(isMade ? [] : [key]), ...(within === undefined ? [] : [withoutId(within)])]
  const faults = faultsOfNeeded(found, needed, constants, [key], mayIdentify(sample)).map((fault) =>
    isNamed && fault.field === key ? { ...fault, message: `${fault.message}, ${OR_PATTERN}` } : fault,
  )
  requireClear([...found.issues, ...faults])
  const own = new Set(Object.keys(kind.of.fields).map(foldName))
  return {
    header,
    found,
    places: found.roles,
    dated,
    unused: unassignedColumns(found).filter((at) => !own.has(foldName(header[at] ?? ''))),
    free: freeRoles(roles, found, constants),
  }
}
