import { expect, test } from 'vitest'
import { shapeOf } from '../../src/load/sending/shape.ts'

const drafts = (count: number): Parameters<typeof shapeOf>[1] =>
  Array.from({ length: count }, (_, at) => ({ user_id: 1, kpi_id: 2, entry_date: at, actual: BigInt(at) * 10_000n }))

test.each<[what: string, count: number, one: unknown, other: unknown]>([
  ['ids', 1, { id: 901, status: 'stored' }, { id: 902, status: 'stored' }],
  ['ids in words', 1, { result: 'Entry 5 stored' }, { result: 'Entry 17 stored' }],
  ['days and times', 2, { at: '2026-03-10T10:11:12Z' }, { at: '2026-03-11 00:00:01' }],
  ['names made by chance', 2, { trace: '3f2a9c1e-77b0-4a11' }, { trace: '9c1e3f2a-77b0-4a12' }],
  ['what was sent', 3, { data: { kpi: 2, value: 1 } }, { data: { kpi: 2, value: 2 } }],
  [
    'places',
    2,
    [
      { index: 0, ok: 1 },
      { index: 1, ok: 1 },
    ],
    [
      { index: 2, ok: 1 },
      { index: 3, ok: 1 },
    ],
  ],
  ['names made by chance, and times', 1, { ref: 'x1', took_ms: 3 }, { ref: 'q7', took_ms: 5 }],
  ['nothing', 1, '', {}],
  ['an empty list', 1, null, []],
])('answers look alike that differ in %s', (_, count, one, other) => {
  expect(shapeOf(one, drafts(count))).toBe(shapeOf(other, drafts(count)))
})

test.each<[what: string, count: number, one: unknown, other: unknown]>([
  ['a code', 1, { code: 0 }, { code: 17 }],
  ['a code that is a number that was sent', 3, { code: 0 }, { code: 2 }],
  ['their words', 1, { result: 'Entry 5 stored' }, { result: 'Error 4711: period is closed' }],
  ['how many failed', 5, { success: 5, failed: 0 }, { success: 4, failed: 1 }],
  ['how many failed, in words', 5, { result: '5 stored, 0 failed' }, { result: '4 stored, 1 failed' }],
  ['whether any failed, in words to one', 1, { result: '0 failed' }, { result: '1 failed' }],
  ['an id that is none', 1, { id: 5 }, { id: 0 }],
  ['a number that is like one that was sent', 3, { accepted: 2 }, { accepted: 1 }],
  ['a number alone', 3, 1, 0],
  ['how many are named', 2, [{ id: 1 }, { id: 2 }], [{ id: 1 }]],
  [
    'one of many',
    2,
    [{ index: 0, status: 201 }],
    [
      { index: 0, status: 201 },
      { index: 1, status: 422 },
    ],
  ],
  ['what is so', 1, { stored: true }, { stored: false }],
])('answers do not look alike that differ in %s', (_, count, one, other) => {
  expect(shapeOf(one, drafts(count))).not.toBe(shapeOf(other, drafts(count)))
})
