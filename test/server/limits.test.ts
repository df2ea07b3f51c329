import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { httpTransport } from '../../src/client/http/http-transport.ts'
import { listen } from '../../src/server/http/listener.ts'
import { KPI, otherAccount, tell, type Told } from '../support/classic.ts'
import { databases, sqliteDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { limited, openLimits, startLimited, of } from '../support/limits.ts'
import { startService } from '../support/service.ts'

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-requests', 'x-ratelimit-duration', 'ratelimit', 'ratelimit-policy']

/** What an answer tells of the limit. */
const toldOf = ({ headers }: Told): (string | undefined)[] => HEADERS.map((name) => headers[name])

describe.each(databases)('the limit of an account on %s', (_, make) => {
  test('is told in the headers of every answer: ours, and those of the IETF', async () => {
    await using service = await startLimited(4, make)
    const policy = '"default";q=4;w=60'
    expect(toldOf(await tell(service, { path: '/kpis' }))).toEqual(['4', '1', '60', '"default";r=3;t=60', policy])
    service.clock.now += 20_500
    expect(toldOf(await tell(service, { path: '/kpis' }))).toEqual(['4', '2', '60', '"default";r=2;t=40', policy])
    service.clock.now += 39_500
    expect(toldOf(await tell(service, { path: '/kpis' }))).toEqual(['4', '2', '60', '"default";r=2;t=21', policy])
  })

  test('is 403 once it is reached, and says when the next request is accepted', async () => {
    await using service = await startLimited(2, make)
    await tell(service, { path: '/kpis' })
    service.clock.now += 10_001
    await tell(service, { path: '/kpis' })
    const refused = await tell(service, { path: '/kpis' })
    expect(refused).toMatchObject({
      status: 403,
      headers: { 'retry-after': '50', 'x-ratelimit-requests': '2', ratelimit: '"default";r=0;t=50' },
      body: { message: 'the limit of 2 requests a minute is reached; the next one is accepted in 50 s' },
    })
    service.clock.now += 49_998
    expect(await tell(service, { path: '/kpis' })).toMatchObject({ status: 403, headers: { 'retry-after': '1' } })
    service.clock.now += 1000
    expect(await tell(service, { path: '/kpis' })).toMatchObject({ status: 200 })
  })

  test('is shared by all instances, and each account has its own', async () => {
    await using service = await startLimited(2, make)
    const second = await limited(service, 2, service.clock)
    const other = { ...service, ...(await otherAccount(service, 'acme')) }
    const statuses = await Promise.all([service, second, service, second].map((one) => tell(one, { path: '/kpis' })))
    expect(statuses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 403, 403])
    expect(await tell({ ...other, handler: service.handler }, { path: '/kpis' })).toMatchObject({ status: 200 })
  })
})

describe('what counts', () => {
  test.each([
    ['a list', { path: '/kpis' }, 200],
    ['HEAD', { method: 'HEAD', path: '/kpis' }, 200],
    ['what does not exist', { path: '/nowhere' }, 404],
    ['a method that a path does not have', { method: 'PATCH', path: '/kpis' }, 405],
    ['a body that cannot be read', { method: 'POST', path: '/kpis', body: '{' }, 400],
    ['fields that fail their rules', { method: 'POST', path: '/kpis', body: { ...KPI, name: '' } }, 400],
    ['a body of another type', { method: 'POST', path: '/kpis', body: '', headers: { 'content-type': 'a/b' } }, 415],
    ['a query that cannot be read', { path: '/kpientries?rows=x' }, 400],
  ])('is %s, as every request with good credentials', async (_, asked, status) => {
    await using service = await startLimited(5)
    expect(await tell(service, asked)).toMatchObject({ status, headers: { 'x-ratelimit-requests': '1' } })
    expect(await tell(service, asked)).toMatchObject({ status, headers: { 'x-ratelimit-requests': '2' } })
  })

  test.each([
    ['/health', { path: '/health' }],
    ['OPTIONS', { method: 'OPTIONS', path: '/kpis' }],
    ['a request without credentials', { path: '/kpis', headers: { authorization: '' } }],
    ['a request with wrong ones', { path: '/kpis', headers: { authorization: 'Basic YTpi' } }],
  ])('is not %s, which is told nothing of it', async (_, asked) => {
    await using service = await startLimited(1)
    for (let times = 0; times < 3; times += 1)
      expect(toldOf(await tell(service, asked))).toEqual(HEADERS.map(() => undefined))
    expect(await tell(service, { path: '/kpis' })).toMatchObject({ headers: { 'x-ratelimit-requests': '1' } })
  })

  test('is not a request that was refused for the limit', async () => {
    await using service = await startLimited(1)
    await tell(service, { path: '/kpis' })
    for (let at = 1; at < 60; at += 1) {
      service.clock.now += 1000
      expect(await tell(service, { path: '/kpis' })).toMatchObject({ headers: { 'retry-after': String(60 - at) } })
    }
    service.clock.now += 1000
    expect(await tell(service, { path: '/kpis' })).toMatchObject({ status: 200 })
  })

  test('changes nothing for an account without access: it is told that, and no time to come back', async () => {
    await using service = await startLimited(1)
    await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)
    for (let times = 0; times < 3; times += 1) {
      const { status, headers, body } = await tell(service, { path: '/kpis' })
      expect([status, headers['retry-after'], headers['x-ratelimit-requests']]).toEqual([403, undefined, '1'])
      expect(body).toEqual({ message: expect.stringContaining('not enabled') as string })
    }
  })
})

