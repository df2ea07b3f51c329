import { assignment } from '../../domain/resources/assignment.ts'
import { faultsOfUserTarget, missingReference } from '../../domain/rules.ts'
import { assignments as store } from '../../store/tables/assignments.ts'
import { kpis } from '../../store/tables/kpis.ts'
import { collection } from '../collection.ts'
import { requireUser } from './users.ts'

/** Manages the KPIs of a user: the parent is the user, the id is the KPI's. */
export const assignments = collection(assignment, store, 'sent', {
  above: {
    field: 'user_id',
    requireParent: requireUser,
    missing: (id, user) => `assignment of user ${user} to KPI ${id}`,
  },
  faults: async (tx, account, { user_target, ...sent }, before) => {
    const id = before?.id ?? sent.id
    const kpi = id === undefined ? undefined : await kpis.find(tx, account, id)
    if (kpi) return faultsOfUserTarget(kpi, user_target)
    return id === undefined ? [] : [missingReference('id', 'KPI', id)]
  },
  clashes: async (tx, account, { id, user_id }, before) => {
    if (before || id === undefined || user_id === undefined) return []
    const taken = await store.find(tx, account, id, user_id)
    return taken ? [{ field: 'id', message: `KPI ${id} is assigned to user ${user_id} already` }] : []
  },
  // While a KPI has no default target, show null for the targets of its users. The stored ones stay.
  shown: async (tx, account, records) => {
    const ids = records.map(({ id }) => id)
    const known = await kpis.findMany(tx, account, ids)
    return records.map((record) =>
      known.get(record.id)?.target_default === null ? { ...record, user_target: null } : record,
    )
  },
})
