import { Fault } from './errors.ts'
import { breakdownItem } from './resources/breakdowns.ts'
import { category, frequency, icon, unit } from './resources/catalog.ts'
import { entry } from './resources/entry.ts'
import { deletedEntries, entrySum, runEntry, undoneBatch } from './resources/entry-run.ts'
import { categoryKpi, kpi } from './resources/kpi.ts'
import { reportDay, reportRow } from './resources/report-row.ts'
import { user } from './resources/user.ts'

/** Lists the scopes that a key may have. */
export const SCOPES = [
  'kpis:read',
  'kpis:write',
  'entries:read',
  'entries:write',
  'reports:read',
  'users:read',
  'breakdowns:read',
  'breakdowns:write',
] as const
export type Scope = (typeof SCOPES)[number]

/** Names all scopes together. */
const ALL = 'all'

/** Says which scopes there are. */
export const KNOWN_SCOPES = `there are ${SCOPES.join(', ')}, or ${ALL} alone`

/**
 * Returns the scopes of a comma-separated text, each once and in the order of the list, or its fault. `all` stands for
 * every scope.
 */
export const readScopes = (text: string): readonly Scope[] | Fault => {
  const names = text.split(',').flatMap((name) => name.trim().toLowerCase() || [])
  if (names.length === 1 && names[0] === ALL) return SCOPES
  const unknown = names.filter((name) => !SCOPES.some((scope) => scope === name))
  if (names.length > 0 && unknown.length === 0) return SCOPES.filter((scope) => names.includes(scope))
  const fault = names.length === 0 ? 'must name at least one scope' : `there is no scope ${unknown.join(', ')}`
  return new Fault(`${fault}; ${KNOWN_SCOPES}`)
}

/** Describes the scopes for reading a resource, and for changing it if that is possible. */
type ScopesOfResource = { readonly read: Scope; readonly write?: Scope }

const KPIS: ScopesOfResource = { read: 'kpis:read', write: 'kpis:write' }

/** Maps the resources of the newer variant, by path, to their scopes. That variant has no others. */
const NEEDS: Readonly<Record<string, ScopesOfResource>> = {
  [kpi.path]: KPIS,
  [category.path]: KPIS,
  [categoryKpi.path]: KPIS,
  [unit.path]: KPIS,
  [frequency.path]: KPIS,
  [icon.path]: KPIS,
  [entry.path]: { read: 'entries:read', write: 'entries:write' },
  [runEntry.path]: { read: 'entries:read' },
  // A key that only writes may take its own runs back.
  [undoneBatch.path]: { read: 'entries:write', write: 'entries:write' },
  [entrySum.path]: { read: 'entries:read' },
  [deletedEntries.path]: { read: 'entries:write', write: 'entries:write' },
  [reportRow.path]: { read: 'reports:read' },
  [reportDay.path]: { read: 'reports:read' },
  [user.path]: { read: 'users:read' },
  [breakdownItem.path]: { read: 'breakdowns:read', write: 'breakdowns:write' },
}

/**
 * Returns the scope of an operation of the newer variant, by its method and its path, which may end in an id or in
 * `/list`; undefined if that variant does not have it.
 */
export const scopeOf = (method: string, path: string): Scope | undefined => {
  const needs = NEEDS[path.replace(/\/(?:\{\w+\}|list)$/, '')]
  return method === 'GET' ? needs?.read : needs?.write
}
