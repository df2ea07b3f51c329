import type { Resource } from '../schema.ts'
import { assignment } from './assignment.ts'
import { breakdownItem } from './breakdowns.ts'
import { category, frequency, icon, unit } from './catalog.ts'
import { entry } from './entry.ts'
import { carriedGroupItem, deletedEntries, entrySum, runEntry, undoneBatch } from './entry-run.ts'
import { group, groupItem, userGroupItem } from './groups.ts'
import { kpi } from './kpi.ts'
import { reportDay, reportRow } from './report-row.ts'
import { user } from './user.ts'

/** Lists every resource of the interface. */
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
  runEntry,
  undoneBatch,
  entrySum,
  deletedEntries,
  carriedGroupItem,
  breakdownItem,
  reportRow,
  reportDay,
]
