import { KpiError } from '../../domain/errors.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { recognizeColumns, unassignedColumns } from '../columns/header.ts'
import { namedColumns } from '../columns/named-columns.ts'
import type { ImportOptions, Role } from '../options.ts'

/** Lists the roles that files of assignments and of entries share. */
export const ASSIGN_ROLES: readonly Role[] = ['user', 'kpi', 'target']

/** Lists the interface's own names, so that a list can be imported. */
const OWN_NAMES: Readonly<Record<string, Role>> = { id: 'kpi', user_target: 'target' }
const PLACE = /^\s*(?:sort[ _-]?order|place|position)\s*$/i

/** Describes the columns of a file of assignments. */
export type AssignmentPlan = ColumnPlan & { readonly place: number | undefined }

/** Finds out what each column means; everything that is unclear is one error. */
export const planAssignments = (header: readonly string[], options: ImportOptions): AssignmentPlan => {
  const found = namedColumns(header, options)
  recognizeColumns(found, ASSIGN_ROLES)
  for (const at of unassignedColumns(found)) {
    const role = OWN_NAMES[header[at]?.trim().toLowerCase() ?? '']
    if (role && !found.roles.has(role)) found.roles.set(role, at)
  }
  const [place, again] = unassignedColumns(found).filter((at) => PLACE.test(header[at] ?? ''))
  if (place !== undefined) found.ignored.add(place)
  if (again !== undefined)
    found.issues.push({
      field: 'sort_order',
      message: `is both "${header[place ?? 0]}" and "${header[again]}"; leave one out (--ignore)`,
    })
  for (const role of ['user', 'kpi'] as const) {
    const [at, constant] = [found.roles.get(role), options[role]]
    if (at === undefined && constant === undefined)
      found.issues.push({
        field: role,
        message: `no column is the ${role}; give one with --map ${role}=COLUMN or --${role}`,
      })
    if (at !== undefined && constant !== undefined)
      found.issues.push({
        field: role,
        message: `is given by --${role} and by the column "${header[at]}"; leave one out (--ignore)`,
      })
  }
  if (found.issues.length > 0) {
    throw new KpiError('malformed', 'the header does not say what each column is', { issues: found.issues })
  }
  const unused = unassignedColumns(found).map((at) => header[at] ?? '')
  return { header, roles: found.roles, wide: undefined, unused, place }
}
