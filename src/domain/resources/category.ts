import { resource } from '../schema.ts'

export const category = resource({
  name: 'category',
  plural: 'categories',
  title: 'category',
  root: 'KPICategory',
  path: '/kpicategories',
  verbs: ['list', 'get', 'add', 'update', 'remove'],
  brief: ['id', 'name', 'sort_order'],
  fields: {
    id: { kind: 'integer', about: 'Id of the category', readOnly: true },
    name: { kind: 'text', about: 'Name of the category', required: true, max: 50, example: 'Sales' },
    sort_order: { kind: 'int16', about: 'Place in lists', fallback: 'next' },
    created_at: { kind: 'datetime', about: 'When it was made', readOnly: true },
    updated_at: { kind: 'datetime', about: 'When it was last changed', readOnly: true },
  },
})
