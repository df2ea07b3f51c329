import { resource, type Stored } from '../schema.ts'
import { group } from './groups.ts'

/** Defines an item by which values are broken down: a group item of the classic interface, or a person. */
export const breakdownItem = resource({
  name: 'breakdown_item',
  plural: 'breakdown_items',
  title: 'breakdown item',
  path: '/breakdownitems',
  newer: true,
  removal: 'with its links to users',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'breakdown_id', 'name', 'user_id', 'is_archived'],
  fields: {
    id: { kind: 'integer', about: 'Id of the breakdown item', readOnly: true, example: 3 },
    breakdown_id: {
      kind: 'integer',
      about: 'Breakdown that it belongs to',
      required: true,
      example: 2,
      called: 'group, group name, gruppe, groupe, grupo, gruppo, groep, grupp, grupa',
    },
    name: {
      kind: 'text',
      about: 'Name of the item',
      required: true,
      max: 100,
      example: 'North',
      called: 'item, item name, breakdown item, group item, element, eintrag',
    },
    user_id: {
      kind: 'integer',
      about: 'User whom the item stands for',
      readOnly: true,
      nullable: true,
      refers: 'user',
      example: null,
    },
    is_archived: {
      kind: 'boolean',
      about: 'Keeps its history and takes no new entries',
      fallback: false,
      called: 'archiviert, archivé, archivado, archiviato',
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

export type BreakdownItem = Stored<typeof breakdownItem>

/** Defines a breakdown for the operator: a group of the classic interface, or "People". */
export const breakdown = resource({
  name: 'breakdown',
  plural: 'breakdowns',
  title: 'breakdown',
  path: '',
  verbs: [],
  brief: ['id', 'name', 'items', 'archived_items', 'sort_order'],
  fields: {
    ...group.fields,
    items: { kind: 'integer', about: 'How many items it has', readOnly: true },
    archived_items: { kind: 'integer', about: 'How many of them are archived', readOnly: true },
  },
})

export type Breakdown = Stored<typeof breakdown>
