import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../src/domain/scopes.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { judgeAnswersOf } from '../support/description.ts'
import { operationsOf, type Placed } from '../support/described.ts'
import { NOW } from '../support/io.ts'
import { askedFor, ENTRY, filled, goodFor, NORTH, readV1Description, startWorld } from '../support/v1-world.ts'
import { type Asked, askV1, makeKey, type Service } from '../support/service.ts'

const description = await readV1Description()
const operations = operationsOf(description)
const faultsOfAnswer = judgeAnswersOf(description)

let world: Service
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

test('every scope is named where keys are described', () => {
  const { components } = description as unknown as {
    components: { securitySchemes: Record<string, { description: string }> }
  }
  expect(components.securitySchemes['key']?.description).toContain(SCOPES.join(', '))
})

/** Asks for an operation, and answers how what is told is not as it is described, or has another status. */
const faultsOf = async ({ operation }: Placed, asked: Asked, expected: number): Promise<string[]> => {
  const answer = await askV1(world, asked)
  const faults = faultsOfAnswer(operation, answer)
  return answer.status === expected ? faults : [`${answer.status} is not ${expected}: ${answer.body}`, ...faults]
}

const placed = (is: string): Placed => {
  const found = operations.find((one) => one.is === is)
  if (!found) throw new Error(`${is} is not described`)
  return found
}

describe('what the newer variant answers is as described', () => {
  const reads = operations.filter(({ method }) => method === 'GET')
  const adds = operations.filter(({ method }) => method === 'POST')
  const updates = operations.filter(({ method }) => method === 'PUT')
  const removes = operations.filter(({ method }) => method === 'DELETE')

  test.each([...reads, ...updates])('$is', async (one) => {
    expect(await faultsOf(one, askedFor(one, { path: `${filled(one.path)}?dateFrom=2026-03-01` }), 200)).toEqual([])
  })

  test.each(adds)('$is', async (one) => {
    expect(await faultsOf(one, askedFor(one), /\/(?:list|undo|delete)$/.test(one.path) ? 200 : 201)).toEqual([])
  })

  test('POST /kpientries of an entry that is there', async () => {
    const one = placed('POST /kpientries')
    expect(await faultsOf(one, askedFor(one, { body: { ...ENTRY, actual: 7 } }), 200)).toEqual([])
  })

  test.each(removes)('$is', async (one) => {
    const path = one.path.replace('/{id}', '')
    const body = path === '/kpientries' ? { ...ENTRY, entry_date: '2026-03-09' } : goodFor(path)
    const made = await askV1(world, { method: 'POST', path: filled(path), body })
    const location = made.headers['location']?.replace('/v1', '') ?? ''
    expect(await faultsOf(one, askedFor(one, { path: location }), 200)).toEqual([])
  })
})

describe('what the newer variant refuses is refused as described', () => {
  const guarded = operations.filter(({ operation }) => operation.security?.length !== 0)
  const taking = operations.filter(({ operation }) => operation.requestBody)

  test.each(operations)('$is: a head that it does not understand', async (one) => {
    expect(await faultsOf(one, askedFor(one, { headers: { accept: 'application/xml' } }), 406)).toEqual([])
    expect(await faultsOf(one, askedFor(one, { headers: { 'content-type': 'application/xml' } }), 415)).toEqual([])
    expect(
      await faultsOf(one, askedFor(one, { headers: { 'content-type': 'application/json; charset=latin1' } }), 415),
    ).toEqual([])
    expect(await faultsOf(one, askedFor(one, { path: `${filled(one.path)}?${'x'.repeat(9000)}` }), 414)).toEqual([])
  })

  test.each(guarded)('$is: a key that is missing, wrong or may not', async (one) => {
    const [scope] = Object.values(one.operation.security?.[0] ?? {}).flat() as string[]
    const account = await ensureDefaultAccount(world.db, NOW / 1000)
    const others = SCOPES.filter((other) => other !== scope).join(',')
    const key = await makeKey(world.db, account, { scopes: others, expires_at: NOW / 1000 + 60 })
    expect(await faultsOf(one, askedFor(one, { headers: { authorization: '' } }), 401)).toEqual([])
    expect(await faultsOf(one, askedFor(one, { headers: { authorization: 'Bearer kpi_key_x' } }), 401)).toEqual([])
    expect(await faultsOf(one, askedFor(one, { headers: { authorization: `Bearer ${key}` } }), 403)).toEqual([])
  })

  test.each(operations.filter(({ path }) => path.includes('{') && !path.includes('{run}')))(
    '$is: an id that nobody has',
    async (one) => {
      expect(await faultsOf(one, askedFor(one, { path: filled(one.path, 999) }), 404)).toEqual([])
    },
  )

  test.each(taking)('$is: a body that cannot be read', async (one) => {
    expect(await faultsOf(one, askedFor(one, { body: '{' }), 400)).toEqual([])
    expect(await faultsOf(one, askedFor(one, { body: '[]' }), 400)).toEqual([])
  })

  test.each([
    ['POST /kpis', { body: {} }, 422],
    ['POST /kpientries/list', { body: { entries: [ENTRY, { kpi_id: 'x' }] } }, 422],
    ['GET /kpientries', { path: '/kpientries?rows=0' }, 400],
    ['GET /breakdownitems', { path: '/breakdownitems?archived=perhaps' }, 400],
    ['GET /reports/AllDataEntries', { path: '/reports/AllDataEntries?kpiIds=x' }, 400],
    ['POST /kpis', { headers: { 'idempotency-key': '' } }, 400],
    ['DELETE /kpicategories/{id}', {}, 409],
    ['DELETE /kpiunits/{id}', {}, 409],
    ['DELETE /breakdownitems/{id}', {}, 409],
    ['PUT /kpientries/{id}', { body: { source_id: NORTH, user_id: null } }, 409],
    ['PUT /breakdownitems/{id}', { path: '/breakdownitems/1', body: { is_archived: true } }, 403],
  ] satisfies [string, Partial<Asked>, number][])('%s with %j', async (is, more, status) => {
    expect(await faultsOf(placed(is), askedFor(placed(is), more), status)).toEqual([])
  })

  test('an Idempotency-Key that was sent before, with the same body and with another one', async () => {
    const one = placed('POST /kpiunits')
    const headers = { 'idempotency-key': 'unit' }
    expect(await faultsOf(one, askedFor(one, { headers }), 201)).toEqual([])
    expect(await faultsOf(one, askedFor(one, { headers }), 201)).toEqual([])
    expect(await faultsOf(one, askedFor(one, { headers, body: { name: 'Another' } }), 422)).toEqual([])
    const invalid = askedFor(one, { headers: { 'idempotency-key': 'fault' }, body: {} })
    expect(await faultsOf(one, invalid, 422)).toEqual([])
    expect(await faultsOf(one, invalid, 422)).toEqual([])
  })
})
