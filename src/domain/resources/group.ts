import { resource, type Stored } from '../schema.ts'

export const group = resource({
  name: 'group',
  plural: 'groups',
  title: 'group',
  root: 'Group',
  path: '/groups',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'name', 'sort_order'],
  fields: {
    id: { kind: 'integer', about: 'Id of the group', readOnly: true, example: 2 },
    name: { kind: 'text', about: 'Name of the group', required: true, max: 50, example: 'Region' },
    sort_order: { kind: 'int16', about: 'Place in lists', fallback: 'next' },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

export type Group = Stored<typeof group>
