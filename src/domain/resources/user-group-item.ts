import { resource, type Stored } from '../schema.ts'

/** A group item that a user belongs to. Its id is the group item's. */
export const userGroupItem = resource({
  name: 'user_group_item',
  plural: 'user_group_items',
  title: 'group item of the user',
  root: 'UserGroupItem',
  path: '/users/{user_id}/groupitems',
  verbs: ['list', 'get', 'add', 'remove'],
  brief: ['id', 'user_id', 'group_name', 'name'],
  fields: {
    user_id: { kind: 'integer', about: 'User who belongs to it', readOnly: true, example: 2 },
    id: {
      kind: 'integer',
      about: 'Group item that the user belongs to',
      required: true,
      refers: 'group_item',
      example: 3,
    },
    group_id: { kind: 'integer', about: 'Group of the group item', readOnly: true, example: 2 },
    group_name: { kind: 'text', about: 'Name of the group', readOnly: true, example: 'Region' },
    name: { kind: 'text', about: 'Name of the group item', readOnly: true, example: 'North' },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
  },
})

export type UserGroupItem = Stored<typeof userGroupItem>
