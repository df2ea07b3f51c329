import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/server/api/call.ts'
import { classicRoutes, v1Routes } from '../../src/server/api/routes/index.ts'
import { makeSecret } from '../../src/service/accounts/secrets.ts'
import { SCOPES, type Scope } from '../../src/domain/scopes.ts'
import { basic, KPI, otherAccount, post, put, tell, type Told, USER } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { bearer, revoke, tellV1, withKey } from '../support/newer.ts'
import { type Service, startService } from '../support/service.ts'

/** What reading and changing takes, by the first word of a path: written out, so that nobody changes it unawares. */
const TAKES: Readonly<Record<string, readonly [read: Scope, write?: Scope]>> = {
  kpis: ['kpis:read', 'kpis:write'],
  kpicategories: ['kpis:read', 'kpis:write'],
  kpiunits: ['kpis:read', 'kpis:write'],
  kpifrequencies: ['kpis:read'],
  kpiicons: ['kpis:read'],
  kpientries: ['entries:read', 'entries:write'],
  reports: ['reports:read'],
  users: ['users:read'],
  breakdownitems: ['breakdowns:read', 'breakdowns:write'],
}

const scopeFor = ({ method, path }: Pick<Route, 'method' | 'path'>): Scope => {
  const [read, write] = TAKES[path.split('/')[1] ?? ''] ?? []
  const scope = method === 'GET' ? read : write
  if (scope) return scope
  throw new Error(`${method} ${path} is not in the table`)
}

/** The id of everything that the first account has; nobody else has it. What is not there has another. */
const OWN = 900
const NOWHERE = 999

/** Frequencies and icons are the same for all. */
const fill = (path: string, id: number): string => {
  const shared = path.startsWith('/kpiicons') ? '1' : String(id)
  return path.replace('{key}', 'D').replaceAll(/\{\w+\}/g, shared)
}

/** An operation as it is asked for: reads of what is there, changes of what is not, so that all stays as it is. */
const asked = ({ method, path }: Pick<Route, 'method' | 'path'>): { method: string; path: string; body?: object } => ({
  method,
  path: fill(path, method === 'GET' || method === 'POST' ? OWN : NOWHERE),
  ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
})

const make = async (service: Service, path: string, body: object): Promise<number> => {
  const { status, body: told } = await post(service, path, body)
  if (status !== 201) throw new Error(`POST ${path} is ${status}: ${JSON.stringify(told)}`)
  return (told as { id: number }).id
}

const makeThings = async (service: Service, mark: string): Promise<void> => {
  const category_id = await make(service, '/kpicategories', { name: mark })
  const unit_id = await make(service, '/kpiunits', {
    name: mark,
    entry_format: '#',
    display_format: '#',
    is_percentage: false,
  })
  const kpi_id = await make(service, '/kpis', { ...KPI, name: mark, category_id, unit_id })
  const user_id = await make(service, '/users', { ...USER, email: `${mark}@example.com` })
  await make(service, `/users/${user_id}/kpis`, { id: kpi_id, sort_order: 1 })
  await make(service, '/kpientries', { user_id, kpi_id, entry_date: '2026-11-21', actual: 1 })
  const group = await make(service, '/groups', { name: mark })
  await make(service, `/groups/${group}/items`, { name: mark })
}

/** Whoever asks: by which credentials, and what has to become of it. */
type Caller = { readonly name: string; readonly authorization: string; readonly holds: ReadonlySet<Scope> | 'nothing' }

type Matrix = { readonly service: Service; readonly other: Service; readonly callers: ReadonlyMap<string, Caller> }

const holding = async (service: Service, name: string, scopes: readonly Scope[]): Promise<Caller> => {
  const { key } = await withKey(service, { name, scopes: scopes.join(',') })
  return { name, authorization: bearer(key), holds: new Set(scopes) }
}

