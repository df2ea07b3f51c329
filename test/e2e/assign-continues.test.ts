import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { Handler } from '../../src/server/wire.ts'
import { type Importer, kpiNamed, remoteImporter, userNamed } from '../support/import.ts'
import { limited } from '../support/limited-service.ts'
import { type Ended, startKpi } from '../support/process.ts'
import { some } from '../support/soak/tests.ts'

/** When a command is killed: at a request, counted from the last kill, once the service has done it or before. */
type Kill = { readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'; readonly at: number; readonly isDone: boolean }

type Held = readonly string[]

/** An account whose service counts what it is asked, and kills who asks. */
type Watched = {
  readonly importer: Importer
  /** Runs a command again and again until it is not killed any more. */
  readonly run: (line: readonly string[], kills?: readonly Kill[]) => Promise<Ended>
  /** What users have: their KPIs, targets and places. */
  readonly held: () => Promise<Held>
  /** How often each change was done, by its method, path and body. */
  readonly done: ReadonlyMap<string, number>
  readonly requests: () => number
}

const idOf = (text: string): number => Number(/"id":\s*(\d+)/.exec(text)?.[1] ?? 0)

const fill =
  (users: number, kpis: number) =>
  async ({ kpis: all, users: people }: Client): Promise<void> => {
    for (let at = 1; at <= kpis; at += 1) await all.add(kpiNamed(`K${at}`, { target_default: 10_0000n }))
    const drafts = Array.from({ length: users }, (_, at) => userNamed(`P${at}`, { email: `p${at}@example.com` }))
    for await (const _ of people.addEach(drafts));
  }

const openWatched = async (
  users: number,
  kpis: number,
  limit = 1_000_000,
  more?: (client: Client) => Promise<void>,
) => {
  let [requests, kills, seen, kill] = [0, [] as Kill[], 0, (): void => undefined]
  const done = new Map<string, number>()
  const answer = async (handler: Handler, request: Parameters<Handler>[0]): ReturnType<Handler> => {
    requests += 1
    if (request.method === 'GET') return handler(request)
    const body = await request.body()
    const text = body.toString()
    // One user may not have one KPI, as far as this service is concerned.
    if (/users\/5\/kpis/.test(request.target) && idOf(text) === 3)
      return { status: 422, headers: { 'content-type': 'application/json' }, body: '{"message":"not this one"}' }
    const response = await handler({ ...request, body: () => Promise.resolve(body) })
    const key = `${request.method} ${request.target} ${text}`
    if (response.status < 300) done.set(key, (done.get(key) ?? 0) + 1)
    return response
  }
  const killing =
    (handler: Handler): Handler =>
    async (request) => {
      const [next] = kills
      if (next?.method !== request.method || (seen += 1) < next.at) return answer(handler, request)
      ;[kills, seen] = [kills.slice(1), 0]
      if (next.isDone) await answer(handler, request)
      kill()
      return { status: 503, headers: {}, body: '' }
    }
  const limiting = limited(limit, 1)
  const begin = async (client: Client): Promise<void> => {
    await fill(users, kpis)(client)
    await more?.(client)
  }
  const importer = await remoteImporter({ fill: begin, wrap: (handler) => limiting(killing(handler)) })
  onTestFinished(() => importer[Symbol.asyncDispose]())
  const run: Watched['run'] = async (line, asked = []) => {
    ;[kills, seen] = [[...asked], 0]
    for (let times = 0; ; times += 1) {
      const { child, ended } = startKpi(importer.folder, [...line, '-o', 'json'], {
        ...(importer.world.env as Record<string, string>),
      })
      kill = () => void child.kill('SIGKILL')
      const last = await ended
      if (last.signal === null) {
        expect([times, kills]).toEqual([asked.length, []])
        return last
      }
    }
  }
  const held = async (): Promise<Held> => {
    const people = await importer.client.users.list()
    const all = await Promise.all(people.map(({ id }) => importer.client.assignments(id).list()))
    return all.flat().map((one) => `${one.user_id} ${one.id} ${one.user_target} ${one.sort_order}`)
  }
  const watched: Watched = { importer, run, held, done, requests: () => requests }
  return watched
}

const USERS = 25
const KPIS = 5
const [FIRST_USER, REFUSED] = [2, 1]

/** A list of all users and all KPIs; some assignments are there already, as they are to be or otherwise. */
const ROWS = [
  'user,kpi,target',
  ...Array.from({ length: USERS * KPIS }, (_, at) => {
    const [user, kpi] = [Math.floor(at / KPIS) + FIRST_USER, (at % KPIS) + 1]
    return `${user},K${kpi},${kpi === 2 ? user : ''}`
  }),
].join('\n')

const assignSome = async (client: Client): Promise<void> => {
  for (const user of [3, 12, 25]) {
    await client.assignments(user).add({ id: 1, sort_order: 1 })
    await client.assignments(user).add({ id: 2, sort_order: 2 })
  }
}

const UNMEASURED = { requests: 0, refused: 0, waited: 0, seconds: 0, receipt: null }

/** What a run has printed, but what differs from run to run. */
const summaryOf = ({ stdout }: Pick<Ended, 'stdout'>): unknown => ({ ...(JSON.parse(stdout) as object), ...UNMEASURED })

test(
  'an import of assignments that is killed again and again comes to the same as one that is not, and sends nothing twice',
  { timeout: 60_000 },
  async () => {
    const [one, other] = [
      await openWatched(USERS, KPIS, undefined, assignSome),
      await openWatched(USERS, KPIS, 400, assignSome),
    ]
    for (const { importer } of [one, other]) importer.write('a.csv', ROWS)
    const line = ['assign', 'import', 'a.csv', '--keep-history']
    const [whole, last] = [
      await one.importer.kpi(...line, '-o', 'json'),
      await other.run(line, [
        { method: 'POST', at: 1, isDone: true },
        { method: 'POST', at: 30, isDone: false },
        { method: 'PUT', at: 1, isDone: true },
        { method: 'GET', at: 17, isDone: true },
        { method: 'POST', at: 47, isDone: true },
      ]),
    ]
    expect([whole.code, last.code]).toEqual([3, 3])
    expect(summaryOf(whole)).toMatchObject({ added: USERS * KPIS - 6 - REFUSED, updated: 3, unchanged: 3, rejected: 1 })
    expect(last.stderr).toMatch(/continuing the import that began at .*: \d+ assignments are done/)
    expect(summaryOf(last)).toEqual(summaryOf(whole))
    expect(await other.held()).toEqual(await one.held())
    expect(other.importer.read('a.rejects.csv')).toBe(one.importer.read('a.rejects.csv'))
    expect([...other.done.values()].every((times) => times === 1)).toBe(true)
    const again = await other.importer.kpi('assign', 'import', 'a.csv', '-o', 'json')
    expect(again.stderr).not.toContain('continuing')
    expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, updated: 0, rejected: 1 })
  },
)

