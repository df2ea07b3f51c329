import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { listen } from '../../src/server/http/listener.ts'
import { keyPrefix } from '../../src/service/accounts/keys.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { basic, KPI, tell, type Told } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { limited, type LimitedService, startLimited } from '../support/limits.ts'
import { bearer, lastUse, revoke, tellV1, toldBy, withKey } from '../support/newer.ts'
import { startService } from '../support/service.ts'

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-requests', 'x-ratelimit-duration', 'ratelimit', 'ratelimit-policy']

/** What an answer tells of the limit. */
const toldOf = ({ headers }: Told): (string | undefined)[] => HEADERS.map((name) => headers[name])

const statusesOf = (told: readonly Pick<Told, 'status'>[]): number[] =>
  told.map(({ status }) => status).sort((a, b) => a - b)

const times = async <T>(count: number, ask: () => Promise<T>): Promise<T[]> => {
  const told: T[] = []
  for (let time = 0; time < count; time += 1) told.push(await ask())
  return told
}

const KPIS = { path: '/kpis' }

describe.each(databases)('the limit of a key on %s', (_, make) => {
  test('is told in every answer, and is 429 once it is reached, with when the next request is accepted', async () => {
    await using service = await startLimited(2, make)
    expect(toldOf(await tellV1(service, KPIS))).toEqual(['2', '1', '60', '"default";r=1;t=60', '"default";q=2;w=60'])
    service.clock.now += 10_001
    await tellV1(service, KPIS)
    const refused = await tellV1(service, KPIS)
    expect(refused).toMatchObject({
      status: 429,
      headers: {
        'content-type': 'application/problem+json',
        'retry-after': '50',
        'x-ratelimit-requests': '2',
        ratelimit: '"default";r=0;t=50',
        'x-key-id': '1',
      },
      body: {
        type: 'urn:problem-type:kpi:rate_limited',
        title: 'The limit is reached',
        status: 429,
        detail: 'the limit of 2 requests a minute is reached; the next one is accepted in 50 s',
        instance: '/v1/kpis',
      },
    })
    service.clock.now += 49_998
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
    service.clock.now += 1
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 200 })
  })

  test('is its own: neither another key of the account nor its token counts with it', async () => {
    await using service = await limited(await startService(NOW, make), 1, { now: NOW }, 2)
    const second = await withKey(service, { name: 'second' })
    const used = async (told: Promise<Told>): Promise<unknown> => {
      const { status, headers } = await told
      return [status, headers['x-ratelimit-limit'], headers['x-ratelimit-requests']]
    }
    expect(await used(tellV1(service, KPIS))).toEqual([200, '2', '1'])
    expect(await used(tellV1(second, KPIS))).toEqual([200, '2', '1'])
    expect(await used(tell(service, KPIS))).toEqual([200, '1', '1'])
    expect(await used(tellV1(service, KPIS))).toEqual([200, '2', '2'])
    expect(await used(tellV1(service, KPIS))).toEqual([429, '2', '2'])
    expect(await used(tell(service, KPIS))).toEqual([403, '1', '1'])
    expect(await used(tellV1(second, KPIS))).toEqual([200, '2', '2'])
  })

  test('is shared by all instances', async () => {
    await using service = await startLimited(3, make)
    const second = await limited(service, 3, service.clock)
    const told = await Promise.all([service, second, service, second, service].map((one) => tellV1(one, KPIS)))
    expect(statusesOf(told)).toEqual([200, 200, 200, 429, 429])
  })
})

