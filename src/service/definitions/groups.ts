import { KpiError } from '../../domain/errors.ts'
import { group, groupItem } from '../../domain/resources/groups.ts'
import type { Reader } from '../../store/db.ts'
import { groupItems as items, groups as store } from '../../store/tables/groups.ts'
import { collection } from '../collection.ts'
import { requireFound } from '../context.ts'

const requireGroup = async (tx: Reader, account: number, id: number): Promise<void> => {
  requireFound(await store.find(tx, account, id), group.title, id)
}

/** Manages groups: every breakdown except that of people. */
export const groups = collection(group, store, 'breakdowns', {
  mayRemove: async (tx, account, { id, name }) => {
    if (!(await store.hasItems(tx, account, id))) return
    throw new KpiError('conflict', `group ${id} (${name}) has group items and cannot be deleted; delete those first`)
  },
})

/** Manages the items of a group, including archived ones. */
export const groupItems = collection(groupItem, items, 'items', {
  above: {
    field: 'group_id',
    requireParent: requireGroup,
    missing: (id, group) => `group item ${id} in group ${group}`,
  },
  mayRemove: async (tx, account, { id, name }) => {
    if (!(await items.hasEntries(tx, account, id))) return
    throw new KpiError(
      'conflict',
      `group item ${id} (${name}) is carried by entries and cannot be deleted; archive it instead, in the newer interface (kpi breakdown-items update ${id} --archived true)`,
    )
  },
})
