import { resource, type Stored } from '../schema.ts'

/** Defines the link of a user to a group item. Its id is that of the group item. */
export const userGroupItem = resource({
  name: 'user_group_item',
  plural: 'user_group_items',
  title: 'group item of the user',
  root: 'UserGroupItem',
  path: '/users/{user_id}/groupitems',
  verbs: ['list', 'get', 'add', 'remove'],
  brief: ['id', 'user_id', 'group_name', 'name'],
  fields: {
    user_id: { kind: 'integer', about: 'User who belongs to it', readOnly: true, refers: 'user', example: 2 },
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
      called: 'group name, gruppe, groupe, grupo, gruppo, groep, grupp, grupa',
    },
    name: {
      kind: 'text',
      about: 'Name of the group item',
      required: true,
      max: 100,
      example: 'North',
      called: 'item, item name, group item, element, eintrag',
    },
    sort_order: {
      kind: 'int16',
      about: 'Place in lists',
      fallback: 'next',
      called: 'order, position, place, reihenfolge',
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})

export type GroupItem = Stored<typeof groupItem>

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
    name: {
      kind: 'text',
      about: 'Name of the group',
      required: true,
      max: 50,
      example: 'Region',
      called: 'group, group name, gruppe, groupe, grupo, gruppo, groep, grupp, grupa',
    },
    sort_order: {
      kind: 'int16',
      about: 'Place in lists',
      fallback: 'next',
      called: 'order, position, place, reihenfolge',
    },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})
