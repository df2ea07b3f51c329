import { resource, type Stored } from '../schema.ts'
import { group } from './group.ts'

/** What values are broken down by, as its operator sees it: a group of the classic interface, or "People". */
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
