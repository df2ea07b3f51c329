import { randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Route } from '../../src/server/api/call.ts'
import { classicRoutes, v1Routes } from '../../src/server/api/routes/index.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { keys } from '../../src/service/accounts/keys.ts'
import { SCOPES } from '../../src/domain/scopes.ts'
import { basic } from '../support/classic.ts'
import { type Database, databases } from '../support/databases.ts'
import { temporaryFolder } from '../support/folder.ts'
import { NOW } from '../support/io.ts'
import { startKpi } from '../support/process.ts'
import { startService, textOf } from '../support/service.ts'
import { IS_SOAK } from '../support/soak/tests.ts'
import { IDS } from '../support/suite/ids.ts'
import { kpi, user, type World, worldOf } from '../support/suite/world.ts'

/** How many clients write and read at once, each in an account of its own, and how many pairs each of them tries. */
const CLIENTS = 8
const PAIRS = IS_SOAK ? 1000 : 40
const LOGIN_ROUNDS = IS_SOAK ? 100 : 5

type Sent = { readonly method: string; readonly target: string; readonly body?: unknown }
type Answered = { readonly status: number; readonly body: string; readonly location?: string | undefined }

/** One process of several on a store: a server, or this process, which opens the store itself as the command line does. */
type Instance = (sent: Sent, authorization: string) => Promise<Answered>

/** Wrong credentials of one address are throttled, so each request has an address of its own. */
const randomAddress = (): string => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

const startInstance = async (database: Database): Promise<Instance> => {
  const home = temporaryFolder()
  onTestFinished(() => home[Symbol.dispose]())
  const args = [
    'serve',
    '--port',
    '0',
    '--rate-limit',
    '0',
    '--rate-limit-v1',
    '0',
    '--behind-proxy',
    ...database.flags,
  ]
  const server = startKpi(home, args, { ...database.env })
  const [, url = ''] = await server.says(/(http:\S+)\n/)
  const agent = new Agent({ connections: CLIENTS })
  onTestFinished(() => agent.destroy())
  return async ({ method, target, body }, authorization) => {
    const headers = { authorization, 'content-type': 'application/json', 'x-forwarded-for': randomAddress() }
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await request(new URL(target, url), {
      dispatcher: agent,
      method: method as 'GET',
      headers,
      body: text,
    })
    const location = answer.headers['location'] as string | undefined
    return { status: answer.statusCode, body: await answer.body.text(), location }
  }
}

const embedded =
  ({ handler }: Pick<World, 'handler'>): Instance =>
  async ({ method, target, body }, authorization) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    const address = randomAddress()
    const answer = await handler({ method, target, headers, address, body: async () => bytes })
    return { status: answer.status, body: textOf(answer.body), location: answer.headers['location'] }
  }

/** Returns the path of a route with ids of what every account of the suite holds. */
const filled = (prefix: string, path: string): string =>
  `${prefix}${path}`
    .replace('{user_id}', String(IDS.ANN))
    .replace('{group_id}', String(IDS.REGION))
    .replace('{category_id}', String(IDS.GENERAL))
    .replace('{key}', 'D')
    .replace('{run}', 'a-run')
    .replace('{id}', String(Object.entries(ID_BELOW).find(([below]) => path.startsWith(below))?.[1] ?? IDS.SALES))

/** Which record to ask for below a path. */
const ID_BELOW: Readonly<Record<string, number>> = {
  '/users/{user_id}/groupitems': IDS.NORTH,
  '/users/{user_id}/kpis': IDS.SALES,
  '/users': IDS.ANN,
  '/groups/{group_id}/items': IDS.NORTH,
  '/groups': IDS.REGION,
  '/kpicategories/{category_id}/kpis': IDS.SALES,
  '/kpicategories': IDS.GENERAL,
  '/kpiunits': IDS.NUMBER,
  '/kpientries': IDS.ENTRY,
  '/breakdownitems': IDS.NORTH,
}

