import { expect, test } from 'vitest'
import { findCreated } from '../../../src/client/operations/find-created.ts'
import { kpi } from '../../../src/domain/resources/kpi.ts'

const CAFE = 'Cafe\u0301'

/** Records as a list has them afterwards, the ids that it had before, and which was created: its id, none, or nobody knows. */
test.each<
  [
    draft: object,
    list: readonly (readonly [id: number, name: string])[],
    before: number[] | undefined,
    found: number | string,
  ]
>([
  [
    { name: 'Sales' },
    [
      [1, 'Visits'],
      [2, 'Sales'],
    ],
    [1],
    2,
  ],
  [{ name: 'Sales' }, [[1, 'Visits']], [1], 'none'],
  [{ name: 'Sales' }, [[1, 'Sales']], [1], 'none'],
  [
    { name: 'Sales' },
    [
      [1, 'Sales'],
      [2, 'Sales'],
    ],
    [1],
    2,
  ],
  [
    { name: 'Sales' },
    [
      [1, 'Sales'],
      [2, 'Sales'],
    ],
    [],
    'conflict',
  ],
  [{ name: 'Sales' }, [[2, 'Sales']], undefined, 'conflict'],
  [{ name: 'Café' }, [[2, CAFE]], [1], 2],
  [{ id: 7, name: 'Sales' }, [[7, 'Other']], undefined, 7],
  [{ id: 7 }, [[8, 'Sales']], undefined, 'none'],
  [{ sort_order: 1 }, [[2, 'Sales']], [1], 'conflict'],
  [{ sort_order: 1 }, [[1, 'Sales']], [1], 'none'],
])('of %j in %j, beside %j before, %s was created', (draft, list, before, found) => {
  const records = list.map(([id, name]) => ({ id, name }))
  const find = (): unknown => {
    try {
      return findCreated(kpi, draft as Record<string, unknown>, records, before && new Set(before))?.id ?? 'none'
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  expect(find()).toBe(found)
})

test.each<[email: string, found: number | undefined]>([
  ['ANN@example.com', 3],
  ['ann@example.com', 3],
  ['bob@example.com', undefined],
])('a person is known by the address %s', (email, found) => {
  const people = [{ id: 3, name: 'Ann', email: 'ann@example.com' }]
  expect(findCreated(kpi, { email, name: 'Bob' }, people, undefined)?.id).toBe(found)
})
