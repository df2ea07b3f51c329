import { expect, test } from 'vitest'
import { inOrder } from '../../src/cli/commands/configuration/planning/changes.ts'
import { KIND_NAMES, kinds } from '../../src/cli/commands/configuration/planning/kinds.ts'
import type { Thing } from '../../src/cli/commands/configuration/planning/things.ts'

test('KPIs are deleted, with their entries, before the users and items that those entries keep', () => {
  const deletes = KIND_NAMES.map((name) => ({
    action: 'delete' as const,
    thing: { kind: kinds[name] } as Thing,
    fields: [],
  }))
  expect(inOrder(deletes).map(({ thing }) => thing.kind.of.plural)).toEqual([
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
