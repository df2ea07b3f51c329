import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { TextResponse } from '../../src/server/wire.ts'
import { idempotentRequests } from '../../src/store/tables/idempotency.ts'
import { createIdempotentRunner } from '../../src/service/limits/idempotency.ts'
import { assignFirst, ENTRY_KEY, KPI, otherAccount, tell } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { limited, type LimitedService, startLimited } from '../support/limits.ts'
import { withKey } from '../support/newer.ts'
import { type Asked, ask, askV1 } from '../support/service.ts'

const CATEGORY = { name: 'Regions' }
const KEY = 'a-key'

/** Asks with a key, to make a category unless something else is said. */
const once = (service: LimitedService, asked: Partial<Asked> = {}): Promise<TextResponse> =>
  ask(service, {
    method: 'POST',
    path: '/kpicategories',
    body: CATEGORY,
    ...asked,
    headers: { 'idempotency-key': KEY, ...asked.headers },
  })

/** What is the same in an answer that is given again. */
const sameOf = ({ status, headers, body }: TextResponse): unknown => ({
  status,
  location: headers['location'],
  type: headers['content-type'],
  body,
})

const isReplayed = ({ headers }: TextResponse): boolean => headers['idempotent-replayed'] === 'true'

const countOf = async (service: LimitedService, path: string): Promise<number> =>
  ((await tell(service, { path })).body as unknown[]).length

