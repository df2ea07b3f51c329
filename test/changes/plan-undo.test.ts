import { expect, test } from 'vitest'
import { createSnapshot } from '../../src/changes/records/snapshot.ts'
import { planUndo } from '../../src/changes/undo/plan-undo.ts'
import type { NotedChange } from '../../src/runs/run-record.ts'

const CHANGE: NotedChange = {
  id: 1,
  place: 1,
  kind: 'category',
  action: 'update',
  recordId: 7,
  parents: {},
  name: 'category "Shop"',
  before: { name: 'Web' },
  after: { name: 'Shop' },
  outcome: 'done',
  reason: undefined,
  changedAt: undefined,
}
const UNKNOWN = 'what it was before is not known'

test.each<[string, Partial<NotedChange>, readonly string[], object]>([
  ['an update', {}, ['Shop'], { action: 'restore', change: 'name "Shop" → "Web"' }],
  ['an update that is taken back', {}, ['Web'], { action: 'done' }],
  ['an update of what was not read', { before: undefined }, ['Shop'], { action: 'leave', reason: UNKNOWN }],
  ['an update of nothing that can be read', { before: {} }, ['Shop'], { action: 'leave', reason: UNKNOWN }],
  ['an update of what was changed since', {}, ['Mail'], { action: 'leave', reason: 'was changed since: name is "Mail", not "Shop"' }], // prettier-ignore
  ['an update of what is gone', {}, [], { action: 'leave', reason: 'was deleted since' }],
  ['a delete', { action: 'delete', after: undefined }, [], { action: 'create' }],
  ['a delete of what was not read', { action: 'delete', before: undefined, after: undefined }, [], { action: 'leave', reason: UNKNOWN }], // prettier-ignore
  ['a delete of what is there again', { action: 'delete', after: undefined }, ['Web'], { action: 'done' }],
  ['a creation', { action: 'create', before: undefined }, ['Shop'], { action: 'remove' }],
  ['a creation of what is gone', { action: 'create', before: undefined }, [], { action: 'done', reason: 'is gone already' }], // prettier-ignore
])('undo of %s', (_, given, names, planned) => {
  const snapshot = createSnapshot(new Map([['category', names.map((name) => ({ id: 7, name, sort_order: 1 }))]]))
  expect(planUndo(snapshot, [{ ...CHANGE, ...given }])).toMatchObject([planned])
})
