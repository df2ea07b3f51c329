import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { otherAccount, post, put, USER } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { startLimited } from '../support/limits.ts'
import { bearer, revoke, tellV1, withKey } from '../support/newer.ts'
import { type Service, startService } from '../support/service.ts'

const KPIS = { path: '/kpis' }

const asks = (service: Service, authorization: string): Promise<unknown> =>
  tellV1(service, { ...KPIS, headers: { authorization } })

describe('a key', () => {
  test.each<[name: string, header: (key: string) => string]>([
    ['as it is', bearer],
    ['with the scheme in small letters', (key) => `bearer ${key}`],
    ['with blanks around', (key) => `Bearer   ${key} `],
  ])('%s opens', async (_, header) => {
    await using service = await startService()
    expect(await asks(service, header(service.key))).toMatchObject({ status: 200 })
  })

  test.each<[name: string, header: (service: Service) => string]>([
    ['nothing', () => ''],
    ['a bare scheme', () => 'Bearer'],
    ['a key without a scheme', ({ key }) => key],
    ['a cut key', ({ key }) => bearer(key.slice(0, -1))],
    ['a key and more', ({ key }) => bearer(`${key}0`)],
    ['a key in capitals', ({ key }) => bearer(key.toUpperCase())],
    ['two keys', ({ key }) => bearer(`${key} ${key}`)],
    ['a key as a password', ({ key, login }) => `Basic ${Buffer.from(`${login}:${key}`).toString('base64')}`],
    ['an SQL key', () => bearer("'or'1'='1")],
  ])('that is %s is 401, and is told which scheme is wanted', async (_, header) => {
    await using service = await startService()
    expect(await asks(service, header(service))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/problem+json' },
      body: { status: 401, title: 'The key is missing or wrong', detail: expect.any(String) as string },
    })
  })

  test('is told why it does not open; one that is not known is told nothing', async () => {
    await using service = await startService()
    await post(service, '/users', { ...USER, user_status_id: 'L' })
    const why = async (one: Service): Promise<string> =>
      ((await tellV1(one, KPIS)).body as { readonly detail: string }).detail
    const expired = await withKey(service, { name: 'old', expires_at: NOW / 1000 })
    const revoked = await withKey(service, { name: 'gone' })
    await revoke(service, 'gone', NOW / 1000)
    const ofLocked = await withKey(service, { name: 'ann', user_id: 2 })
    expect(await why(expired)).toBe('key 2 (old) expired at 2026-11-21T12:00:00')
    expect(await why(revoked)).toBe('key 3 (gone) was revoked')
    expect(await why(ofLocked)).toBe('the owner of key 4 (ann) is locked')
    expect(await why({ ...service, key: service.token })).toBe('the key is wrong')
  })

  test('is told in every answer which it is, whose, what it may do and when it ends, also where it may not', async () => {
    await using all = await startService()
    await post(all, '/users', { ...USER, email: 'jörg@example.com' })
    const expires_at = NOW / 1000 + 60
    const service = await withKey(all, {
      name: 'Nightly, 100 %',
      user_id: 2,
      scopes: 'kpis:read,users:read',
      expires_at,
    })
    const headers = {
      'x-key-id': '2',
      'x-key-name': 'Nightly%2C%20100%20%25',
      'x-key-user': 'j%C3%B6rg%40example.com',
      'x-key-scopes': 'kpis:read,users:read',
      'x-key-expires': '2026-11-21T12:01:00',
    }
    for (const [asked, status] of [
      [KPIS, 200],
      [{ path: '/kpientries' }, 403],
      [{ path: '/nowhere' }, 404],
      [{ method: 'DELETE', path: '/users/1' }, 405],
      [{ path: '/kpis', headers: { accept: 'text/html' } }, 406],
      [{ path: '/kpis', headers: { 'content-type': 'text/xml' } }, 415],
    ] as const) {
      expect(await tellV1(service, asked)).toMatchObject({ status, headers })
    }
    expect((await tellV1(all, KPIS)).headers['x-key-expires']).toBeUndefined()
    for (const asked of [
      { path: '/health' },
      { method: 'OPTIONS', path: '/kpis' },
      { ...KPIS, headers: { authorization: '' } },
    ])
      expect((await tellV1(service, asked)).headers['x-key-id']).toBeUndefined()
  })

  test('opens its own account, whichever host is asked', async () => {
    await using service = await startService()
    await otherAccount(service, 'acme')
    for (const host of ['acme.example.com', 'default.example.com', 'localhost:1']) {
      expect(await tellV1(service, { ...KPIS, headers: { host } })).toMatchObject({ status: 200 })
    }
  })

  test.each([
    ['is not enabled', 'not enabled', (service: Service) => accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)],
    [
      'is on the plan individual',
      'individual',
      (service: Service) => service.db.write((tx) => tx.run("update accounts set plan = 'individual'")),
    ],
  ])('of an account whose API %s is 403, without a time to come back', async (_, why, spoil) => {
    await using service = await startService()
    await spoil(service)
    const { status, headers, body } = await tellV1(service, KPIS)
    expect([status, headers['retry-after']]).toEqual([403, undefined])
    expect(body).toMatchObject({ detail: expect.stringContaining(why) as string })
  })
})

describe.each(databases)('a key that was good on %s', (_, make) => {
  test('opens nothing from the moment on that it expires', async () => {
    await using all = await startLimited(0, make)
    const service = await withKey(all, { name: 'short', expires_at: NOW / 1000 + 30 })
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 200 })
    service.clock.now += 29_999
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 200 })
    service.clock.now += 1
    expect(await tellV1(service, KPIS)).toMatchObject({ status: 401 })
  })

  test.each<[string, (service: Service) => Promise<unknown>]>([
    ['it is revoked', (service) => revoke(service, 'good', NOW / 1000)],
    ['its owner is locked', (service) => put(service, '/users/2', { user_status_id: 'L' })],
  ])('opens nothing once %s, through whichever instance that is done', async (_why, spoil) => {
    const database = await make()
    await using all = await startService(NOW, () => Promise.resolve(database))
    // Another process, as far as the store can tell: with connections of its own.
    const db = await database.open()
    await using _closing = { [Symbol.asyncDispose]: db.close }
    await post(all, '/users', USER)
    const service = await withKey(all, { name: 'good', user_id: 2 })
    const handler = createV1Handler({
      db,
      version: '1',
      now: () => NOW / 1000,
      requestId: () => 'R',
      onError: () => undefined,
    })
    const second = { ...service, handler }
    // Requests have turns of their own, as all do that come through a socket.
    await setImmediate()
    for (const one of [service, second]) expect(await tellV1(one, KPIS)).toMatchObject({ status: 200 })
    await spoil(service)
    await setImmediate()
    for (const one of [second, service]) expect(await tellV1(one, KPIS)).toMatchObject({ status: 401 })
  })
})
