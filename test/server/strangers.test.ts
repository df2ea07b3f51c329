import { expect, test } from 'vitest'
import { listen } from '../../src/server/listen.ts'
import { createLoginBrake } from '../../src/service/login-brake.ts'
import { classicFace } from '../../src/server/classic.ts'
import { basic } from '../support/classic.ts'
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
  const brake = createLoginBrake(await (await limitPlace(postgresDatabase, { now: NOW })).open())
  const deps = { db, version: '0.0.0-test', now: () => seconds, requestId: () => 'r', onError: () => undefined }
  const face = classicFace({ ...deps, limits: { brake } })
  const server = await listen(face, '127.0.0.1', 0, { clock: () => performance.now() })
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
