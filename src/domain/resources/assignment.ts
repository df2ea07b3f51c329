import { resource, type Stored } from '../schema.ts'

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

export type Assignment = Stored<typeof assignment>