/** Credentials that open nothing, each for another reason. */
const wrongCallers = async (service: Service): Promise<Caller[]> => {
  const now = NOW / 1000
  const { key: expired } = await withKey(service, { name: 'expired', expires_at: now })
  const { key: revoked } = await withKey(service, { name: 'revoked' })
  await revoke(service, 'revoked', now)
  const { key: ofLocked } = await withKey(service, { name: 'of a locked owner', user_id: OWN })
  await put(service, `/users/${OWN}`, { user_status_id: 'L' })
  const cases = [
    ['no credentials', ''],
    ['a malformed key', bearer('kpi_key_x')],
    ['an unknown key', bearer(makeSecret('key', randomBytes))],
    ['an expired key', bearer(expired)],
    ['a revoked key', bearer(revoked)],
    ['the key of a locked owner', bearer(ofLocked)],
    ['the token of the account', basic(service.login, service.token)],
    ['the token as a key', bearer(service.token)],
  ] as const
  return cases.map(([name, authorization]) => ({ name, authorization, holds: 'nothing' }))
}

const ALL = 'every scope'
const butFor = (scope: Scope): string => `every scope but ${scope}`

const startMatrix = async (make: (typeof databases)[number][1]): Promise<Matrix> => {
  const service = await startService(NOW, make)
  await makeThings(service, 'alpha')
  await service.db.write((tx) => tx.run('update counters set last = ? where account_id = 1', [OWN - 1]))
  await makeThings(service, 'omega')
  await otherAccount(service, 'acme')
  const other = await withKey(service, {}, 'acme')
  const callers = [
    await holding(service, ALL, SCOPES),
    ...(await Promise.all(SCOPES.map((scope) => holding(service, scope, [scope])))),
    ...(await Promise.all(
      SCOPES.map((scope) =>
        holding(
          service,
          butFor(scope),
          SCOPES.filter((one) => one !== scope),
        ),
      ),
    )),
    ...(await wrongCallers(service)),
  ]
  return { service, other, callers: new Map(callers.map((caller) => [caller.name, caller])) }
}

const CALLERS = [
  ALL,
  ...SCOPES,
  ...SCOPES.map(butFor),
  'no credentials',
  'a malformed key',
  'an unknown key',
  'an expired key',
  'a revoked key',
  'the key of a locked owner',
  'the token of the account',
  'the token as a key',
]
const OPERATIONS = v1Routes.map((route) => [`${route.method} ${route.path}`, route] as const)
const CELLS = CALLERS.flatMap((caller) => OPERATIONS.map(([name, route]) => [name, caller, route] as const))
/** What an operation answers that is allowed, to what is asked here. */
const DONE: Readonly<Record<Route['method'], readonly number[]>> = {
  GET: [200],
  POST: [422],
  PUT: [404, 422],
  DELETE: [404],
}

/** What is the same in all answers of a kind. */
type Outcome = {
  readonly status: number | 'done'
  readonly challenge?: string | undefined
  readonly retryAfter?: string | undefined
  readonly isProblem: boolean
  /** Whether the answer tells of the key. */
  readonly isKeyTold: boolean
  /** The scope that is said to be missing. */
  readonly missing?: string | undefined
}

const outcomeOf = ({ status, headers, body }: Told, method: Route['method']): Outcome => ({
  status: DONE[method].includes(status) ? 'done' : status,
  challenge: headers['www-authenticate'],
  retryAfter: headers['retry-after'],
  isProblem: headers['content-type'] === 'application/problem+json' && (body as { status: number }).status === status,
  isKeyTold: 'x-key-id' in headers,
  missing: /the scope (\S+),/.exec((body as { detail?: string } | undefined)?.detail ?? '')?.[1],
})

const UNKNOWN: Outcome = { status: 401, challenge: 'Bearer', isProblem: true, isKeyTold: false }

const expected = ({ holds }: Caller, route: Route): Outcome => {
  const scope = scopeFor(route)
  if (holds === 'nothing') return UNKNOWN
  if (holds.has(scope)) return { status: 'done', isProblem: route.method !== 'GET', isKeyTold: true }
  return { status: 403, isProblem: true, isKeyTold: true, missing: scope }
}

