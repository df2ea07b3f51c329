import type { ImportOptions, Role } from '../options/options.ts'
import {
  datePartOf,
  foldName,
  hasNameOfRole,
  type HeaderFindings,
  nearColumn,
  roleOf,
  unassignedColumns,
} from './header.ts'
import { columnsLikeDates, type Contents } from './contents.ts'
import type { Heading } from './layout.ts'
import type { Directories, WideColumns } from './wide.ts'
import { isTimeOfDay } from '../formats/time-of-day.ts'
import type { ColumnPlan } from './columns.ts'
import { FIRST_NAMES, LAST_NAMES } from './split-names.ts'
import { isWholeDate } from '../formats/known-formats.ts'

/** Lists the roles that make up an entry's key; a constant may stand for each. */
export const KEY_ROLES = ['user', 'source', 'kpi', 'date'] as const
type KeyRole = (typeof KEY_ROLES)[number]
/** Lists the roles of an entry's values. A wide file has only actuals, in the columns of KPIs or users. */
export const VALUE_ROLES = ['actual', 'target', 'notes'] as const

/**
 * Holds what finding out the meaning of columns needs: what is known so far, what the user said, what names may mean, and
 * what the columns hold; of a header without rows, nothing.
 */
export type ColumnSearch = {
  readonly found: HeaderFindings
  readonly options: ImportOptions
  readonly directories: Directories
  readonly heading: Heading
  readonly contents: Contents
}

/** Tells whether a role has a column or a constant. */
export const isGiven = ({ roles }: HeaderFindings, options: ImportOptions, role: KeyRole): boolean =>
  roles.has(role) || options[role] !== undefined

/** Tells whether a column or constant says whom entries belong to. */
export const isOwned = (found: HeaderFindings, options: ImportOptions): boolean =>
  isGiven(found, options, 'user') || isGiven(found, options, 'source')

/** Returns a function that tells whether `--map-kpi` names a column. */
export const mapsKpi = ({ mapKpi }: ImportOptions): ((name: string) => boolean) => {
  const named = new Set([...(mapKpi?.keys() ?? [])].map(foldName))
  return (name) => named.has(foldName(name))
}

/**
 * Returns findings without the columns that `--map-kpi` makes KPIs, although they may have names for users or items. Where
 * a column or flag gives the KPI, `--map-kpi` names cells.
 */
export const withoutKpis = (found: HeaderFindings, options: ImportOptions): HeaderFindings => {
  if (isGiven(found, options, 'kpi') || hasNameOfRole(found, 'kpi')) return found
  const isMapped = mapsKpi(options)
  const isKpi = (name: string): boolean => isMapped(name) && roleOf(name) !== 'date'
  const kpis = unassignedColumns(found).filter((at) => isKpi(found.header[at] ?? ''))
  return { ...found, ignored: new Set([...found.ignored, ...kpis]) }
}

/** Tells whether the headers of wide columns say all of a role. */
export const isOfHeader = ({ of, over, columns }: WideColumns, role: KeyRole): boolean => {
  const roles = new Set<string | undefined>([of, over])
  if (role === 'user') return roles.has('user') || roles.has('source')
  return roles.has(role) && columns.every(({ part }) => role !== 'date' || part === undefined)
}

/** Returns the roles without a column or a constant. */
export const lackingRoles = (found: HeaderFindings, wide: WideColumns | undefined, options: ImportOptions): Role[] => {
  const isLacking = (role: KeyRole): boolean => {
    const isInHeader = wide !== undefined && isOfHeader(wide, role)
    if (isInHeader || role === 'source') return false
    return role === 'user' ? !isOwned(found, options) : !isGiven(found, options, role)
  }
  const lacking: Role[] = KEY_ROLES.filter(isLacking)
  const hasValues = wide !== undefined || VALUE_ROLES.some((role) => found.roles.has(role))
  return [...lacking, ...(hasValues ? [] : (['actual'] as const))]
}

/**
 * Returns the columns to suggest for missing roles, beside those of a wide reading that has no other fault: by their
 * names, and for the date the only one that looks like it.
 */
export const suggestedPlaces = (
  found: HeaderFindings,
  wide: WideColumns | undefined,
  options: ImportOptions,
  contents: Contents,
): ReadonlySet<number | undefined> => {
  const ignored = new Set([...found.ignored, ...(wide?.columns ?? []).map(({ at }) => at)])
  const rest = { ...found, ignored }
  const lacking = lackingRoles(found, wide, options).filter((role) => !options.map.has(role))
  const byContent = (role: Role): number | undefined => {
    const [only, ...more] = role === 'date' ? columnsLikeDates(rest, contents, options) : []
    return more.length === 0 ? only : undefined
  }
  return new Set(lacking.map((role) => nearColumn(rest, role) ?? byContent(role)))
}

/** Joins the parts of a name, such as a country and a store; those of a person's name are joined by a space. */
export const BETWEEN_NAMES = ' / '
const OF_PERSONS: ReadonlySet<Role> = new Set(['user', 'name'])
const BETWEEN_DATE_PARTS = '-'

const FEW_DIGITS = /^\d{1,2}$/

/** Returns a part of a date as it is read: a quarter or week that is only a number gets its letter. */
const datePart = (header: string, text: string): string => {
  if (!FEW_DIGITS.test(text)) return text
  const part = datePartOf(header)
  if (part === 'quarter') return `Q${text}`
  return part === 'week' ? `W${text.padStart(2, '0')}` : text
}

/** Joins the cells of several columns into one date, perhaps with its time, or one name; empty if none, or a part of a date, is given. */
const joinCells = (role: Role, headers: readonly string[], texts: readonly string[]): string => {
  if (role !== 'date') return texts.filter((text) => text !== '').join(OF_PERSONS.has(role) ? ' ' : BETWEEN_NAMES)
  const [first = '', ...others] = texts
  // A whole date needs no time beside it.
  if (others.every((text) => text === '') && isWholeDate(first)) return first
  if (texts.includes('')) return ''
  return texts
    .map((text, at) => datePart(headers[at] ?? '', text))
    .reduce((date, part) => date + (isTimeOfDay(part) ? ' ' : BETWEEN_DATE_PARTS) + part)
}

/** Returns a function that gives the text of a role in a row, which may be made of several columns. */
export const roleText = (
  { header, roles, joined }: Pick<ColumnPlan, 'header' | 'roles' | 'joined'>,
  role: Role,
): ((cells: readonly string[]) => string) => {
  const [at, places] = [roles.get(role), joined?.get(role)]
  if (places === undefined) return (cells) => (at === undefined ? '' : (cells[at] ?? ''))
  const headers = places.map((place) => header[place] ?? '')
  const [first, last] = OF_PERSONS.has(role) && places.length === 2 ? headers.map(foldName).toReversed() : []
  if (first !== undefined && last !== undefined && FIRST_NAMES.has(first) && LAST_NAMES.has(last)) {
    const turned = places.toReversed()
    return (cells) => joinCells(role, headers, turned.map((place) => cells[place]?.trim() ?? '')) // prettier-ignore
  }
  return (cells) =>
    joinCells(
      role,
      headers,
      places.map((place) => cells[place]?.trim() ?? ''),
    )
}

/** Returns the name of a role's column; of several, all their names. */
export const roleHeader = (
  { header, roles, joined }: Pick<ColumnPlan, 'header' | 'roles' | 'joined'>,
  role: Role,
): string => {
  const places = joined?.get(role) ?? [roles.get(role) ?? -1]
  return places.map((at) => header[at]?.trim() ?? '').join('+')
}
