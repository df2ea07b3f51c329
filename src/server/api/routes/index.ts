import { askedAssignment, assignment } from '../../../domain/resources/assignment.ts'
import { category, frequency, icon, unit } from '../../../domain/resources/catalog.ts'
import { group, groupItem, userGroupItem } from '../../../domain/resources/groups.ts'
import { askedKpi, categoryKpi, kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import { scopeOf } from '../../../domain/scopes.ts'
import { assignments } from '../../../service/definitions/assignments.ts'
import { categories, kpiFrequencies, kpiIcons, units } from '../../../service/definitions/catalog.ts'
import { groupItems, groups } from '../../../service/definitions/groups.ts'
import { categoryKpis, kpis } from '../../../service/definitions/kpis.ts'
import { userGroupItems } from '../../../service/definitions/user-group-items.ts'
import { users } from '../../../service/definitions/users.ts'
import type { Route } from '../call.ts'
import { breakdownItemRoutes, collectionRoutes } from './collection.ts'
import { classicEntryRoutes, v1EntryRoutes } from './entries.ts'
import { classicReportRoutes, v1ReportRoutes } from './reports.ts'

/** Lists the routes of both variants. */
const shared: readonly Route[] = [
  ...collectionRoutes(kpi, kpis, askedKpi),
  ...collectionRoutes(user, users),
  ...collectionRoutes(category, categories),
  ...collectionRoutes(categoryKpi, categoryKpis, { ...askedKpi, path: categoryKpi.path }),
  ...collectionRoutes(unit, units),
  ...collectionRoutes(frequency, kpiFrequencies),
  ...collectionRoutes(icon, kpiIcons),
]

/** Lists all operations of the classic interface. */
export const classicRoutes: readonly Route[] = [
  ...shared,
  ...collectionRoutes(assignment, assignments, askedAssignment),
  ...collectionRoutes(userGroupItem, userGroupItems),
  ...collectionRoutes(group, groups),
  ...collectionRoutes(groupItem, groupItems),
  ...classicEntryRoutes,
  ...classicReportRoutes,
]

/** Lists all operations of the newer variant: those that have a scope. */
export const v1Routes: readonly Route[] = [
  ...shared,
  ...breakdownItemRoutes,
  ...v1EntryRoutes,
  ...v1ReportRoutes,
].flatMap((route) => {
  const scope = scopeOf(route.method, route.path)
  return scope === undefined ? [] : [{ ...route, scope }]
})
