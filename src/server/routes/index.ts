import { assignment } from '../../domain/resources/assignment.ts'
import { category } from '../../domain/resources/category.ts'
import { frequency } from '../../domain/resources/frequency.ts'
import { group } from '../../domain/resources/group.ts'
import { groupItem } from '../../domain/resources/group-item.ts'
import { icon } from '../../domain/resources/icon.ts'
import { categoryKpi, kpi } from '../../domain/resources/kpi.ts'
import { unit } from '../../domain/resources/unit.ts'
import { user } from '../../domain/resources/user.ts'
import { userGroupItem } from '../../domain/resources/user-group-item.ts'
import { scopeOf } from '../../domain/scopes.ts'
import { assignments } from '../../service/assignments.ts'
import { categories, kpiFrequencies, kpiIcons, units } from '../../service/catalog.ts'
import { groupItems, groups } from '../../service/groups.ts'
import { categoryKpis, kpis } from '../../service/kpis.ts'
import { userGroupItems } from '../../service/user-group-items.ts'
import { users } from '../../service/users.ts'
import type { Route } from '../call.ts'
import { breakdownItemRoutes } from './breakdown-items.ts'
import { collectionRoutes } from './collection.ts'
import { classicEntryRoutes, v1EntryRoutes } from './entries.ts'
import { classicReportRoute, v1ReportRoute } from './reports.ts'

/** What both variants have. */
const shared: readonly Route[] = [
  ...collectionRoutes(kpi, kpis),
  ...collectionRoutes(user, users),
  ...collectionRoutes(category, categories),
  ...collectionRoutes(categoryKpi, categoryKpis),
  ...collectionRoutes(unit, units),
  ...collectionRoutes(frequency, kpiFrequencies),
  ...collectionRoutes(icon, kpiIcons),
]

/** All operations of the classic interface (decisions, section 2). */
export const classicRoutes: readonly Route[] = [
  ...shared,
  ...collectionRoutes(assignment, assignments),
  ...collectionRoutes(userGroupItem, userGroupItems),
  ...collectionRoutes(group, groups),
  ...collectionRoutes(groupItem, groupItems),
  ...classicEntryRoutes,
  classicReportRoute,
]

/** All operations of the newer variant: those for which there is a scope. */
export const v1Routes: readonly Route[] = [...shared, ...breakdownItemRoutes, ...v1EntryRoutes, v1ReportRoute].flatMap(
  (route) => {
    const scope = scopeOf(route.method, route.path)
    return scope === undefined ? [] : [{ ...route, scope }]
  },
)
