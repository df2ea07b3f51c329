import type { Resource } from '../schema.ts'
import { assignment } from './assignment.ts'
import { breakdownItem } from './breakdown-item.ts'
import { category } from './category.ts'
import { entry } from './entry.ts'
import { frequency } from './frequency.ts'
import { group } from './group.ts'
import { groupItem } from './group-item.ts'
import { icon } from './icon.ts'
import { kpi } from './kpi.ts'
import { reportRow } from './report-row.ts'
import { unit } from './unit.ts'
import { user } from './user.ts'
import { userGroupItem } from './user-group-item.ts'

/** Every resource of the interface (interface, section 2; decisions, section 3). */
export const resources: readonly Resource[] = [
  kpi,
  assignment,
  user,
  userGroupItem,
  group,
  groupItem,
  category,
  frequency,
  unit,
  icon,
  entry,
  breakdownItem,
  reportRow,
]
