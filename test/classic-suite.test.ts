import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, databases, sqliteDatabase } from './support/databases.ts'
import { IS_SOAK } from './support/soak/tests.ts'
import type { Format } from './support/suite/row.ts'
import { rows } from './support/suite/rows.ts'
import { startSuite, type Suite } from './support/suite/suite.ts'

/** How a body is written does not depend on the database: every row in XML on SQLite, and with a soak on all. */
const formatsOn = (make: () => Promise<Database>): readonly Format[] =>
  make === sqliteDatabase || IS_SOAK ? ['json', 'xml'] : ['json']

describe.each(databases)('the classic interface on %s', (_, make) => {
  let suite: Suite
  beforeAll(async () => {
    suite = await startSuite(make)
  })
  afterAll(async () => {
    await suite[Symbol.asyncDispose]()
  })

  describe.each(formatsOn(make))('in %s', (format) => {
    const own = rows.filter(({ only = format }) => only === format)
    test.each(own.map((row) => [row.ask.slice(0, 80), row.what, row.status, row] as const))(
      '%s %s: %i',
      async (_ask, _what, expected, row) => {
        const { status } = await suite.run(row, format)
        expect(status).toBe(expected)
      },
    )
  })

  test('is as it was after all that was only asked or refused', async () => {
    const { used, fresh } = await suite.contents()
    expect(used).toEqual(fresh)
  })

  test('has been asked at least 400 times', () => {
    expect(suite.asked()).toBeGreaterThanOrEqual(400)
  })
})
