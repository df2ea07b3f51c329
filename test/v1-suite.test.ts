import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from './support/databases.ts'
import { differences } from './support/differences.ts'
import type { Format, Row } from './support/suite/row.ts'
import { newerRows } from './support/suite/newer-rows.ts'
import { rows } from './support/suite/rows.ts'
import { startSuite, type Suite } from './support/suite/suite.ts'
import { asNewer, formatOf } from './support/suite/v1.ts'

const own = newerRows.map((row) => ({ asked: row, ...asNewer(row) }))
const all = [...rows.map((row) => ({ asked: row, ...asNewer(row) })), ...own]

test('every difference is seen in rows or by clients', () => {
  expect(differences.filter(({ row, client }) => !row && !client)).toEqual([])
})

describe.each(databases)('the newer variant on %s', (_, make) => {
  let suite: Suite
  beforeAll(async () => {
    suite = await startSuite(make, 'v1')
  })
  afterAll(async () => {
    await suite[Symbol.asyncDispose]()
  })

  test.each(all.map(({ row, asked }) => [row.ask.slice(0, 80), row.what, row.status, row, asked] as const))(
    '%s %s: %i',
    async (_ask, _what, expected, row, asked) => {
      const { status } = await suite.run(row, formatOf(asked))
      expect(status).toBe(expected)
    },
  )

  test('has been asked every row of the classic interface, and its own', () => {
    expect(suite.asked()).toBe(rows.length + newerRows.length)
    expect(suite.asked()).toBeGreaterThanOrEqual(1000)
  })

  test('is as it was after all that was only asked or refused', async () => {
    const { used, fresh } = await suite.contents()
    expect(used).toEqual(fresh)
  })

  // Rows that hold because of a difference do not hold without it, as long as there is that difference.
  const holds = (row: Row, format: Format): Promise<boolean> =>
    suite.run(row, format).then(
      () => true,
      () => false,
    )
  test.each(differences.filter(({ row }) => row).map((difference) => [difference.name, difference] as const))(
    'differs: %s',
    async (name, difference) => {
      const concerned = all.filter(({ differs }) => differs.includes(name))
      let holdWithout = 0
      for (const { asked } of concerned) {
        if (!(await holds(asNewer(asked, difference).row, formatOf(asked)))) break
        holdWithout += 1
      }
      expect(holdWithout).toBeLessThan(concerned.length)
    },
  )
})
