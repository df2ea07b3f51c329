import { hasAnyTarget } from '../../domain/targets/dated-targets.ts'
import { type Assignment, storedAssignment } from '../../domain/resources/assignment.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { faultsOfUserTarget, missingReference } from '../../domain/rules.ts'
import { assignments as store } from '../../store/tables/assignments.ts'
import { kpis } from '../../store/tables/kpis.ts'
import { collection } from '../collection.ts'
import { settleTargets, showToday } from './dated-targets.ts'
import { requireUser } from './users.ts'

/** Manages the KPIs of a user: the parent is the user, the id is the KPI's. */
export const assignments = collection(storedAssignment, store, 'sent', {
  above: {
    field: 'user_id',
    requireParent: requireUser,
    missing: (id, user) => `assignment of user ${user} to KPI ${id}`,
  },
  faults: async (tx, account, sent: Partial<Assignment>, before) => {
    const id = before?.id ?? sent.id
    const kpi = id === undefined ? undefined : await kpis.find(tx, account, id)
    if (kpi) {
      const names = ['user_target', 'target_base', 'targets'] as const
      return names.flatMap((name) => faultsOfUserTarget(kpi, sent[name], name))
    }
    return id === undefined ? [] : [missingReference('id', 'KPI', id)]
  },
  clashes: async (tx, account, { id, user_id }, before) => {
    if (before || id === undefined || user_id === undefined) return []
    const taken = await store.find(tx, account, id, user_id)
    return taken ? [{ field: 'id', message: `KPI ${id} is assigned to user ${user_id} already` }] : []
  },
  // While a KPI has no target, show null for the targets of its users. The stored ones stay.
  shown: async (tx, account, records, now) => {
    const ids = records.map(({ id }) => id)
    const known: ReadonlyMap<number, Kpi> = await kpis.findMany(tx, account, ids)
    return records.map((record: Assignment) => {
      const kpi = known.get(record.id)
      const isHidden = kpi !== undefined && !hasAnyTarget(kpi)
      return showToday(isHidden ? { ...record, user_target: null, targets: null } : record, 'user_target', now)
    })
  },
  settled: (changes, sent, on) => settleTargets(changes, sent, 'user_target', on),
})