describe.each(databases)('a POST with an Idempotency-Key on %s', (_, make) => {
  test('is done once, and answered the same again', async () => {
    await using service = await startLimited(0, make)
    const before = await countOf(service, '/kpicategories')
    const first = await once(service)
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    for (const path of ['/kpicategories', '/KPICategories/', '/kpicategories?page=2']) {
      const again = await once(service, { path })
      expect([sameOf(again), isReplayed(again)]).toEqual([sameOf(first), true])
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    }
    expect(await countOf(service, '/kpicategories')).toBe(before + 1)
  })

  test('that comes many times at once, through two instances, is done once; the others wait', async () => {
    await using service = await startLimited(0, make)
    const second = await limited(service, 0, service.clock)
    const before = await countOf(service, '/kpicategories')
    const all = Array.from({ length: 8 }, () => [once(service), once(second)]).flat()
    const answers = await Promise.all(all)
    const done = answers.filter(({ status }) => status === 201)
    expect(done.filter((answer) => !isReplayed(answer))).toHaveLength(1)
    expect(new Set(done.map(({ body }) => body)).size).toBe(1)
    for (const { status, headers } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, headers['retry-after']]).toEqual([409, '1'])
    }
    expect(await countOf(service, '/kpicategories')).toBe(before + 1)
    expect(isReplayed(await once(service))).toBe(true)
  })

  test('may be a batch', async () => {
    await using service = await startLimited(0, make)
    await assignFirst(service)
    const entries = [1, 2, 3].map((day) => ({
      ...ENTRY_KEY,
      entry_date: `2026-03-0${day}`,
      actual: 5,
      addToActual: true,
    }))
    const batch = { path: '/kpientries/list', body: { entries } }
    const first = await once(service, batch)
    expect(JSON.parse(first.body)).toMatchObject({ rows_created: 3 })
    expect(sameOf(await once(service, batch))).toEqual(sameOf(first))
    const { body } = await tell(service, { path: '/kpientries?dateFrom=2026-03-01&dateTo=2026-03-03' })
    expect(body).toMatchObject([{ actual: 5 }, { actual: 5 }, { actual: 5 }])
  })

  test('is bound by faults in its fields too, and stores nothing then', async () => {
    await using service = await startLimited(0, make)
    await assignFirst(service)
    const good = { ...ENTRY_KEY, actual: 1 }
    const batch = { path: '/kpientries/list', body: { entries: [good, { ...good, kpi_id: 2 }] } }
    const first = await once(service, batch)
    expect(first.status).toBe(400)
    expect(JSON.parse(first.body)).toMatchObject({ errors: [{ index: 1, field: 'kpi_id' }] })
    await tell(service, { method: 'POST', path: '/kpis', body: { ...KPI, name: 'Visits' } })
    await tell(service, { method: 'POST', path: '/users/2/kpis', body: { id: 2, sort_order: 2 } })
    const again = await once(service, batch)
    expect([sameOf(again), isReplayed(again)]).toEqual([sameOf(first), true])
    expect(await countOf(service, '/kpientries?dateFrom=2026-03-01&dateTo=2026-03-03')).toBe(0)
    expect(await once(service, { ...batch, headers: { 'idempotency-key': 'other' } })).toMatchObject({ status: 200 })
  })

  test.each([
    ['thousands of faults, all of them', 5000, 'x', 100_000, 5000, ''],
    [
      'faults that tell all that was sent, the first of them',
      2000,
      randomBytes(100).toString('hex'),
      150_000,
      100,
      'the first 100 of 2000 faults',
    ],
  ])('that was refused keeps little of it: %s', async (_, rows, text, most, kept, words) => {
    await using service = await startLimited(0, make)
    await assignFirst(service)
    const entries = Array.from({ length: rows }, (_, at) => ({
      ...ENTRY_KEY,
      user_id: undefined,
      email: `${createHash('sha512').update(`${text}${at}`).digest('hex').slice(0, text.length)}@example.com`,
      actual: 1,
    }))
    const batch = { path: '/kpientries/list', body: { entries } }
    const first = await once(service, batch)
    const again = await once(service, batch)
    expect([again.status, isReplayed(again)]).toEqual([400, true])
    const [told, repeated] = [first, again].map(({ body }) => JSON.parse(body) as { message: string; errors: object[] })
    expect(repeated?.errors).toEqual(told?.errors.slice(0, kept))
    expect(repeated?.message).toContain(words)
    const [row] = await service.db.read((tx) => tx.all('select length(body) as length from idempotent_requests'))
    expect(first.body.length).toBeGreaterThan(300_000)
    expect(Number(row?.['length'])).toBeLessThan(most)
  })

  test('with another body is refused, and the first answer stays', async () => {
    await using service = await startLimited(0, make)
    const first = await once(service)
    // The same fields in other bytes are another body.
    for (const body of ['{"name": "Regions"}', { name: 'Others' }]) {
      const other = await once(service, { body })
      expect([other.status, isReplayed(other)]).toEqual([400, false])
      expect((JSON.parse(other.body) as { message: string }).message).toMatch(/a-key was sent before with another body/)
    }
    expect(sameOf(await once(service))).toEqual(sameOf(first))
  })

  test('is another one at another path, in another account, with another key', async () => {
    await using service = await startLimited(0, make)
    const other = {
      ...service,
      ...(await otherAccount(service, 'acme')),
      handler: service.handler,
      clock: service.clock,
    }
    const answers = [
      await once(service),
      await once(service, { path: '/kpiunits' }),
      await once(other),
      await once(service, { headers: { 'idempotency-key': 'A-Key' } }),
    ]
    expect(answers.map(isReplayed)).toEqual([false, false, false, false])
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 201, 201])
  })

  test('is done anew after a day, and forgotten', async () => {
    await using service = await startLimited(0, make)
    const first = await once(service)
    service.clock.now += 86_400_000
    expect(isReplayed(await once(service))).toBe(true)
    service.clock.now += 1000
    const later = await once(service, { body: { name: 'Another' } })
    expect([later.status, isReplayed(later)]).toEqual([201, false])
    expect(later.body).not.toBe(first.body)
    service.clock.now += 86_401_000
    await once(service, { headers: { 'idempotency-key': 'next' } })
    const rows = await service.db.read((tx) => tx.all('select request_key from idempotent_requests'))
    expect(rows).toEqual([{ request_key: 'next' }])
  })

  test('whose owner died is done by the next after half a minute, and by nobody before', async () => {
    await using service = await startLimited(0, make)
    const request = { account: 1, path: '/api/kpicategories', key: KEY }
    const now = Math.floor(service.clock.now / 1000)
    const record = { fingerprint: 'x', owner: 'dead', leasedUntil: now + 30, createdAt: now }
    await service.db.write((tx) => idempotentRequests.take(tx, request, record))
    service.clock.now += 29_000
    expect(await once(service)).toMatchObject({ status: 409, headers: { 'retry-after': '1' } })
    service.clock.now += 1000
    expect(await once(service)).toMatchObject({ status: 201 })
  })

  test('whose owner was only slow undoes its work when another has taken over', async () => {
    await using service = await startLimited(0, make)
    const now = Math.floor(service.clock.now / 1000)
    const request = { account: 1, path: '/api/kpicategories', key: KEY, fingerprint: 'x', now }
    const before = await countOf(service, '/kpicategories')
    const slow = createIdempotentRunner(service.db)(request, {
      perform: async (open) => {
        await open.write(async (tx) => {
          await tx.run(
            'insert into categories (account_id, id, name, sort_order, created_at, updated_at) values (1, 99, ?, 1, 0, 0)',
            ['Slow'],
          )
          await tx.run(`update idempotent_requests set owner = 'another'`)
        })
        return { status: 201, location: null, contentType: null, body: '' }
      },
      faultAnswer: () => undefined,
    })
    await expect(slow).rejects.toMatchObject({ code: 'conflict', retryAfter: 1 })
    expect(await countOf(service, '/kpicategories')).toBe(before)
  })
})

