import { randomBytes } from 'node:crypto'
import { request as send } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { accounts, ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import type { Db } from '../../src/store/db.ts'
import { basic } from '../support/classic.ts'
import { bearer } from '../support/newer.ts'
import { shellIn } from '../support/kpi.ts'
import { makeKey } from '../support/service.ts'
import { type Database, databases } from '../support/databases.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Running, startKpi } from '../support/process.ts'

/** A database whose account has credentials, served by processes. */
type Served = {
  readonly database: Database
  readonly authorization: string
  /** The Authorization header of a key of the same account, which may do everything. */
  readonly byKey: string
  readonly serve: (...args: string[]) => Promise<Running & { url: string }>
}

const startIn = async (home: Folder, make: () => Promise<Database>): Promise<Served> => {
  const database = await make()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const { env, flags } = database
  const db = await database.open()
  const account = await ensureDefaultAccount(db, 0)
  const key = await makeKey(db, account)
  await accounts.setApiEnabled(db, account.name, true)
  const { login, token } = await accounts.createToken(db, account.name, randomBytes)
  await db.close()
  const serve: Served['serve'] = async (...args) => {
    const running = startKpi(home, ['serve', '--port', '0', ...flags, ...args], env)
    onTestFinished(async () => {
      running.child.kill('SIGKILL')
      await running.ended
    })
    const [, url = ''] = await running.says(/^(http:\/\/[^\n]*\/api)\n/)
    return { ...running, url }
  }
  return { database, authorization: basic(login, token), byKey: bearer(key), serve }
}

const get = async (url: string, authorization: string): Promise<{ status: number; used: string | null }> => {
  const { status, headers } = await fetch(`${url}/kpis`, { headers: { authorization } })
  return { status, used: headers.get('x-ratelimit-requests') }
}

/** The address of the newer variant on a server. */
const newer = ({ url }: { readonly url: string }): string => url.replace(/\/api$/, '/v1')

describe.each(databases)('kpi serve --rate-limit on %s', (_, make) => {
  test('holds over all servers, and over one that was killed', async () => {
    using home = temporaryFolder()
    const { authorization, serve } = await startIn(home, make)
    const [one, two] = [await serve('--rate-limit', '3'), await serve('--rate-limit', '3')]
    expect(await get(one.url, authorization)).toEqual({ status: 200, used: '1' })
    expect(await get(two.url, authorization)).toEqual({ status: 200, used: '2' })
    expect(await get(one.url, authorization)).toEqual({ status: 200, used: '3' })
    one.child.kill('SIGKILL')
    await one.ended
    expect(await get(two.url, authorization)).toEqual({ status: 403, used: '3' })
    const three = await serve('--rate-limit', '3')
    expect(await get(three.url, authorization)).toEqual({ status: 403, used: '3' })
    const higher = await serve('--rate-limit', '4')
    expect(await get(higher.url, authorization)).toEqual({ status: 200, used: '4' })
  })

  test('is 200 where nothing is said, and none with 0; --rate-limit-v1 is 600 then, and none with 0', async () => {
    using home = temporaryFolder()
    const { authorization, byKey, serve } = await startIn(home, make)
    const [usual, none] = [await serve(), await serve('--rate-limit', '0', '--rate-limit-v1', '0')]
    const { headers } = await fetch(`${usual.url}/kpis`, { headers: { authorization } })
    expect(headers.get('x-ratelimit-limit')).toBe('200')
    expect(await get(none.url, authorization)).toEqual({ status: 200, used: null })
    const { headers: newerHeaders } = await fetch(`${newer(usual)}/kpis`, { headers: { authorization: byKey } })
    expect([newerHeaders.get('x-ratelimit-limit'), newerHeaders.get('x-key-name')]).toEqual(['600', 'all'])
    expect(await get(newer(none), byKey)).toEqual({ status: 200, used: null })
  })
})

describe.each(databases)('kpi serve --rate-limit-v1 on %s', (_, make) => {
  test('holds each key over all servers, and over one that was killed, beside the limit of the account', async () => {
    using home = temporaryFolder()
    const { authorization, byKey, serve } = await startIn(home, make)
    const flags = ['--rate-limit-v1', '3', '--rate-limit', '1']
    const [one, two] = [await serve(...flags), await serve(...flags)]
    expect(await get(newer(one), byKey)).toEqual({ status: 200, used: '1' })
    expect(await get(one.url, authorization)).toEqual({ status: 200, used: '1' })
    expect(await get(newer(two), byKey)).toEqual({ status: 200, used: '2' })
    expect(await get(newer(one), byKey)).toEqual({ status: 200, used: '3' })
    one.child.kill('SIGKILL')
    await one.ended
    expect(await get(newer(two), byKey)).toEqual({ status: 429, used: '3' })
    expect(await get(two.url, authorization)).toEqual({ status: 403, used: '1' })
  })

  test('a key that was revoked opens nothing from then on, also on a server that has let it in before', async () => {
    using home = temporaryFolder()
    const { database, byKey, serve } = await startIn(home, make)
    const server = await serve()
    expect(await get(newer(server), byKey)).toMatchObject({ status: 200 })
    const db = await database.open()
    onTestFinished(db.close)
    const noted = async (): Promise<unknown> =>
      (await db.read((tx) => tx.all('select last_used_at as at from keys')))[0]?.['at']
    await expect.poll(noted, { interval: 5 }).toBeTypeOf('bigint')
    await db.write((tx) => tx.run('update keys set revoked_at = 1'))
    expect(await get(newer(server), byKey)).toEqual({ status: 401, used: null })
  })
})

test('kpi serve refuses --rate-limit-v1 that is no number of requests', async () => {
  using home = temporaryFolder()
  const { code, stderr } = await shellIn({ home: home.path })('serve', '--rate-limit-v1=x')
  expect([code, stderr]).toEqual([2, expect.stringContaining('--rate-limit-v1 x is not a number of requests')])
})

test.each(['x', '-1', '1.5', '', '1000000001'])('kpi serve refuses --rate-limit %j', async (given) => {
  using home = temporaryFolder()
  const { code, stderr } = await shellIn({ home: home.path })('serve', `--rate-limit=${given}`)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`--rate-limit ${given} is not a number of requests`)])
})