describe('what counts for a key', () => {
  test.each([
    ['a list', KPIS, 200],
    ['HEAD', { method: 'HEAD', path: '/kpis' }, 200],
    ['what does not exist', { path: '/groups' }, 404],
    ['a method that a path does not have', { method: 'POST', path: '/users', body: {} }, 405],
    ['fields that fail their rules', { method: 'POST', path: '/kpis', body: { ...KPI, name: '' } }, 422],
    ['XML', { path: '/kpis', headers: { 'content-type': 'application/xml' } }, 415],
    ['an Accept without JSON', { path: '/kpis', headers: { accept: 'text/html' } }, 406],
  ])('is %s, as every request with a good key', async (_, asked, status) => {
    await using service = await startLimited(5)
    expect(await tellV1(service, asked)).toMatchObject({ status, headers: { 'x-ratelimit-requests': '1' } })
    expect(await tellV1(service, asked)).toMatchObject({ status, headers: { 'x-ratelimit-requests': '2' } })
  })

  test('is a request whose scope is missing, too', async () => {
    await using service = await withKey(await startLimited(5), { name: 'few', scopes: 'users:read' })
    const told = await tellV1(service, KPIS)
    expect([told.status, told.headers['x-ratelimit-requests'], told.headers['retry-after']]).toEqual([
      403,
      '1',
      undefined,
    ])
  })

  test('is neither a request that was refused for the limit, nor one without a good key', async () => {
    await using service = await startLimited(1)
    for (const authorization of ['', bearer('x'), basic(service.login, service.token)]) {
      const told = await tellV1(service, { ...KPIS, headers: { authorization } })
      expect([told.status, ...toldOf(told)]).toEqual([401, ...HEADERS.map(() => undefined)])
    }
    await tellV1(service, KPIS)
    for (let at = 1; at < 60; at += 1) {
      service.clock.now += 1000
      expect(await tellV1(service, KPIS)).toMatchObject({ status: 429, headers: { 'retry-after': String(60 - at) } })
    }
    service.clock.now += 1000
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 200 })
  })

  test('changes nothing for an account without access: it is told that, and no time to come back', async () => {
    await using service = await startLimited(1)
    await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)
    for (const told of await times(3, () => tellV1(service, KPIS))) {
      expect([told.status, told.headers['retry-after'], told.headers['x-key-id']]).toEqual([403, undefined, '1'])
      expect(told.body).toMatchObject({ status: 403, detail: expect.stringContaining('not enabled') as string })
    }
  })
})

test('without a limit no answer speaks of one', async () => {
  await using service = await limited(await startService(), 1, { now: NOW }, 0)
  for (const told of await times(3, () => tellV1(service, KPIS))) {
    expect([told.status, ...toldOf(told)]).toEqual([200, ...HEADERS.map(() => undefined)])
  }
})

test('a client knows the refusal of a key for its limit, and when to come back', async () => {
  await using service = await startLimited(1)
  const server = await listen(service.handler, '127.0.0.1', 0)
  onTestFinished(server.close)
  const baseUrl = new URL(`${server.url}/v1`)
  const { send, close } = httpTransport({ baseUrl, token: service.key, timeoutMs: 10_000, now: () => NOW })
  onTestFinished(close)
  await send({ method: 'GET', path: '/kpis' })
  await expect(send({ method: 'GET', path: '/kpis' })).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 60 })
})

/** Asks for KPIs with an Authorization header, from an address. */
const attempt = async (
  { handler }: LimitedService,
  authorization: string,
  address = '192.0.2.1',
  prefix = '/v1',
): Promise<Told> =>
  toldBy(
    await handler({
      method: 'GET',
      target: `${prefix}/kpis`,
      headers: authorization === '' ? {} : { authorization },
      address,
      body: () => Promise.resolve(Buffer.alloc(0)),
    }),
  )

/** A key that begins as another does, and is wrong. */
const wrong = (key: string): string => bearer(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)

describe.each(databases)('wrong keys on %s', (_, make) => {
  test('are 401 ten times a minute, then 429 until the first is a minute old, the right one too', async () => {
    await using service = await startLimited(0, make)
    const { key, clock } = service
    expect(statusesOf(await times(10, () => attempt(service, wrong(key))))).toEqual(Array(10).fill(401))
    for (const authorization of [wrong(key), bearer(key)]) {
      const told = await attempt(service, authorization)
      expect(told).toMatchObject({ status: 429, headers: { 'retry-after': '60' }, body: { status: 429 } })
      expect(told.headers['www-authenticate']).toBeUndefined()
    }
    clock.now += 60_000
    expect(await attempt(service, bearer(key))).toMatchObject({ status: 200 })
  })

  test('are no concern of another key or address, nor of the token', async () => {
    await using service = await startLimited(0, make)
    const { key, login, token } = service
    const second = await withKey(service, { name: 'second' })
    await times(10, () => attempt(service, wrong(key)))
    expect(await attempt(service, bearer(second.key))).toMatchObject({ status: 200 })
    expect(await attempt(service, bearer(key), '192.0.2.2')).toMatchObject({ status: 200 })
    expect(await attempt(service, basic(login, token), '192.0.2.1', '/api')).toMatchObject({ status: 200 })
    expect(await attempt(service, bearer(key))).toMatchObject({ status: 429 })
  })

  test('at the same moment through two instances are told of no more than ten', async () => {
    await using service = await startLimited(0, make)
    const second = await limited(service, 0, service.clock)
    const tries = Array.from({ length: 10 }, () => [service, second].map((one) => attempt(one, wrong(service.key))))
    const told = await Promise.all(tries.flat())
    expect(statusesOf(told)).toEqual([...Array<number>(10).fill(401), ...Array<number>(10).fill(429)])
  })
})

