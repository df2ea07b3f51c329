import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { type Assignment, assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'

/** Defines assignments as tables show them: with the target that counts, and whose it is. */
export const shownAssignment = {
  ...resource({
    ...assignment,
    brief: ['user_id', 'id', 'target', 'target_from', 'sort_order'],
    fields: {
      ...assignment.fields,
      target: {
        kind: 'decimal',
        about: 'Target that counts for this user',
        readOnly: true,
        nullable: true,
        inUnitOf: assignment.fields.user_target.inUnitOf,
      },
      target_from: {
        kind: 'choice',
        about: "Whose target it is: the user's own, or the KPI's default",
        readOnly: true,
        nullable: true,
        oneOf: ['user', 'KPI'],
      },
    },
  }),
  // Show only the interface's own fields in csv and json.
  shown: assignment.shown,
}

/**
 * Adds to assignments the target that counts: the user's own, else the KPI's default; none where the KPI has none. A key
 * that may not read KPIs sees only users' own targets.
 */
export const withTargets = async (client: Client, assignments: readonly Assignment[]): Promise<AnyRecord[]> => {
  const kpis = await readIfAllowed(client, client.kpis.list())
  const defaults = kpis && new Map(kpis.map(({ id, target_default }) => [id, target_default]))
  return assignments.map((one) => {
    const [own, usual] = [one.user_target, defaults?.get(one.id) ?? null]
    if (defaults && usual === null) return { ...one, target: null, target_from: null }
    return { ...one, target: own ?? usual, target_from: own === null ? (usual === null ? null : 'KPI') : 'user' }
  })
}