/** Sends a POST with a key; answers its status, once there is one, or that there was none. */
const post = (url: string, authorization: string, key: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key }
    const asked = send(`${url}/kpicategories`, { method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
      response.on('error', () => resolve(undefined))
    })
    asked.on('error', () => resolve(undefined))
    asked.end(JSON.stringify({ name: key }))
  })

const isClaimed = async (db: Db, key: string): Promise<boolean> =>
  (await db.read((tx) => tx.all('select 1 as one from idempotent_requests where request_key = ?', [key]))).length > 0

/** When its server is killed. */
const MOMENTS: readonly (readonly [string, (answered: Promise<unknown>, db: Db, key: string) => Promise<unknown>])[] = [
  ['at once', () => Promise.resolve()],
  [
    'once the key is taken',
    async (_, db, key) => {
      await expect.poll(() => isClaimed(db, key), { interval: 1 }).toBe(true)
    },
  ],
  ['once it is answered', (answered) => answered],
]

describe.each(databases)('a POST with an Idempotency-Key on %s', (_, make) => {
  test.each(MOMENTS)('whose server is killed %s is done once when another is asked again', async (name, reached) => {
    using home = temporaryFolder()
    const { database, authorization, serve } = await startIn(home, make)
    const db = await database.open()
    onTestFinished(db.close)
    const server = await serve()
    const answered = post(server.url, authorization, name)
    await reached(answered, db, name)
    server.child.kill('SIGKILL')
    await server.ended
    const status = await answered
    // Half a minute later, when a claim of the dead has ended.
    const handler = createClassicHandler({
      db,
      version: '1',
      now: () => Math.floor(Date.now() / 1000) + 31,
      requestId: () => 'R',
      onError: () => undefined,
    })
    const again = await handler({
      method: 'POST',
      target: '/api/kpicategories',
      address: '127.0.0.1',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': name },
      body: () => Promise.resolve(Buffer.from(JSON.stringify({ name }))),
    })
    expect(again.status).toBe(201)
    expect(status === undefined || again.headers['idempotent-replayed'] === 'true').toBe(true)
    const rows = await db.read((tx) => tx.all('select id from categories where name = ?', [name]))
    expect(rows).toHaveLength(1)
  })
})
