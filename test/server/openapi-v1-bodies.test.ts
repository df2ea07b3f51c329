import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judgeOf } from '../support/description.ts'
import { operationsOf, unsaid } from '../support/described.ts'
import { askV1, type Service } from '../support/service.ts'
import { askedFor, goodFor, readV1Description, startWorld } from '../support/v1-world.ts'

const description = await readV1Description()
const faultsOfBody = judgeOf(description, false)

/** What clients may put where something else belongs. */
const TEXTS = ['', '  ', 'x', 'D', 'U', 'SUM', '#.0', '5', '1.5', 'true', 'a\nb', 'a\u0001b', 'x'.repeat(1000)]
const DATES = ['2026-03-05', '2026-03-05T00:00:00', '2026-02-30']
const NUMBERS = [0, 1, 2, 5, -1, 1.5, 1.23456, 40_000, 1e14, 1e20]
const VALUES: readonly unknown[] = [...TEXTS, ...DATES, ...NUMBERS, null, true, false, [], [1], {}]

const taking = operationsOf(description).flatMap((one) => {
  const schema = one.operation.requestBody?.content['application/json']?.schema
  return schema ? [{ is: one.is, one, schema }] : []
})

const propertiesOf = ({ $ref = '' }: { readonly $ref?: string }): string[] => {
  const schema = description.components['schemas']?.[$ref.split('/').at(-1) ?? ''] as { properties: object }
  return Object.keys(schema.properties)
}

/** A good body with one property other than it was, in each way. */
const bodiesFor = (good: object, name: string): object[] => {
  const { [name]: _left, ...rest } = good as Record<string, unknown>
  return [rest, ...VALUES.map((value) => ({ ...good, [name]: value }))]
}

/** The body with days alone: midnight may stand behind a day, which no schema says. */
const withoutMidnight = (body: object): unknown => JSON.parse(JSON.stringify(body).replaceAll('T00:00:00', ''))

describe('what the newer variant takes and what its description takes are the same', () => {
  let world: Service
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })
  const cases = taking.flatMap((all) => propertiesOf(all.schema).map((name) => ({ ...all, name })))

  test.each(cases)('$is: $name', async ({ one, schema, name }) => {
    for (const body of bodiesFor(goodFor(one.path), name)) {
      const { status, body: text } = await askV1(world, askedFor(one, { body }))
      expect({
        body,
        status,
        unsaid: unsaid(faultsOfBody(schema, withoutMidnight(body)), { status, body: text }),
      }).toEqual({
        body,
        status,
        unsaid: [],
      })
      expect(status).toBeLessThan(500)
    }
  })
})