describe.each(databases)('the matrix of scopes on %s', (_, makeDatabase) => {
  let matrix: Matrix
  let tried = 0
  beforeAll(async () => {
    matrix = await startMatrix(makeDatabase)
  })
  afterAll(async () => {
    await matrix.service[Symbol.asyncDispose]()
  })

  const tryCell = async (authorization: string, route: Pick<Route, 'method' | 'path'>): Promise<Told> => {
    tried += 1
    return tellV1(matrix.service, { ...asked(route), headers: { authorization } })
  }

  test.each(CELLS)('%s with %s', async (_operation, name, route) => {
    const caller = matrix.callers.get(name)
    if (!caller) throw new Error(`${name} is not among those who ask`)
    const told = await tryCell(caller.authorization, route)
    expect(outcomeOf(told, route.method)).toEqual(expected(caller, route))
  })

  test.each(OPERATIONS)('%s with the key of another account finds nothing of this one', async (_operation, route) => {
    const { method, path } = route
    const told = await tryCell(bearer(matrix.other.key), { method, path: fill(path, OWN) })
    const isHidden = /\{\w*id\}/.test(path) && !path.startsWith('/kpiicons')
    expect(told.status).toBe(isHidden ? 404 : method === 'GET' ? 200 : 422)
    expect(JSON.stringify(told.body)).not.toMatch(new RegExp(`"(?:id|kpiId|itemId)":${OWN}|alpha|omega`))
  })

  test.each(classicRoutes.map((route) => [`${route.method} /api${route.path}`, route] as const))(
    '%s with a key is 401, as the classic interface takes none',
    async (_operation, route) => {
      tried += 1
      const { service } = matrix
      const told = await tell(service, { ...asked(route), headers: { authorization: bearer(service.key) } })
      expect([told.status, told.headers['www-authenticate']]).toEqual([401, 'Basic realm="kpi"'])
    },
  )

  test('has been tried, all of it: at least 400 cells', () => {
    expect(CELLS.length).toBeGreaterThanOrEqual(400)
    expect(tried).toBe(CELLS.length + OPERATIONS.length + classicRoutes.length)
  })

  test('has changed nothing', async () => {
    const { service } = matrix
    for (const [path, count] of [
      ['/kpis', 2],
      ['/kpicategories', 3],
      ['/users', 3],
      ['/kpientries?dateFrom=2026-01-01', 2],
    ] as const) {
      expect((await tellV1(service, { path })).body).toHaveLength(count)
    }
  })
})

test('every scope is needed by an operation, and every operation needs one', () => {
  const needed = new Set(v1Routes.map((route) => scopeFor(route)))
  expect(v1Routes.map(({ scope }) => scope)).toEqual(v1Routes.map((route) => scopeFor(route)))
  expect(SCOPES.filter((scope) => !needed.has(scope))).toEqual([])
})

test('a key that may only write entries adds, changes and removes them, reads the answers, and nothing else', async () => {
  await using all = await startService()
  await makeThings(all, 'sales')
  const service = await withKey(all, { name: 'nightly', scopes: 'entries:write' })
  const entry = { user_id: 2, kpi_id: 1, entry_date: '2026-11-20', actual: 5 }
  const added = await tellV1(service, { method: 'POST', path: '/kpientries', body: entry })
  expect(added).toMatchObject({ status: 201, body: entry, headers: { location: '/v1/kpientries/2' } })
  const batch = {
    entries: [
      { ...entry, actual: 6 },
      { ...entry, entry_date: '2026-11-19' },
    ],
  }
  expect(await tellV1(service, { method: 'POST', path: '/kpientries/list', body: batch })).toMatchObject({
    status: 200,
    body: { rows_added: 2, rows_created: 1, rows_updated: 1, rows_unchanged: 0 },
  })
  const change = { method: 'PUT', path: '/kpientries/2', body: { notes: 'mended' } }
  expect(await tellV1(service, change)).toMatchObject({ status: 200, body: { ...entry, actual: 6, notes: 'mended' } })
  expect(await tellV1(service, { method: 'DELETE', path: '/kpientries/2' })).toMatchObject({ status: 200 })
  for (const path of ['/kpientries', '/kpientries/1', '/kpis', '/users', '/reports/AllDataEntries']) {
    expect(await tellV1(service, { path })).toMatchObject({ status: 403 })
  }
})
