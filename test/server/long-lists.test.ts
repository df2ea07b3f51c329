import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { accounts, ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { addCrowd } from '../support/contention/crowd.ts'
import { databases } from '../support/databases.ts'
import { kpiNamed } from '../support/import.ts'
import { type Service, startService, wayTo } from '../support/service.ts'
import { some } from '../support/soak/tests.ts'

const [CROWD, LISTS] = [2000, 32]

const basic = (login: string, token: string): string => `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`

/** Gives the first account many people and KPIs, and makes another account; answers the credentials of both. */
const fill = async (service: Service): Promise<{ crowded: string; other: string }> => {
  const { db } = service
  await using way = await wayTo(service)
  const { id } = await way.client.kpis.add(kpiNamed('Sales'))
  const { id: account } = await ensureDefaultAccount(db, 0)
  await addCrowd(db, account, way.client, id, CROWD)
  const { name } = await accounts.create(db, { name: 'other', login: 'boss@other', plan: 'team' }, 0)
  await accounts.setApiEnabled(db, name, true)
  const { login, token } = await accounts.createToken(db, name, randomBytes)
  return { crowded: basic(service.login, service.token), other: basic(login, token) }
}

describe.each(databases)('lists of thousands, on %s', (_, makeDatabase) => {
  test.each(some(1, ['/api/users', '/api/kpis', '/api/kpicategories/1/kpis']))(
    'do not keep another account waiting: %s',
    async (path) => {
      await using service = await startService(undefined, makeDatabase)
      const { crowded, other } = await fill(service)
      const server = await listen(service.handler, '127.0.0.1', 0, { clock: () => performance.now() })
      let left = LISTS
      const get = async (target: string, authorization: string): Promise<readonly unknown[]> => {
        const answer = await fetch(server.url + target, { headers: { authorization } })
        expect(answer.status).toBe(200)
        return (await answer.json()) as unknown[]
      }
      const lists = Array.from({ length: LISTS }, async () => {
        const list = await get(path, crowded)
        left -= 1
        return list.length
      })
      let answered = 0
      while (left > 0) {
        // One that is read each time, not remembered.
        await get('/api/kpientries?dateFrom=2026-01-01&dateTo=2026-01-01', other)
        answered += 1
      }
      for (const length of await Promise.all(lists)) expect(length).toBeGreaterThan(CROWD)
      // Where each waits for the lists that came before it, there is one for several of those.
      expect(answered).toBeGreaterThan(LISTS / 2)
      await server.close()
    },
  )
})
