import { expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { basic } from '../support/classic.ts'
import type { Db } from '../../src/store/db.ts'
import { postgresDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { limitPlace } from '../support/limits.ts'
import { startService } from '../support/service.ts'

const WRONG = 300

// Each look at credentials takes a connection there.
test('credentials that were right before do not wait behind hundreds of wrong ones from the same address, on PostgreSQL', async () => {
  await using service = await startService(undefined, postgresDatabase)
  const { db, login, token } = service
  const seconds = NOW / 1000
  const throttle = createLoginThrottle(await (await limitPlace(postgresDatabase, { now: NOW })).open())
  const deps = { db, version: '0.0.0-test', now: () => seconds, requestId: () => 'r', onError: () => undefined }
  const handler = createClassicHandler({ ...deps, limits: { throttle } })
  const server = await listen(handler, '127.0.0.1', 0, { clock: () => performance.now() })
  const get = async (authorization: string): Promise<number> => {
    const { status } = await fetch(`${server.url}/api/kpis`, { headers: { authorization } })
    return status
  }
  const right = basic(login, token)
  expect(await get(right)).toBe(200)
  let left = WRONG
  const refused = Array.from({ length: WRONG }, async (_one, at) => {
    const status = await get(basic(`nobody${at}@example.com`, token))
    left -= 1
    return status
  })
  let answered = 0
  while (left > 0) {
    expect(await get(right)).toBe(200)
    answered += 1
  }
  for (const status of await Promise.all(refused)) expect([401, 403]).toContain(status)
  expect(answered).toBeGreaterThan(10)
  await server.close()
})

test('requests that come together share a look at their credentials, that begins after they came, on PostgreSQL', async () => {
  await using service = await startService(undefined, postgresDatabase)
  const { db, login, token } = service
  let reads = 0
  const counted: Db = {
    ...db,
    read: (work) => {
      reads += 1
      return db.read(work)
    },
  }
  const throttle = createLoginThrottle(await (await limitPlace(postgresDatabase, { now: NOW })).open())
  const deps = { version: '0.0.0-test', now: () => NOW / 1000, requestId: () => 'r', onError: () => undefined }
  const handler = createClassicHandler({ ...deps, db: counted, limits: { throttle } })
  const headers = { authorization: basic(login, token) }
  const get = async (): Promise<number> => {
    const body = async (): Promise<Uint8Array> => new Uint8Array()
    return (await handler({ method: 'GET', target: '/api/kpis/999', headers, address: '127.0.0.1', body })).status
  }
  expect(await get()).toBe(404)
  reads = 0
  const together = Array.from({ length: 100 }, get)
  expect(new Set(await Promise.all(together))).toEqual(new Set([404]))
  // One look is under way when the others come, and one is made for all of them; what they ask for is read by account.
  expect(reads).toBeLessThanOrEqual(2)
  // Fewer than are braked, as those that are looked at later are wrong.
  const before = Array.from({ length: 5 }, get)
  await db.write((tx) => tx.run("update users set user_status_id = 'L'").then(() => undefined))
  expect(await get()).toBe(401)
  await Promise.all(before)
})
