import type { Decimal } from '../decimal.ts'
import { asAsked, asStored, resource, type Stored } from '../schema.ts'
import { targetsBefore } from './dated-target.ts'

/** Defines the assignment of a KPI to a user: "User KPI" in the interface. Its id is that of the KPI. */
export const assignment = resource({
  name: 'assignment',
  plural: 'assignments',
  title: 'assignment of KPI',
  root: 'UserKPI',
  path: '/users/{user_id}/kpis',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'user_id', 'user_target', 'sort_order'],
  fields: {
    id: { kind: 'integer', about: 'KPI that is assigned', required: true, refers: 'kpi' },
    user_id: { kind: 'integer', about: 'User it is assigned to', readOnly: true, refers: 'user', example: 2 },
    user_target: {
      kind: 'decimal',
      about: "Target of this user, instead of the KPI's default; only where the KPI has one",
      nullable: true,
      inUnitOf: { kind: 'kpi', idField: 'id' },
      example: 120,
    },
    target_base: {
      kind: 'decimal',
      about: 'Where there are dated targets, the one of days before the first; user_target shows the one of today',
      nullable: true,
      onRequest: true,
      isDerived: true,
      inUnitOf: { kind: 'kpi', idField: 'id' },
    },
    targets: {
      kind: 'targets',
      about: 'Targets of this user that hold from a day on, each until the next one; null for none',
      nullable: true,
      onRequest: true,
      since: 8,
    },
    targets_before: targetsBefore,
    sort_order: {
      kind: 'int16',
      about: "Place on the user's entry screen",
      required: true,
      usual: 'next',
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

/** Defines an assignment as the bundled service shows it to a client that asks for dated targets. */
export const askedAssignment = asAsked(assignment)

/** Defines an assignment as the store holds it: `user_target` is the target of days before the first dated one. */
export const storedAssignment = asStored(assignment)

/** Describes an assignment; its dated targets where they are known. */
export type Assignment = Stored<typeof assignment> & { targets?: string | null; target_base?: Decimal | null }