test('without a limit no answer speaks of one', async () => {
  await using service = await startLimited(0)
  for (let times = 0; times < 3; times += 1) {
    const answer = await tell(service, { path: '/kpis' })
    expect([answer.status, ...toldOf(answer)]).toEqual([200, ...HEADERS.map(() => undefined)])
  }
})

test('a request that is refused for the limit does nothing', async () => {
  await using service = await startLimited(1)
  await tell(service, { method: 'POST', path: '/kpis', body: KPI })
  await tell(service, { method: 'POST', path: '/kpis', body: KPI })
  service.clock.now += 60_000
  expect((await tell(service, { path: '/kpis' })).body).toHaveLength(1)
})

test('a client knows the refusal for a limit, and when to come back', async () => {
  await using service = await startLimited(1)
  const server = await listen(service.handler, '127.0.0.1', 0)
  onTestFinished(server.close)
  const { login, token } = service
  const baseUrl = new URL(`${server.url}/api`)
  const { send, close } = httpTransport({ baseUrl, login, token, timeoutMs: 10_000, now: () => NOW })
  onTestFinished(close)
  await send({ method: 'GET', path: '/kpis' })
  await expect(send({ method: 'GET', path: '/kpis' })).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 60 })
})

describe('the file in which limits are counted', () => {
  test('is for its owner only, and counting goes on while the store is being written to', async () => {
    await using service = await startLimited(5)
    const importing = new DatabaseSync(`${service.dataDir}/kpi.db`)
    importing.exec('begin immediate')
    expect(await tell(service, { path: '/kpis' })).toMatchObject({ headers: { 'x-ratelimit-requests': '1' } })
    importing.exec('rollback')
    importing.close()
    const files = readdirSync(service.dataDir).filter((name) => name.startsWith('kpi-limits.db'))
    expect(files.map((name) => statSync(`${service.dataDir}/${name}`).mode & 0o777)).toEqual(files.map(() => 0o600))
    expect(files).toContain('kpi-limits.db')
  })

  test.each<[string, (path: string) => void]>([
    ['deleted', (path) => rmSync(path)],
    ['cut', (path) => writeFileSync(path, Buffer.alloc(0))],
    ['damaged', (path) => writeFileSync(path, readFileSync(path).fill(0xff, 4096))],
  ])('is made anew where it was %s', async (_, spoil) => {
    await using database = await sqliteDatabase()
    const store = await database.open()
    onTestFinished(store.close)
    const path = `${database.dataDir}/kpi-limits.db`
    const before = await openLimits(store, path, () => NOW)
    await createRateLimit(before, 1)(of(1))
    await before.close()
    spoil(path)
    const after = await openLimits(store, path, () => NOW)
    expect(await createRateLimit(after, 1)(of(1))).toMatchObject({ isAccepted: true })
    expect(await createRateLimit(after, 1)(of(1))).toMatchObject({ isAccepted: false })
    await after.close()
  })

  test("is refused where it is another program's", async () => {
    await using service = await startService()
    const path = `${service.dataDir}/kpi-limits.db`
    const other = new DatabaseSync(path)
    other.exec('create table songs (title text)')
    other.close()
    await expect(openLimits(service.db, path, () => NOW)).rejects.toMatchObject({
      code: 'unusable',
      message: `${path} is not a kpi database; move it away, or choose another data directory`,
    })
    expect(existsSync(path)).toBe(true)
  })
})

test.each(databases)('the time is that of %s, or of the machine', async (_, make) => {
  await using database = await make()
  const store = await database.open()
  onTestFinished(store.close)
  const limits = await openLimits(store, `${database.dataDir}/kpi-limits.db`, Date.now)
  const [before, now] = [Date.now(), await limits.db.read(limits.now)]
  expect(Math.abs(now - before)).toBeLessThan(3_600_000)
  const rate = createRateLimit(limits, 1)
  expect([await rate(of(1)), await rate(of(1))].map(({ isAccepted }) => isAccepted)).toEqual([true, false])
  await limits.close()
})
