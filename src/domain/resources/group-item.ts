import { resource, type Stored } from '../schema.ts'

export const groupItem = resource({
  name: 'group_item',
  plural: 'group_items',
  title: 'group item',
  root: 'GroupItem',
  path: '/groups/{group_id}/items',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  removal: 'with its links to users',
  brief: ['id', 'group_id', 'name', 'sort_order'],
  fields: {
    id: { kind: 'integer', about: 'Id of the group item', readOnly: true, example: 3 },
    group_id: {
      kind: 'integer',
      about: 'Group that it belongs to',
      readOnly: true,
      refers: 'group',
      column: 'breakdown_id',
      example: 2,
    },
    name: { kind: 'text', about: 'Name of the group item', required: true, max: 100, example: 'North' },
    sort_order: { kind: 'int16', about: 'Place in lists', fallback: 'next' },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

export type GroupItem = Stored<typeof groupItem>
