import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import type { Db } from '../../src/store/db.ts'
import { limitsBeside } from '../../src/store/rate-limits/open-limits.ts'
import { temporaryFolder } from '../support/folder.ts'
import { NOW } from '../support/io.ts'
import { ask, askV1, type Service, startService } from '../support/service.ts'

/** Lets a file of SQLite grow no further: what needs another page finds the disk full. */
const fillUp = async (db: Db, most = 1): Promise<void> => {
  // A batch is written by a connection of its own.
  for (const one of [db, db.trusting ?? db]) await one.write((tx) => tx.all(`pragma max_page_count = ${most}`))
}
const makeRoom = (db: Db): Promise<void> => fillUp(db, 1_000_000)

/** A service that holds its callers to limits, which are counted in a file at a path. */
const startCounting = async (limit: number) => {
  const service = await startService()
  const folder = temporaryFolder()
  const path = folder.in('kpi-limits.db')
  const clock = { now: NOW }
  const limits = await limitsBeside(path, () => clock.now)
  onTestFinished(async () => {
    await limits.close()
    await service[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })
  const handler = createClassicHandler({
    db: service.db,
    version: '0.0.0-test',
    now: () => Math.floor(clock.now / 1000),
    requestId: () => 'full',
    onError: (error) => service.logged.push(error),
    limits: { throttle: createLoginThrottle(limits), rate: createRateLimit(limits, limit) },
  })
  return { service: { ...service, handler }, limits, clock, path }
}

/** Asks so many times and answers, of each answer, its status and how many requests it says were counted. */
const askTimes = async (service: Service, times: number): Promise<[status: number, used: number][]> => {
  const answers: [number, number][] = []
  for (let at = 0; at < times; at += 1) {
    const { status, headers } = await ask(service, { path: '/kpicategories/1' })
    answers.push([status, Number(headers['x-ratelimit-requests'])])
  }
  return answers
}

const countIn = (path: string, sql: string): number => {
  using database = new DatabaseSync(path)
  return Number(Object.values(database.prepare(sql).get() ?? {})[0])
}
const change = (path: string, sql: string): void => {
  using database = new DatabaseSync(path)
  database.exec(sql)
}

const REQUESTS = 'select count(*) from accepted_requests'

describe('where there is no room to count', () => {
  test('requests are answered and counted on, and taken over once there is', async () => {
    const { service, limits, clock, path } = await startCounting(600)
    await askTimes(service, 5)
    // What takes up the room, and is gone later.
    change(path, `insert into refused_logins values ('other', '${'1 '.repeat(50_000)}', ${NOW - 1000})`)
    await fillUp(limits.db)
    const answers = await askTimes(service, 500)
    expect(answers.map(([status]) => status)).toEqual(Array(500).fill(200))
    expect(answers.map(([, used]) => used)).toEqual(answers.map((_, at) => at + 6))
    const kept = countIn(path, REQUESTS)
    expect(kept).toBeLessThan(505)
    clock.now += 1000
    expect(await askTimes(service, 1)).toEqual([[200, 506]])
    expect(countIn(path, REQUESTS)).toBe(kept)
    change(path, "delete from refused_logins where pair = 'other'")
    clock.now += 1000
    const [[status, used] = []] = await askTimes(service, 1)
    expect(status).toBe(200)
    expect(used).toBeGreaterThanOrEqual(507)
    expect(countIn(path, REQUESTS)).toBe(used)
    const last = await askTimes(service, 600 - (used ?? 0) + 1)
    expect(last.map(([one]) => one)).toEqual([...Array(last.length - 1).fill(200), 403])
  })

  test('wrong credentials are slowed down all the same', async () => {
    const { service, limits, clock } = await startCounting(600)
    await fillUp(limits.db)
    const tryAs = async (name: string): Promise<number> => {
      const authorization = `Basic ${btoa(`${name}:wrong`)}`
      return (await ask(service, { path: '/kpis', headers: { authorization } })).status
    }
    const statuses: number[] = []
    for (let at = 0; at < 60; at += 1) statuses.push(await tryAs(`somebody-${at}@example.com`))
    for (let at = 0; at < 11; at += 1) statuses.push(await tryAs('eve@example.com'))
    expect(statuses).toEqual([...Array(70).fill(401), 403])
    clock.now += 60_000
    expect(await tryAs('eve@example.com')).toBe(401)
    expect(await askTimes(service, 1)).toEqual([[200, 1]])
  })
})

describe('where there is no room in the store', () => {
  test('reading goes on, writing is put off, and goes on by itself once there is', async () => {
    await using service = await startService()
    for (const [path, body] of [
      [
        '/kpis',
        {
          icon_id: 1,
          unit_id: 1,
          frequency_id: 'D',
          name: 'Sales',
          value_direction: 'U',
          sort_order: 1,
          is_active: true,
        },
      ],
      ['/users/1/kpis', { id: 1, sort_order: 1 }],
    ] as const) {
      await ask(service, { method: 'POST', path, body })
    }
    await fillUp(service.db)
    const entries = Array.from({ length: 2000 }, (_, at) => ({
      user_id: 1,
      kpi_id: 1,
      entry_date: new Date(Date.UTC(2000, 0, 1 + at)).toISOString().slice(0, 10),
      notes: 'x'.repeat(100),
    }))
    const batch = { method: 'POST', path: '/kpientries/list', body: { entries } }
    const refused = await ask(service, batch)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
    const answers = [await ask(service, { path: '/kpis' }), await askV1(service, { path: '/kpis' })]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await makeRoom(service.db)
    expect(await ask(service, batch)).toMatchObject({ status: 200, body: expect.stringContaining('"rows_added":2000') })
  })
})
