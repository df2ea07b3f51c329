import type { ImportOptions, Role } from '../options/options.ts'
import { foldName, hasNameOfRole, type HeaderFindings, nearColumn, roleOf, unassignedColumns } from './header.ts'
import type { WideColumns } from './wide.ts'

/** Lists the roles that make up an entry's key; a constant may stand for each. */
export const KEY_ROLES = ['user', 'source', 'kpi', 'date'] as const
type KeyRole = (typeof KEY_ROLES)[number]
/** Lists the roles of an entry's values. A wide file has only actuals, in the columns of KPIs or users. */
export const VALUE_ROLES = ['actual', 'target', 'notes'] as const

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

/** Returns the columns to suggest for missing roles, beside those of a wide reading that has no other fault. */
export const suggestedPlaces = (
  found: HeaderFindings,
  wide: WideColumns | undefined,
  options: ImportOptions,
): ReadonlySet<number | undefined> => {
  const ignored = new Set([...found.ignored, ...(wide?.columns ?? []).map(({ at }) => at)])
  const lacking = lackingRoles(found, wide, options).filter((role) => !options.map.has(role))
  return new Set(lacking.map((role) => nearColumn({ ...found, ignored }, role)))
}