describe('a key is not bound', () => {
  test.each([
    ['a body that cannot be read', { body: '{' }, 400],
    ['a body of another type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a path that is not there', { path: '/nowhere' }, 404],
    ['a user who is not there', { path: '/users/99/kpis', body: { id: 1, sort_order: 1 } }, 404],
    [
      'a conflict',
      { path: '/users', body: { first_name: 'A', user_type: 'User', user_status_id: 'A', email: 'admin@localhost' } },
      409,
    ],
    ['a method that is not there', { path: '/reports/AllDataEntries' }, 405],
    ['no credentials', { headers: { authorization: '' } }, 401],
  ])('by %s', async (_, asked: Partial<Asked>, status) => {
    await using service = await startLimited(0)
    for (let times = 0; times < 2; times += 1) {
      const answer = await once(service, asked)
      expect([answer.status, isReplayed(answer)]).toEqual([status, false])
    }
    expect(await service.db.read((tx) => tx.all('select * from idempotent_requests'))).toEqual([])
  })

  test('by what goes wrong inside', async () => {
    await using service = await startLimited(0)
    await service.db.write((tx) => tx.run('alter table categories rename to gone'))
    expect(await once(service)).toMatchObject({ status: 500 })
    await service.db.write((tx) => tx.run('alter table gone rename to categories'))
    expect(await once(service)).toMatchObject({ status: 201 })
  })

  test('by a refusal for the limit; an answer that is given again counts', async () => {
    await using service = await startLimited(2)
    await once(service)
    expect((await once(service)).headers['x-ratelimit-requests']).toBe('2')
    expect(await once(service)).toMatchObject({ status: 403, headers: { 'retry-after': '60' } })
    service.clock.now += 60_000
    expect(isReplayed(await once(service))).toBe(true)
  })

  test.each(['GET', 'PUT', 'DELETE', 'HEAD'])('by %s, which may be done again anyway', async (method) => {
    await using service = await startLimited(0)
    for (let times = 0; times < 2; times += 1) {
      expect(isReplayed(await once(service, { method, path: '/kpicategories/1', body: CATEGORY }))).toBe(false)
    }
  })
})

test.each([
  ['', 0],
  ['k'.repeat(256), 256],
])('the key %j is refused, and nothing is done', async (key, length) => {
  await using service = await startLimited(0)
  const before = await countOf(service, '/kpicategories')
  const { status, body } = await once(service, { headers: { 'idempotency-key': key } })
  expect([status, JSON.parse(body)]).toEqual([
    400,
    { message: `Idempotency-Key must have 1 to 255 characters, it has ${length}` },
  ])
  expect(await countOf(service, '/kpicategories')).toBe(before)
})

test.each(['k'.repeat(255), ' ', "' or 1=1 --", 'clé', '__proto__'])(
  'the key %j is a key like any other',
  async (key) => {
    await using service = await startLimited(0)
    const headers = { 'idempotency-key': key }
    expect(isReplayed(await once(service, { headers }))).toBe(false)
    expect(isReplayed(await once(service, { headers }))).toBe(true)
  },
)

test('an answer is given again in the format that it had, and a refusal in the one that is asked for', async () => {
  await using service = await startLimited(0)
  const body = '<KPICategory><name>Regions</name></KPICategory>'
  const headers = { 'content-type': 'application/xml' }
  const first = await once(service, { body, headers })
  expect([first.status, first.headers['content-type']]).toEqual([201, expect.stringMatching(/xml/)])
  const again = await once(service, { body, headers: { ...headers, accept: 'application/json' } })
  expect([sameOf(again), isReplayed(again)]).toEqual([sameOf(first), true])
  const other = await once(service, { body: body.replace('Regions', 'Others'), headers })
  expect([other.status, other.body]).toEqual([
    400,
    expect.stringMatching(/^<Error[^]*<message>Idempotency-Key a-key was/),
  ])
})

