import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/server/wire.ts'
import { databases, sqliteDatabase } from '../support/databases.ts'
import { fuzz, parseSeed } from '../support/fuzz/fuzz.ts'
import { BASIC, type FuzzRequest } from '../support/fuzz/request.ts'
import { type Fuzzed, openFuzzed } from '../support/fuzz/run.ts'
import { openFuzzWorld } from '../support/fuzz/world.ts'
import { ask, textOf } from '../support/service.ts'
import { IDS } from '../support/suite/ids.ts'

/** What the suite has time for; `npm run soak -- requests` makes many more. */
const RUNS = 30
/** On a machine that has much else to do; the soak is stricter. */
const MOST_MS = 1000

const { SEED } = process.env

test('whatever is asked is answered as described, on every database alike', async () => {
  const makes = databases.map(
    ([, make]) =>
      (): ReturnType<typeof make> =>
        make(),
  )
  await using fuzzed = await openFuzzed({ databases: makes, mostMs: MOST_MS })
  const runs = SEED === undefined ? { seed: randomInt(2 ** 31) } : parseSeed(SEED)
  expect(await fuzz(fuzzed, { ...runs, count: RUNS })).toBeUndefined()
}, 300_000)

test.each(databases)('what was there is put back though it names what is there only now: %s', async (_, make) => {
  await using world = await openFuzzWorld(make, (handler) => handler)
  const before = (await world.contents()).toSorted()
  const added = await ask(world.service, { method: 'POST', path: '/kpicategories', body: { name: 'New' } })
  const { id } = JSON.parse(added.body) as { id: number }
  const [first] = JSON.parse((await ask(world.service, { path: '/kpis' })).body) as { id: number }[]
  const moved = await ask(world.service, { method: 'PUT', path: `/kpis/${first?.id}`, body: { category_id: id } })
  expect([added.status, moved.status]).toEqual([201, 200])
  await world.restore()
  expect((await world.contents()).toSorted()).toEqual(before)
})

test.each(databases)('entries are put back that took the place of others: %s', async (_, make) => {
  await using world = await openFuzzWorld(make, (handler) => handler)
  const before = (await world.contents()).toSorted()
  const moves = [
    [IDS.TODAY, '2026-11-19'],
    [IDS.ENTRY, '2026-11-21'],
  ] as const
  for (const [id, entry_date] of moves) {
    const sent = { method: 'PUT', path: `/kpientries/${id}`, body: { user_id: IDS.ANN, kpi_id: IDS.SALES, entry_date } }
    expect((await ask(world.service, sent)).status).toBe(200)
  }
  await world.restore()
  expect((await world.contents()).toSorted()).toEqual(before)
})

const LIST: FuzzRequest = {
  variant: 'classic',
  operation: 'GET /kpis',
  method: 'GET',
  target: '/api/kpis',
  version: '1.1',
  headers: [
    ['Host', 'localhost'],
    ['Authorization', BASIC],
  ],
  body: undefined,
  framing: 'length',
}

const busyFor = (milliseconds: number): void => {
  const busy = (): number => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const began = busy()
  while (busy() - began < milliseconds * 1000);
}

const without = (name: string, { headers, ...rest }: WireResponse): WireResponse => ({
  ...rest,
  headers: Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name)),
})

/** For requests of which it is known how little they take. */
const MOST_MS_OF_ONE = 200

/** Makes something wrong of an answer of the first or the second service. */
type Bend = (answer: WireResponse, service: number, method: string) => WireResponse

/** What may become of a good answer, and how it is told. */
const WRONG: readonly (readonly [what: string, bend: Bend, told: RegExp])[] = [
  [
    'answers that differ from one database to another',
    (answer, service) => ({ ...answer, body: textOf(answer.body).replace('Sales', `Sales ${service}`) }),
    /the databases differ/,
  ],
  ['a status of the service itself', (answer) => ({ ...answer, status: 500 }), /it is 500/],
  ['a status that is not described', (answer) => ({ ...answer, status: 202 }), /202 is not described/],
  ['no request id', (answer) => without('x-request-id', answer), /X-Request-Id is missing/],
  ['401 without a challenge', (answer) => ({ ...answer, status: 401 }), /WWW-Authenticate is missing/],
  ['405 without methods', (answer) => ({ ...answer, status: 405 }), /Allow is missing/],
  [
    'a header that is not described',
    (answer) => ({ ...answer, headers: { ...answer.headers, 'x-new': '1' } }),
    /x-new/,
  ],
  ['another media type', (answer) => without('content-type', answer), /Content-Type is missing/],
  [
    'a field too many',
    (answer) => ({ ...answer, body: textOf(answer.body).replace('{', '{"x":1,') }),
    /additional properties/,
  ],
  [
    'a field of another type',
    (answer) => ({ ...answer, body: textOf(answer.body).replace('"Sales"', '7') }),
    /must be string/,
  ],
  ['a body that is cut', (answer) => ({ ...answer, body: textOf(answer.body).slice(0, -1) }), /cannot be read/],
  [
    'an answer that takes long',
    (answer) => {
      busyFor(MOST_MS_OF_ONE + 100)
      return answer
    },
    /kept all others waiting/,
  ],
]

describe('what is wrong is found', () => {
  let fuzzed: Fuzzed
  let services = 0
  let bend: Bend = (answer) => answer
  beforeAll(async () => {
    fuzzed = await openFuzzed({
      databases: [sqliteDatabase, sqliteDatabase],
      mostMs: MOST_MS_OF_ONE,
      wrap: (handler) => {
        const service = (services += 1)
        return async (request) => bend(await handler(request), service, request.method)
      },
    })
  })
  afterAll(async () => {
    await fuzzed[Symbol.asyncDispose]()
  })

  test.each(WRONG)('%s', async (_, wrong, told) => {
    bend = wrong
    expect((await fuzzed.run([LIST])).join('\n')).toMatch(told)
  })

  test('with the fewest requests that it takes', async () => {
    bend = (answer, _, method) => (method === 'GET' && answer.status === 200 ? { ...answer, status: 500 } : answer)
    const told = (await fuzz(fuzzed, { seed: 1, count: 100 })) ?? ''
    expect(told).toMatch(/^SEED=1:\S+ npx vitest run test\/server\/fuzz.test.ts\ncurl -X \$'GET' .*\nit is 500/)
  }, 300_000)
})