const DAYS = 'dateFrom=2026-11-01&dateTo=2026-12-31'

const placedRoutes = (): readonly { prefix: string; route: Route }[] => [
  ...classicRoutes.map((route) => ({ prefix: '/api', route })),
  ...v1Routes.map((route) => ({ prefix: '/v1', route })),
]

/** Every address that can be read. */
const READS: readonly string[] = placedRoutes().flatMap(({ prefix, route: { method, path, query } }) =>
  method === 'GET' ? [filled(prefix, path) + (query ? `?${DAYS}` : '')] : [],
)

/** What changes a record, so that it is another one each time. */
const changeOf = (path: string, at: number): object => {
  if (path.startsWith('/kpientries')) return { actual: at }
  if (path.startsWith('/users/{user_id}/kpis')) return { user_target: at }
  if (path.startsWith('/users')) return { first_name: `Ann ${at}` }
  return { name: `Name ${at}` }
}

const entry = (at: number): object => ({ user_id: IDS.ANN, kpi_id: IDS.SALES, entry_date: '2026-12-01', actual: at })

/** What makes a record. */
const draftOf = (path: string, at: number): object => {
  switch (path) {
    case '/kpis':
    case '/kpicategories/{category_id}/kpis':
      return kpi(`KPI ${at}`)
    case '/users':
      return user(`User${at}`)
    case '/users/{user_id}/kpis':
      return { id: IDS.FREE, sort_order: 9 }
    case '/users/{user_id}/groupitems':
      return { id: IDS.SOUTH }
    case '/kpiunits':
      return { name: `Unit ${at}`, entry_format: '#', display_format: '#', is_percentage: false }
    case '/kpientries':
      return entry(at)
    case '/kpientries/list':
      return { entries: [entry(at)] }
    case '/breakdownitems':
      return { breakdown_id: IDS.REGION, name: `Item ${at}` }
    case '/kpientries/runs/{run}/undo':
      return { dry_run: false }
    case '/kpientries/runs/{run}/delete':
      return { count: 0 }
    case '/kpientries/runs/{run}/groupitem':
      return { group_item_id: IDS.SOUTH, user_ids: String(IDS.ANN), date_from: '2026-01-01', dry_run: false }
    default:
      return { name: `Name ${at}` }
  }
}

const write = async (writer: Instance, authorization: string, sent: Sent): Promise<Answered> => {
  const answer = await writer(sent, authorization)
  if (answer.status > 201) throw new Error(`${sent.method} ${sent.target} is ${answer.status}: ${answer.body}`)
  return answer
}

/** Writes, then calls `check`; a record that was created goes again, which is a write, too. */
type Write = (writer: Instance, world: World, at: number, check: () => Promise<void>) => Promise<void>

/** Every way to write. */
const WRITES: readonly Write[] = placedRoutes().flatMap(({ prefix, route: { method, path } }): Write[] => {
  // What nobody has is deleted as often as it is asked for.
  const target = filled(prefix, path) + (path.endsWith('/delete') ? '?ids=999999' : '')
  const authorizationOf = ({ login, token, key }: World): string =>
    prefix === '/v1' ? `Bearer ${key}` : basic(login, token)
  if (method === 'PUT') {
    return [
      async (writer, world, at, check) => {
        await write(writer, authorizationOf(world), { method, target, body: changeOf(path, at) })
        await check()
      },
    ]
  }
  if (method !== 'POST') return []
  return [
    async (writer, world, at, check) => {
      const authorization = authorizationOf(world)
      const { location } = await write(writer, authorization, { method, target, body: draftOf(path, at) })
      await check()
      if (location === undefined) return
      await write(writer, authorization, { method: 'DELETE', target: location })
      await check()
    },
  ]
})

