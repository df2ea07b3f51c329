import { assignment } from '../../domain/resources/assignment.ts'
import { category } from '../../domain/resources/category.ts'
import { frequency } from '../../domain/resources/frequency.ts'
import { icon } from '../../domain/resources/icon.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { unit } from '../../domain/resources/unit.ts'
import { user } from '../../domain/resources/user.ts'
import { assignments } from '../../service/assignments.ts'
import { categories, kpiFrequencies, kpiIcons, units } from '../../service/catalog.ts'
import { kpis } from '../../service/kpis.ts'
import { users } from '../../service/users.ts'
import type { Route } from '../call.ts'
import { collectionRoutes } from './collection.ts'
import { entryRoutes } from './entries.ts'
import { reportRoute } from './reports.ts'

/** All operations of the service (decisions, section 2). */
export const routes: readonly Route[] = [
  ...collectionRoutes(kpi, kpis),
  ...collectionRoutes(assignment, assignments),
  ...collectionRoutes(user, users),
  ...collectionRoutes(category, categories),
  ...collectionRoutes(unit, units),
  ...collectionRoutes(frequency, kpiFrequencies),
  ...collectionRoutes(icon, kpiIcons),
  ...entryRoutes,
  reportRoute,
]
