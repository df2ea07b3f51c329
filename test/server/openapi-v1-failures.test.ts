import { describe, expect, onTestFinished, test } from 'vitest'
import type { CallerLimits } from '../../src/server/auth/authenticate.ts'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import type { Db } from '../../src/store/db.ts'
import { sqliteDatabase } from '../support/databases.ts'
import { judgeAnswersOf } from '../support/description.ts'
import { operationsOf } from '../support/described.ts'
import { NOW } from '../support/io.ts'
import { openLimits } from '../support/limits.ts'
import { serve } from '../support/listening.ts'
import { askV1, type Service } from '../support/service.ts'
import { sendThenRead } from '../support/socket.ts'
import { askedFor, readV1Description, startWorld } from '../support/v1-world.ts'

const description = await readV1Description()
const faultsOfAnswer = judgeAnswersOf(description)
const operations = operationsOf(description)
const guarded = operations.filter(({ operation }) => operation.security?.length !== 0)
const taking = operations.filter(({ operation }) => operation.requestBody)

/** The same service on another store, or with limits. */
const on = (service: Service, db: Db, limits?: CallerLimits): Service => ({
  ...service,
  handler: createV1Handler({
    db,
    version: '1',
    now: () => NOW / 1000,
    requestId: () => 'another',
    onError: () => undefined,
    ...(limits && { limits }),
  }),
})

const HOST = 'Host: localhost'

/** The answer to what is sent as it is. */
const overTheWire = async (url: string, text: string) => {
  const [head = '', body = ''] = (await sendThenRead(url, text)).split('\r\n\r\n')
  const [line = '', ...lines] = head.split('\r\n')
  const pairs = lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 2)])
  return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(pairs) as Record<string, string>, body }
}

describe('what the newer variant tells when something is wrong is as described', () => {
  test('a limit that is reached, and the limit of who has not reached it', async () => {
    await using world = await startWorld()
    const { db, close } = await openLimits(world.db, `${world.dataDir}/limits.db`, () => NOW)
    onTestFinished(close)
    const store = { db, now: () => Promise.resolve(NOW) }
    const service = on(world, world.db, { throttle: createLoginThrottle(store), rate: createRateLimit(store, 1) })
    const first = await askV1(service, { path: '/kpis' })
    expect([first.status, first.headers['x-ratelimit-requests']]).toEqual([200, '1'])
    for (const one of guarded) {
      const answer = await askV1(service, askedFor(one))
      expect([one.is, answer.status, answer.headers['retry-after']]).toEqual([one.is, 429, '60'])
      expect(faultsOfAnswer(one.operation, answer)).toEqual([])
    }
  })

  test('too many keys that are wrong', async () => {
    await using world = await startWorld()
    const { db, close } = await openLimits(world.db, `${world.dataDir}/limits.db`, () => NOW)
    onTestFinished(close)
    const service = on(world, world.db, { throttle: createLoginThrottle({ db, now: () => Promise.resolve(NOW) }) })
    const headers = { authorization: 'Bearer kpi_key_wrong' }
    const answers = []
    for (let time = 0; time < 11; time += 1) answers.push(await askV1(service, { path: '/kpis', headers }))
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    const list = operations.find(({ is }) => is === 'GET /kpis')
    expect(list && answers.flatMap((answer) => faultsOfAnswer(list.operation, answer))).toEqual([])
  })

  test('a fault inside', async () => {
    await using world = await startWorld()
    await world.db.write((tx) => tx.run('alter table entries rename to gone'))
    await world.db.write((tx) => tx.run('alter table runs rename to gone_too'))
    for (const one of guarded.filter(({ path }) => path.startsWith('/kpientries'))) {
      const answer = await askV1(world, askedFor(one))
      expect([one.is, answer.status]).toEqual([one.is, 500])
      expect(faultsOfAnswer(one.operation, answer)).toEqual([])
    }
  })

  test('a store that is not available', async () => {
    await using database = await sqliteDatabase()
    await using world = await startWorld(() => Promise.resolve(database))
    const held = await database.openUnavailable()
    onTestFinished(held.close)
    const service = on(world, held)
    for (const one of taking.slice(0, 3)) {
      const answer = await askV1(service, askedFor(one))
      expect([one.is, answer.status]).toEqual([one.is, 503])
      expect(faultsOfAnswer(one.operation, answer)).toEqual([])
    }
  })

  test.each([
    ['a body that is too large', 413, ['POST /v1/kpis HTTP/1.1', HOST, 'Content-Length: 99999999', '', '']],
    ['a body that does not come', 408, ['POST /v1/kpis HTTP/1.1', HOST, 'Content-Length: 9', '', '']],
    ['a head that does not come', 408, ['POST /v1/kpis HTTP/1.1', HOST]],
    ['a head that is too large', 431, ['POST /v1/kpis HTTP/1.1', HOST, `X-Long: ${'x'.repeat(70_000)}`, '', '']],
    ['an address that is far too long', 414, [`POST /v1/kpis?${'x'.repeat(70_000)} HTTP/1.1`, HOST, '', '']],
    ['what is no head', 400, ['POST /v1/kpis HTTP/1.1', HOST, ': x', '', '']],
    ['a Host that is none', 400, ['POST /v1/kpis HTTP/1.1', 'Host: a b', '', '']],
  ])('%s', async (_, status, [line = '', ...lines]) => {
    await using serving = await serve({ limits: { headMs: 200, requestMs: 200, checkMs: 10, lingerMs: 50 } })
    const { service, server } = serving
    const credentials = `Authorization: Bearer ${service.key}`
    const answer = await overTheWire(server.url, [line, credentials, ...lines].join('\r\n'))
    expect(answer.status).toBe(status)
    const add = operations.find(({ is }) => is === 'POST /kpis')
    expect(add && faultsOfAnswer(add.operation, answer)).toEqual([])
  })
})