/** Writes at one process and reads at another, pair by pair; returns what was read too old. */
const readAfterWrites = async (
  world: World,
  instances: readonly Instance[],
  client: number,
): Promise<readonly string[]> => {
  const outdated: string[] = []
  for (let at = 0; at < PAIRS; at += 1) {
    const number = client * PAIRS + at
    // The steps share no divisor with each other, so all pairs come in time.
    const perform = WRITES[number % WRITES.length]
    const target = READS[(number * 7 + Math.floor(number / WRITES.length)) % READS.length] ?? ''
    const [writer, reader] = [instances[number % 3], instances[(number + 1 + (number % 2)) % 3]]
    if (!perform || !writer || !reader) throw new Error('nothing to try')
    const authorization = target.startsWith('/v1') ? `Bearer ${world.key}` : basic(world.login, world.token)
    await perform(writer, world, number, async () => {
      const { body } = await reader({ method: 'GET', target }, authorization)
      // The writer itself knows what it wrote, and nobody else writes to this account.
      const { body: now } = await writer({ method: 'GET', target }, authorization)
      if (body !== now) outdated.push(`${target} is ${body}, not ${now}`)
    })
  }
  return outdated
}

/** Changes who may ask, from this process; returns what a server answered wrong right after it. */
const changeLogins = async (world: World, instances: readonly Instance[]): Promise<readonly unknown[]> => {
  const { db, account, login } = world
  const context = { db: db.ofAccount(account.id), account, now: Math.floor(NOW / 1000) }
  const wrong: unknown[] = []
  let round = 0
  const expectStatus = async (what: string, authorization: string, status: number): Promise<void> => {
    const instance = instances[(round += 1) % 2]
    const target = authorization.startsWith('Bearer') ? '/v1/kpis' : '/api/kpis'
    const answer = await instance?.({ method: 'GET', target }, authorization)
    if (answer?.status !== status) wrong.push({ what, status, answer })
  }
  const draft = { user_id: 1, scopes: SCOPES.join(','), expires_at: null }
  for (let at = 0; at < LOGIN_ROUNDS; at += 1) {
    const { key, secret } = await keys.create(context, { ...draft, name: `key ${at}` }, randomBytes)
    await expectStatus('a new key', `Bearer ${secret}`, 200)
    await accounts.setApiEnabled(db, account.name, false)
    await expectStatus('a key of an account whose API is off', `Bearer ${secret}`, 403)
    await accounts.setApiEnabled(db, account.name, true)
    await expectStatus('a key of an account whose API is on', `Bearer ${secret}`, 200)
    const { token } = await accounts.createToken(db, account.name, randomBytes)
    await expectStatus('a new token', basic(login, token), 200)
    const put = (user_status_id: string): Promise<unknown> =>
      write(embedded(world), basic(login, token), {
        method: 'PUT',
        target: `/api/users/${IDS.BOB}`,
        body: { user_status_id },
      })
    await expectStatus('a user', basic('bob@example.com', token), 200)
    await put('L')
    await expectStatus('a locked user', basic('bob@example.com', token), 401)
    await put('A')
    await expectStatus('a user who is active again', basic('bob@example.com', token), 200)
    await accounts.revokeToken(db, account.name)
    await expectStatus('a revoked token', basic(login, token), 401)
    await keys.revoke(context, key.id)
    await expectStatus('a revoked key', `Bearer ${secret}`, 401)
  }
  return wrong
}

describe.each(databases)('two servers and a command on one store on %s', (_, make) => {
  test('show each other every write that was answered', { timeout: 600_000 }, async () => {
    const database = await make()
    await using service = await startService(NOW, async () => database)
    const instances = [await startInstance(database), await startInstance(database), embedded(service)]
    const worlds: World[] = []
    for (let client = 0; client <= CLIENTS; client += 1) worlds.push(await worldOf(service))
    const [operated, ...written] = worlds
    const clients = written.map((world, client) => readAfterWrites(world, instances, client))
    const all = await Promise.all([...clients, operated ? changeLogins(operated, instances) : []])
    expect(all.flat()).toEqual([])
  })
})
