import type { Client } from '../../client/client.ts'
import type { Plan } from '../plan/plan.ts'
import type { Change } from '../records/change.ts'

/** Tells whether changes ask for dated targets that the service cannot hold. */
export const areOutside = (client: Client, changes: readonly Change[]): boolean =>
  !client.datesTargets() &&
  changes.some(({ fields }) => fields.some(({ config, after }) => config.name === 'targets' && after !== null))

/**
 * Returns a plan without the dated targets that all stored entries have already, where the service has one target for all
 * days and these were written onto its entries; `onWarning` receives why some entries cannot get theirs.
 */
export const withoutWritten = async (client: Client, plan: Plan, onWarning: (text: string) => void): Promise<Plan> => {
  if (!areOutside(client, plan.changes)) return plan
  const { findUnwritten } = await import('./entry-targets.ts')
  const updates = plan.changes.filter(({ action }) => action === 'update')
  const { isUnwritten, left } = await findUnwritten(client, updates)
  if (left !== '') onWarning(left)
  // Keep the targets of a KPI and of its users together: a user with an own one does not get the KPI's.
  const openIn = (changes: readonly Change[]): Change[] =>
    changes.flatMap((change) => {
      if (change.action !== 'update' || isUnwritten(change)) return change
      const fields = change.fields.filter(({ config }) => config.name !== 'targets')
      return fields.length === 0 ? [] : { ...change, fields }
    })
  const planned = plan.planned.map((one) => {
    const changes = openIn(one.changes)
    return one.action === 'update' && changes.length === 0
      ? ({ ...one, action: 'unchanged', changes } as const)
      : { ...one, changes }
  })
  return { ...plan, planned, changes: openIn(plan.changes) }
}
