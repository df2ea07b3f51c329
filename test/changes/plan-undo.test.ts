import { expect, test } from 'vitest'
import { Snapshot } from '../../src/changes/records/snapshot.ts'
import { type MadeAgain, madeAgain, planUndo } from '../../src/changes/undo/plan-undo.ts'
import type { AnyRecord } from '../../src/domain/schema.ts'
import type { NotedChange } from '../../src/runs/run-record.ts'

const [BEFORE_RUN, RUN, SINCE] = [50, 100, 200]

const CHANGE: NotedChange = {
  id: 1,
  place: 1,
  kind: 'category',
  action: 'update',
  recordId: 7,
  parents: {},
  name: 'category Shop',
  before: { name: 'Web' },
  after: { name: 'Shop' },
  outcome: 'done',
  reason: undefined,
  changedAt: RUN,
}
const CREATE = { ...CHANGE, action: 'create', before: undefined } as const
const DELETE = { ...CHANGE, action: 'delete', after: undefined } as const
const UNKNOWN = 'what it was before is not known'

const held = (name: string, id = 7, at = RUN, created_at = BEFORE_RUN): AnyRecord => ({
  id,
  name,
  sort_order: 1,
  created_at,
  updated_at: at,
})
const again = (id: number | undefined): MadeAgain => madeAgain([{ ...CREATE, recordId: id, before: { id: 7 } }])

test.each<[string, NotedChange, readonly AnyRecord[], object, MadeAgain?]>([
  ['an update', CHANGE, [held('Shop')], { action: 'restore', change: 'name "Shop" → "Web"' }],
  ['an update that is taken back', CHANGE, [held('Web')], { action: 'done' }],
  ['an update of what was not read', { ...CHANGE, before: undefined }, [held('Shop')], { action: 'leave', reason: UNKNOWN }], // prettier-ignore
  ['an update of nothing that can be read', { ...CHANGE, before: {} }, [held('Shop')], { action: 'leave', reason: UNKNOWN }], // prettier-ignore
  ['an update of what was changed since', CHANGE, [held('Mail')], { action: 'leave', reason: 'was changed since: name is "Mail", not "Shop"' }], // prettier-ignore
  ['an update of what is gone', CHANGE, [], { action: 'leave', reason: 'was deleted since' }],
  ['a rename from a name that another has now', CHANGE, [held('Shop'), held('WEB', 8, SINCE)], { action: 'leave', reason: 'category WEB (id 8) has the name now' }], // prettier-ignore
  ['a rename from a name that another had, too', CHANGE, [held('Shop'), held('Web', 8, BEFORE_RUN)], { action: 'restore' }], // prettier-ignore
  ['a delete', DELETE, [], { action: 'create', id: undefined }],
  ['a delete of what was not read', { ...DELETE, before: undefined }, [], { action: 'leave', reason: UNKNOWN }],
  ['a delete of one of two', DELETE, [held('Web', 8, BEFORE_RUN)], { action: 'create' }],
  ['a delete beside one of that name made since', DELETE, [held('web', 8, SINCE, SINCE)], { action: 'leave', reason: 'category web (id 8) has the name now' }], // prettier-ignore
  ['a delete of what was made again', DELETE, [held('Mail', 9)], { action: 'done', id: 9 }, again(9)],
  ['a delete of what may have been made again', DELETE, [held('Web', 9)], { action: 'done', id: 9 }, again(undefined)],
  ['a delete of what was made again and is gone', DELETE, [], { action: 'create' }, again(9)],
  ['a creation', CREATE, [held('Shop')], { action: 'remove', id: 7 }],
  ['a creation of what was changed since in another field', CREATE, [held('Shop', 7, SINCE)], { action: 'leave', reason: 'was changed since' }], // prettier-ignore
  ['a creation of what is gone', CREATE, [], { action: 'done', reason: 'is gone already' }],
])('undo of %s', (_, note, records, planned, made = new Map()) => {
  const snapshot = new Snapshot(new Map([['category', records]]))
  const steps = planUndo({ snapshot, notes: [note], again: made, putBack: [], beganAt: RUN })
  expect(steps).toMatchObject([planned])
})

test('a record that an undo of a later run put back is not changed since', () => {
  const snapshot = new Snapshot(new Map([['category', [held('Shop', 7, SINCE)]]]))
  const putBack = [{ ...CHANGE, changedAt: SINCE }]
  expect(planUndo({ snapshot, notes: [CREATE], again: new Map(), putBack, beganAt: RUN })).toMatchObject([
    { action: 'remove' },
  ])
})
