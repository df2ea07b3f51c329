import { nearest } from '../../client/directory.ts'
import { countedText } from '../../domain/count-text.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { mapFlag } from '../options/flag-text.ts'
import type { ImportOptions } from '../options/options.ts'
import { foldName, type HeaderFindings, REJECT_COLUMNS, unassignedColumns } from './header.ts'
import { listNames } from './list-names.ts'

const NUMBER = /^#(\d{1,5})$/

/** Returns the column with a number, `#3`: for headers that are empty, or the same twice. */
const columnNumbered = (header: readonly string[], name: string): number[] => {
  const at = Number(NUMBER.exec(name)?.[1] ?? 0) - 1
  return at >= 0 && at < header.length ? [at] : []
}

/** Finds columns by what the user calls them. */
type FindColumns = (name: string) => readonly number[]

/**
 * Returns what finds the columns with a name: exact matches, else those that differ only in case, accents, spaces and
 * underscores.
 */
const columnFinder = (header: readonly string[]): FindColumns => {
  const placesBy = (textOf: (name: string) => string): Map<string, readonly number[]> =>
    Map.groupBy(header.keys(), (at) => textOf(header[at] ?? ''))
  const [exact, folded] = [placesBy((name) => name.trim()), placesBy(foldName)]
  return (name) => exact.get(name) ?? folded.get(foldName(name)) ?? columnNumbered(header, name)
}

const noColumn = (header: readonly string[], name: string): string => {
  const near = nearest(name, header)
  return `there is no column "${name}"; ${near === undefined ? `there are ${listNames(header)}` : `did you mean "${near}"?`}`
}

const severalColumns = (name: string, count: number): string =>
  `there are ${count} columns "${name}"; give each a name of its own`

/** Lists the roles that several columns may make up: `date=year+month+day`, `source=country+store`. */
const JOINED_ROLES: ReadonlySet<string> = new Set(['user', 'source', 'kpi', 'date', 'name'])

/** Bounds the names of no column that have a fault of their own. */
const SHOWN_UNKNOWN = 20

/** Returns the faults of names that a flag has and that no column has. */
const faultsOfUnknown = (header: readonly string[], field: string, unknown: readonly string[]): Issue[] => {
  const more = unknown.length - SHOWN_UNKNOWN
  return [
    ...unknown.slice(0, SHOWN_UNKNOWN).map((name) => ({ field, message: noColumn(header, name) })),
    ...(more > 0 ? [{ field, message: `there are no columns for ${countedText(more, 'more name')} either` }] : []),
  ]
}

/** Adds the column that the user named for a role, or the columns, if the name is several with a plus between. */
const addNamed = <R extends string>(found: HeaderFindings<R>, find: FindColumns, role: R, name: string): void => {
  const { header, roles, joined, issues } = found
  const isWhole = find(name).length > 0 || !name.includes('+') || !JOINED_ROLES.has(role)
  const places = new Set<number>()
  const unknown: string[] = []
  for (const part of isWhole ? [name] : name.split('+').map((one) => one.trim())) {
    const [at, ...others] = find(part)
    if (at === undefined) unknown.push(part)
    else places.add(at)
    if (others.length > 0) issues.push({ field: role, message: severalColumns(part, others.length + 1) })
  }
  issues.push(...faultsOfUnknown(header, role, unknown))
  const [first] = places
  if (first !== undefined) roles.set(role, first)
  if (places.size > 1) joined.set(role, [...places])
}

/** Returns the columns that a flag names, and notes the names that none has. */
const columnsOf = (
  { header, issues }: HeaderFindings<string>,
  find: FindColumns,
  field: string,
  names: readonly string[],
): readonly number[] => {
  const places = new Map(names.map((name) => [name, find(name)]))
  const unknown = [...places].flatMap(([name, { length }]) => (length === 0 ? name : []))
  issues.push(...faultsOfUnknown(header, field, unknown))
  // Very many names may mean the same columns.
  return [...new Set(places.values())].flat()
}

/** Returns the columns that the user named, and those to ignore. */
export const namedColumns = <R extends string>(
  header: readonly string[],
  { map, ignore, columns }: Pick<ImportOptions, 'ignore' | 'columns'> & { readonly map: ReadonlyMap<R, string> },
): HeaderFindings<R> => {
  const found: HeaderFindings<R> = {
    header,
    roles: new Map(),
    joined: new Map(),
    ignored: new Set(),
    issues: [],
    doubts: new Map(),
  }
  const find = columnFinder(header)
  for (const [role, name] of map) addNamed(found, find, role, name)
  if (columns !== undefined) {
    const used = new Set([
      ...found.roles.values(),
      ...[...found.joined.values()].flat(),
      ...columnsOf(found, find, 'columns', columns),
    ])
    for (const at of header.keys()) if (!used.has(at)) found.ignored.add(at)
  }
  for (const at of columnsOf(found, find, 'ignore', ignore)) found.ignored.add(at)
  header.forEach((name, at) => {
    if (name.trim() === '' || REJECT_COLUMNS.some((column) => column === name)) found.ignored.add(at)
  })
  return found
}

/** Returns the flag that gives all rows what a column would. */
const flagOf = (role: string): string => `--${role.replaceAll('_', '-')}`

/** Says that no column is a role; the one that is nearly called so, or the only one without a meaning, may be it. */
const lackingText = (role: string, found: HeaderFindings<string>, hasFlag: boolean): string => {
  const [only, ...more] = unassignedColumns(found).map((at) => found.header[at]?.trim() ?? '')
  const meant = nearest(role, found.header) ?? (more.length === 0 ? only : undefined) ?? 'COLUMN'
  const flag = hasFlag ? ` or ${flagOf(role)}` : ''
  return `no column is the ${role}; give one with ${mapFlag(role, meant)}${flag}`
}

/** Returns the faults of roles that every row needs, some of which have no flag, and of those that are given twice. */
export const faultsOfNeeded = (
  found: HeaderFindings<string>,
  needed: readonly string[],
  constants: ReadonlyMap<string, string>,
  withoutFlag: readonly string[] = [],
): Issue[] => {
  const { header, roles: places } = found
  const lacking = needed.filter((role) => !places.has(role) && !constants.has(role))
  const twice = [...constants.keys()].filter((role) => places.has(role))
  return [
    ...lacking.map((role) => ({ field: role, message: lackingText(role, found, !withoutFlag.includes(role)) })),
    ...twice.map((role) => ({
      field: role,
      message: `is given by ${flagOf(role)} and by the column "${header[places.get(role) ?? 0]}"; leave one out (--ignore)`,
    })),
  ]
}

/** Refuses a header of which it is not clear what some columns are. */
export const requireClear = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new KpiError('malformed', 'the header does not say what each column is', { issues })
}
