import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Foreign, foreignService } from '../support/foreign.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
import { kpiRecord, userRecord } from '../support/store.ts'

type Body = { user_id?: number; kpi_id?: number; entry_date?: string; actual?: number | null; addToActual?: boolean }
type Held = Body & { id: number; target: null; notes: null; created_at: string; updated_at: string }

/** What a service without batches makes of a POST on a key that is there. */
type OnKnown = 'updates' | 'doubles' | 'refuses'

/** How a service loses an answer: before or after it has done what was asked. */
type Loses = (request: { method: string; path: string; count: number }) => 'before' | 'after' | undefined

type Kind = { readonly onKnown: OnKnown; readonly loses?: Loses; readonly entries?: Held[] }

const AT = '2026-01-01T00:00:00'
const KPI = { ...kpiRecord(), created_at: AT, updated_at: AT }
const USER = { ...userRecord(), created_at: AT, updated_at: AT }
const ASSIGNED = { id: 1, user_id: 2, user_target: null, sort_order: 1, created_at: AT, updated_at: AT }

const heldOf = (id: number, day: number, actual: number): Held => ({
  id,
  user_id: 2,
  kpi_id: 1,
  entry_date: formatDay(day),
  actual,
  target: null,
  notes: null,
  created_at: AT,
  updated_at: AT,
})