const [MANY_USERS, MANY_ROWS] = [80, 200]
/** Reads besides those of a user each: users, KPIs, and what a run begins with. */
const OTHERS = 20

test('an import of assignments asks once for each user and each row, also where it is killed', async () => {
  const rows = Array.from({ length: MANY_ROWS }, (_, at) => `${(at % MANY_USERS) + FIRST_USER + 4},K${(at % 3) + 1}`)
  const open = async (): Promise<Watched> => {
    const watched = await openWatched(MANY_USERS + 4, 3)
    watched.importer.write('a.csv', ['user,kpi', ...new Set(rows)].join('\n'))
    return watched
  }
  const [one, other] = [await open(), await open()]
  const line = ['assign', 'import', 'a.csv']
  const kills = [
    { method: 'POST', at: 50, isDone: true },
    { method: 'POST', at: 60, isDone: false },
  ] as const
  const [whole, last] = [await one.importer.kpi(...line, '-o', 'json'), await other.run(line, kills)]
  expect([whole.code, last.code]).toEqual([0, 0])
  expect(summaryOf(last)).toEqual(summaryOf(whole))
  const most = MANY_USERS + new Set(rows).size + OTHERS
  expect(one.requests()).toBeLessThanOrEqual(most)
  expect(other.requests()).toBeLessThanOrEqual(1.05 * most)
  expect(await other.held()).toEqual(await one.held())
})

const KILLS = { add: 'POST', update: 'PUT', remove: 'DELETE' } as const

test.each(some(1, ['add', 'update', 'remove'] as const))(
  'assign %s that is killed goes on, and does nothing twice',
  async (verb) => {
    const whose = ['--kpis', 'K1,K2', '--users', 'all', '--yes']
    const values = verb === 'remove' ? [] : ['--target', '7']
    const assignAll = async (client: Client): Promise<void> => {
      if (verb === 'add') return
      for (const { id: user } of await client.users.list())
        for (const id of [1, 2]) await client.assignments(user).add({ id, sort_order: id })
    }
    const [one, other] = [await openWatched(7, 2, undefined, assignAll), await openWatched(7, 2, undefined, assignAll)]
    const line = ['assign', verb, ...whose, ...values]
    const kills = [
      { method: KILLS[verb], at: 5, isDone: true },
      { method: KILLS[verb], at: 4, isDone: false },
    ]
    const [whole, last] = [await one.importer.kpi(...line, '-o', 'json'), await other.run(line, kills)]
    expect([whole.code, last.code, last.stderr]).toEqual([0, 0, expect.stringContaining('continuing what began at')])
    expect(await other.held()).toEqual(await one.held())
    expect([...other.done.values()].every((times) => times === 1)).toBe(true)
    expect(existsSync(other.importer.folder.in('a.rejects.csv'))).toBe(false)
  },
)