describe('what counts as a wrong key', () => {
  test('is one that was revoked, has expired or is malformed', async () => {
    await using service = await startLimited(0)
    const revoked = await withKey(service, { name: 'revoked' })
    await revoke(service, 'revoked', 0)
    const expired = await withKey(service, { name: 'expired', expires_at: 0 })
    for (const authorization of [
      bearer(revoked.key),
      bearer(expired.key),
      bearer('kpi_key_'),
      bearer('x'.repeat(9999)),
    ]) {
      const statuses = statusesOf(await times(11, () => attempt(service, authorization)))
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
    }
  })

  test('is not a request without one, whatever else it has', async () => {
    await using service = await startLimited(0)
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'kpi_key_x', 'Bearer a b']) {
      expect(statusesOf(await times(12, () => attempt(service, authorization)))).toEqual(Array(12).fill(401))
    }
  })

  test('is counted with the classic interface: a name is one, whichever is asked', async () => {
    await using service = await startLimited(0)
    const name = keyPrefix(service.key)
    await times(5, () => attempt(service, wrong(service.key)))
    await times(5, () => attempt(service, basic(name, 'x'), '192.0.2.1', '/api'))
    expect(await attempt(service, bearer(service.key))).toMatchObject({ status: 429 })
    expect(await attempt(service, basic(name, 'x'), '192.0.2.1', '/api')).toMatchObject({ status: 403 })
  })
})

describe.each(databases)('when a key was last used, on %s', (_, make) => {
  test('is noted once a minute', async () => {
    await using service = await startLimited(0, make)
    const start = NOW / 1000
    expect(await lastUse(service)).toBeUndefined()
    for (const [later, noted] of [
      [0, 0],
      [59, 0],
      [60, 60],
      [61, 60],
      [130, 130],
    ] as const) {
      service.clock.now = NOW + later * 1000
      await tellV1(service, KPIS)
      await expect.poll(() => lastUse(service), { interval: 1 }).toBe(start + noted)
    }
  })

  test('is noted in one write when many requests come at once', async () => {
    await using service = await startLimited(0, make)
    let writes = 0
    const { db } = service
    const counting = (place: typeof db): typeof db => ({
      ...place,
      write: (work) => {
        writes += 1
        return place.write(work)
      },
      ...(place.inPassing && { inPassing: counting(place.inPassing) }),
      ...(place.selfLocking && { selfLocking: counting(place.selfLocking) }),
    })
    const watched = await limited({ ...service, db: counting(db) }, 0, service.clock)
    const before = writes
    const told = await Promise.all(Array.from({ length: 50 }, () => tellV1(watched, KPIS)))
    expect(statusesOf(told)).toEqual(Array(50).fill(200))
    await expect.poll(() => lastUse(service), { interval: 1 }).toBe(NOW / 1000)
    await times(3, () => tellV1(watched, KPIS))
    expect(writes - before).toBe(1)
  })

  test('is not noted of what is refused: for the limit, or as the account has no access', async () => {
    await using service = await startLimited(1, make)
    await tellV1(service, KPIS)
    await expect.poll(() => lastUse(service), { interval: 1 }).toBe(NOW / 1000)
    service.clock.now += 59_999
    const second = await limited(service, 1, service.clock)
    expect(await tellV1(second, KPIS)).toMatchObject({ status: 429 })
    await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)
    service.clock.now += 60_000
    expect(await tellV1(second, KPIS)).toMatchObject({ status: 403 })
    expect(await lastUse(service)).toBe(NOW / 1000)
  })

  test('is noted of a request whose scope was missing', async () => {
    await using service = await withKey(await startLimited(0, make), { name: 'few', scopes: 'users:read' })
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 403 })
    await expect.poll(() => lastUse(service, 'few'), { interval: 1 }).toBe(NOW / 1000)
  })
})

test('reading goes on while another process writes: when the key was used is noted later', async () => {
  await using service = await startLimited(0)
  const importing = new DatabaseSync(`${service.dataDir}/kpi.db`)
  importing.exec('begin immediate')
  const started = performance.now()
  expect(statusesOf(await times(20, () => tellV1(service, KPIS)))).toEqual(Array(20).fill(200))
  expect(performance.now() - started).toBeLessThan(1000)
  importing.exec('rollback')
  importing.close()
  expect([await lastUse(service), service.logged]).toEqual([undefined, []])
  service.clock.now += 5000
  expect(await tellV1(service, KPIS)).toMatchObject({ status: 200 })
  await expect.poll(() => lastUse(service), { interval: 1 }).toBe(NOW / 1000 + 5)
})