test('a password that was sent is not kept in a form that can be tried', async () => {
  await using service = await startLimited(0)
  const body = { first_name: 'A', user_type: 'User', user_status_id: 'A', email: 'a@example.com', password: 'sesame' }
  const { status } = await once(service, { path: '/users', body })
  expect(status).toBe(201)
  const [row] = await service.db.read((tx) => tx.all('select * from idempotent_requests'))
  const plain = ['hex', 'base64', 'base64url'] as const
  const hashes = plain.map((form) => createHash('sha256').update(JSON.stringify(body)).digest(form))
  for (const trace of ['sesame', ...hashes]) expect(Object.values(row ?? {}).join(' ')).not.toContain(trace)
})

describe.each(databases)('a POST with an Idempotency-Key to the newer variant on %s', (_, make) => {
  const onceV1 = (service: LimitedService, asked: Partial<Asked> = {}): Promise<TextResponse> =>
    askV1(service, {
      method: 'POST',
      path: '/kpicategories',
      body: CATEGORY,
      ...asked,
      headers: { 'idempotency-key': KEY, ...asked.headers },
    })

  test('is done once, with whichever key of the account it is sent again', async () => {
    await using service = await startLimited(0, make)
    const before = await countOf(service, '/kpicategories')
    const first = await onceV1(service)
    expect([first.status, first.headers['location'], isReplayed(first)]).toEqual([201, '/v1/kpicategories/2', false])
    const second = await withKey(service, { name: 'second' })
    for (const one of [service, second]) {
      const again = await onceV1(one, { path: '/KPICategories/' })
      expect([sameOf(again), isReplayed(again)]).toEqual([sameOf(first), true])
    }
    expect((await onceV1(second)).headers['x-key-name']).toBe('second')
    expect(await countOf(service, '/kpicategories')).toBe(before + 1)
  })

  test('is another request than the same one to the classic interface', async () => {
    await using service = await startLimited(0, make)
    const answers = [await once(service), await onceV1(service), await once(service), await onceV1(service)]
    expect(answers.map(isReplayed)).toEqual([false, false, true, true])
    expect(answers.map(({ headers }) => headers['location'])).toEqual([
      '/api/kpicategories/2',
      '/v1/kpicategories/3',
      '/api/kpicategories/2',
      '/v1/kpicategories/3',
    ])
  })

  test('with another body is 422, and a fault in its fields is told again as it was', async () => {
    await using service = await startLimited(0, make)
    const first = await onceV1(service, { body: { name: '' } })
    expect([first.status, first.headers['content-type']]).toEqual([422, 'application/problem+json'])
    const again = await onceV1(service, { body: { name: '' } })
    expect([sameOf(again), isReplayed(again)]).toEqual([sameOf(first), true])
    const other = await onceV1(service)
    expect([other.status, isReplayed(other)]).toEqual([422, false])
    expect(JSON.parse(other.body)).toEqual({
      type: 'urn:problem-type:kpi:key_reused',
      title: 'The Idempotency-Key was sent before with another body',
      status: 422,
      detail: 'Idempotency-Key a-key was sent before with another body; take a new key for a new request',
      instance: '/v1/kpicategories',
    })
  })

  test('is not bound by what is refused before: a scope that is missing, a format, the limit', async () => {
    await using service = await startLimited(3, make)
    const few = await withKey(service, { name: 'few', scopes: 'kpis:read' })
    expect(await onceV1(few)).toMatchObject({ status: 403 })
    expect(await onceV1(service, { headers: { accept: 'text/html' } })).toMatchObject({ status: 406 })
    expect(await onceV1(service, { body: '{' })).toMatchObject({ status: 400 })
    const done = await onceV1(service)
    expect([done.status, isReplayed(done)]).toEqual([201, false])
    expect(await onceV1(service)).toMatchObject({ status: 429 })
  })

  test('is 409 with a time to come back while the first is running', async () => {
    await using service = await startLimited(0, make)
    const second = await limited(service, 0, service.clock)
    const answers = await Promise.all([service, second, service, second].map((one) => onceV1(one)))
    expect(answers.filter((answer) => answer.status === 201 && !isReplayed(answer))).toHaveLength(1)
    for (const { status, headers, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, headers['retry-after'], JSON.parse(body)]).toMatchObject([409, '1', { status: 409 }])
    }
  })
})