/** A classic service of somebody else, which takes entries one at a time. */
const serviceOf = async ({ onKnown, loses, entries = [] }: Kind): Promise<Foreign & { readonly entries: Held[] }> => {
  const counts = new Map<string, number>()
  const answer = (
    method: string,
    path: string,
    query: URLSearchParams,
    body: Body,
  ): [status: number, content?: unknown] => {
    if (path === '/kpis') return [200, [KPI]]
    if (path === '/users') return [200, [USER]]
    if (path === '/users/2/kpis') return [200, [ASSIGNED]]
    if (path === '/kpientries/list') return [404, { message: 'no such path' }]
    const id = Number(/^\/kpientries\/(\d+)$/.exec(path)?.[1])
    const at = entries.findIndex((one) => one.id === id)
    const known = entries[at]
    if (method === 'PUT' && known) return [200, Object.assign(known, body)]
    if (method === 'DELETE' && known) return [200, entries.splice(at, 1) && undefined]
    if (method === 'GET') {
      const [from, to] = [query.get('dateFrom') ?? '', query.get('dateTo') ?? '']
      return [200, entries.filter(({ entry_date = '' }) => entry_date >= from && entry_date <= to).slice(0, 500)]
    }
    if (method !== 'POST' || path !== '/kpientries') return [404, { message: 'no such entry' }]
    const same = entries.find(({ entry_date }) => entry_date === body.entry_date)
    if (same && onKnown === 'refuses') return [409, { message: 'there is an entry already' }]
    if (same && onKnown === 'updates') {
      const actual = body.addToActual ? (same.actual ?? 0) + (body.actual ?? 0) : body.actual
      return [201, Object.assign(same, { actual })]
    }
    const made = { ...heldOf(1 + Math.max(0, ...entries.map((one) => one.id)), 0, 0), ...body }
    entries.push(made)
    return [201, made]
  }
  const reply = (response: ServerResponse, [status, content]: [number, unknown?]): void => {
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(content === undefined ? '' : JSON.stringify(content))
  }
  const foreign = await foreignService((response, { method = '', url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const path = pathname.replace(/^\/api/, '')
    const count = (counts.get(`${method} ${path}`) ?? 0) + 1
    counts.set(`${method} ${path}`, count)
    const lost = loses?.({ method, path, count })
    const body = foreign.reached.at(-1)?.body || '{}'
    if (lost !== 'before') {
      const answered = answer(method, path, searchParams, JSON.parse(body) as Body)
      if (!lost) return reply(response, answered)
    }
    response.destroy()
  })
  return { ...foreign, entries }
}

const DAYS = 30
const rowsOf = (actual: (day: number) => number): string =>
  `user,kpi,date,actual\n${Array.from({ length: DAYS }, (_, day) => `2,1,${formatDay(day)},${actual(day)}\n`).join('')}`
const FILE = rowsOf((day) => day + 0.5)

const importInto = ({ url }: Foreign, folder: Folder, text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(folder.in('data.csv'), text)
  const env = { KPI_BASE_URL: `${url}/api`, KPI_LOGIN: 'ann@example.com', KPI_TOKEN: 'their-own-token' }
  const world = { home: folder.path, cwd: folder.path, env }
  return shellIn(world)('entries', 'import', 'data.csv', '-o', 'json', ...args)
}

const actuals = (entries: readonly Held[]): string[] =>
  entries.map(({ entry_date, actual }) => `${entry_date} ${actual}`).toSorted()
const wanted = Array.from({ length: DAYS }, (_, day) => `${formatDay(day)} ${day + 0.5}`)

const posts = ({ reached }: Foreign): number =>
  reached.filter(({ method, target }) => method === 'POST' && target.endsWith('/kpientries')).length

test('a service without batches takes entries one at a time, which is remembered', async () => {
  using folder = temporaryFolder()
  const service = await serviceOf({ onKnown: 'doubles' })
  expect(jsonOf(await importInto(service, folder, FILE))).toMatchObject({
    read: DAYS,
    created: DAYS,
    updated: 0,
    left: 0,
  })
  expect(actuals(service.entries)).toEqual(wanted)
  expect(jsonOf(await importInto(service, folder, FILE))).toMatchObject({ created: 0, unchanged: DAYS })
  expect(actuals(service.entries)).toEqual(wanted)
  expect(service.reached.filter(({ target }) => target.endsWith('/list'))).toHaveLength(1)
})

const known = (): Held[] => Array.from({ length: 10 }, (_, day) => heldOf(100 + day, day * 3, -1))

test.each<OnKnown>(['updates', 'doubles', 'refuses'])(
  'what is there already is updated by its id, where the service %s what is posted again',
  async (onKnown) => {
    using folder = temporaryFolder()
    const service = await serviceOf({ onKnown, entries: known() })
    expect(jsonOf(await importInto(service, folder, FILE))).toMatchObject({
      created: 20,
      updated: 10,
      sent: 0,
      rejected: 0,
    })
    expect(actuals(service.entries)).toEqual(wanted)
    expect(posts(service)).toBe(DAYS - 10)
    expect(service.entries.filter(({ id }) => id >= 100 && id < 110)).toHaveLength(10)
  },
)

const WAYS = (['updates', 'doubles', 'refuses'] as const).flatMap((onKnown) =>
  (['before', 'after'] as const).map((when) => [onKnown, when] as const),
)

test.each(WAYS)(
  'lost answers lose and double nothing: the service %s, and fails %s it has done its work',
  async (onKnown, when) => {
    using folder = temporaryFolder()
    const loses: Loses = ({ method, path, count }) =>
      path.startsWith('/kpientries') &&
      !path.endsWith('/list') &&
      (method === 'GET' ? count % 7 === 3 : count % 4 === 1)
        ? when
        : undefined
    const service = await serviceOf({ onKnown, loses, entries: known() })
    const ran = await importInto(service, folder, FILE)
    expect(jsonOf(ran)).toMatchObject({ created: 20, updated: 10, rejected: 0, left: 0 })
    expect(actuals(service.entries)).toEqual(wanted)
  },
)

test('a run that was stopped by the service goes on where it was, and sums up the whole', async () => {
  using folder = temporaryFolder()
  let isDown = true
  const loses: Loses = ({ path }) =>
    path.startsWith('/kpientries') && isDown && service.entries.length >= 12 ? 'after' : undefined
  const service = await serviceOf({ onKnown: 'doubles', loses })
  const ran = await importInto(service, folder, FILE)
  expect(ran.code).toBe(6)
  isDown = false
  const before = posts(service)
  const { created, sent, ...rest } = jsonOf(await importInto(service, folder, FILE)) as Record<string, number>
  // Of what the first part sent, it was not read whether it was new.
  expect([(created ?? 0) + (sent ?? 0), rest]).toMatchObject([DAYS, { updated: 0, rejected: 0, left: 0 }])
  expect(actuals(service.entries)).toEqual(wanted)
  expect(posts(service) - before).toBeLessThan(DAYS - 12)
})

test.each([
  [1, 1, 'to an entry that was there the row is rejected, not sent again'],
  [2, 0, 'to a new entry that is seen to be there'],
])('values are added once: the answer to request %i is lost, and %i rows are rejected, %s', async (lost, rejected) => {
  using folder = temporaryFolder()
  const loses: Loses = ({ method, path, count }) =>
    method === 'POST' && path === '/kpientries' && count === lost ? 'after' : undefined
  const service = await serviceOf({ onKnown: 'updates', loses, entries: known() })
  const ran = await importInto(service, folder, FILE, '--on-conflict', 'add')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([rejected > 0 ? 3 : 0, { rejected, left: 0 }])
  expect(ran.stderr.includes('1 row was rejected')).toBe(rejected > 0)
  expect(posts(service)).toBe(DAYS)
  const added = wanted.map((one, day) => (day % 3 === 0 ? `${formatDay(day)} ${day - 0.5}` : one))
  expect(actuals(service.entries)).toEqual(added)
})

test('a run that adds goes on with a new token of the same login', async () => {
  using folder = temporaryFolder()
  const controller = new AbortController()
  const loses: Loses = ({ method, path, count }) => {
    if (method === 'POST' && path === '/kpientries' && count === 10) controller.abort()
    return undefined
  }
  const service = await serviceOf({ onKnown: 'updates', loses })
  writeFileSync(folder.in('data.csv'), FILE)
  const load = (login: string, token: string, signal?: AbortSignal): Promise<Ran> => {
    const env = { KPI_BASE_URL: `${service.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
    const shell = shellIn({ home: folder.path, cwd: folder.path, env, ...(signal && { signal }) })
    return shell('entries', 'import', 'data.csv', '-o', 'json', '--on-conflict', 'add')
  }
  expect(await load('Ann@example.com', 'first-token', controller.signal)).toMatchObject({ code: 6 })
  const other = await load('bob@example.com', 'first-token')
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining('of its entries were sent, and would be added'),
  ])
  expect(jsonOf(await load('ann@example.com', 'second-token'))).toMatchObject({ created: DAYS, rejected: 0, left: 0 })
  expect(actuals(service.entries)).toEqual(wanted)
})
