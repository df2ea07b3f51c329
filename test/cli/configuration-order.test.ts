import { expect, test } from 'vitest'
import { inOrder } from '../../src/changes/plan/order.ts'
import { KIND_NAMES, kinds } from '../../src/changes/records/kind-fields.ts'
import type { AccountRecord } from '../../src/changes/records/snapshot.ts'

test('KPIs are deleted, with their entries, before the users and items that those entries keep', () => {
  const deletes = KIND_NAMES.map((name) => ({
    action: 'delete' as const,
    record: { kind: kinds[name] } as AccountRecord,
    fields: [],
  }))
  expect(inOrder(deletes, true).map(({ record }) => record.kind.of.plural)).toEqual([
    'user_group_items',
    'assignments',
    'calculated',
    'kpis',
    'users',
    'group_items',
    'groups',
    'units',
    'categories',
    'icons',
  ])
})
