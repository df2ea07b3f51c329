import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { basic, otherAccount, post, put, read, tell, USER } from '../support/classic.ts'
import { type Service, startService } from '../support/service.ts'

const asks = (service: Service, authorization: string): Promise<unknown> =>
  tell(service, { path: '/kpis', headers: { authorization } })

const mistype = (token: string): string => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')

const encode = (text: string): string => Buffer.from(text).toString('base64')

describe('credentials', () => {
  test.each<[name: string, header: (service: Service) => string]>([
    ['the first user', ({ login, token }) => basic(login, token)],
    ['a login in capitals', ({ login, token }) => basic(login.toUpperCase(), token)],
    ['any user, of any type', ({ token }) => basic('ann@example.com', token)],
    ['a login beyond ASCII', ({ token }) => basic('jörg@exämple.com', token)],
    ['a scheme in small letters', ({ login, token }) => `basic ${encode(`${login}:${token}`)}`],
    ['blanks around', ({ login, token }) => `Basic   ${encode(`${login}:${token}`)} `],
  ])('of %s open', async (_, header) => {
    await using service = await startService()
    await post(service, '/users', USER)
    await post(service, '/users', { ...USER, email: 'Jörg@exämple.com' })
    expect(await asks(service, header(service))).toMatchObject({ status: 200 })
  })

  test.each<[name: string, header: (service: Service) => string]>([
    ['nothing', () => ''],
    ['another scheme', ({ token }) => `Bearer ${token}`],
    ['a bare scheme', () => 'Basic'],
    ['no base64', () => 'Basic %%%'],
    ['no colon', ({ token }) => `Basic ${encode(token)}`],
    ['a wrong login', ({ token }) => basic('nobody@example.com', token)],
    ['an empty login', ({ token }) => basic('', token)],
    ['an SQL login', ({ token }) => basic("' or 1=1 --", token)],
    ['an empty token', ({ login }) => basic(login, '')],
    ['a password', ({ login }) => basic(login, 'secret')],
    ['a mistyped token', ({ login, token }) => basic(login, mistype(token))],
    ['a token in capitals', ({ login, token }) => basic(login, token.toUpperCase())],
    ['a cut token', ({ login, token }) => basic(login, token.slice(0, -1))],
    ['a token and more', ({ login, token }) => basic(login, `${token} `)],
    ['a locked user', ({ token }) => basic('ann@example.com', token)],
  ])('of %s are 401, and say which scheme is wanted', async (_, header) => {
    await using service = await startService()
    await post(service, '/users', { ...USER, user_status_id: 'L' })
    expect(await asks(service, header(service))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="kpi"' },
      body: { message: expect.any(String) as string },
    })
  })

  test('that are wrong are answered alike, so that nobody learns which part was right', async () => {
    await using service = await startService()
    const other = await otherAccount(service, 'acme')
    await post(service, '/users', { ...USER, user_status_id: 'L' })
    const answers = await Promise.all([
      asks(service, basic('nobody@example.com', service.token)),
      asks(service, basic('ann@example.com', service.token)),
      asks(service, basic(service.login, other.token)),
      asks(service, basic(service.login, mistype(service.token))),
    ])
    const bodies = answers.map((one) => (one as { body: unknown }).body)
    expect(bodies).toEqual(bodies.map(() => bodies[0]))
  })

  test('are asked for before anything else is told', async () => {
    await using service = await startService()
    const headers = { authorization: '', 'content-type': 'text/plain' }
    for (const path of ['/kpis/99', '/nowhere', '/kpis']) {
      for (const method of ['GET', 'POST', 'PATCH']) {
        expect(await tell(service, { method, path, headers, body: '{' })).toMatchObject({ status: 401 })
      }
    }
  })

  test('end when the user is locked or deleted, and the token when a new one is made', async () => {
    await using service = await startService()
    await post(service, '/users', USER)
    await post(service, '/users', { ...USER, email: 'bob@example.com' })
    const [ann, bob] = [basic('ann@example.com', service.token), basic('bob@example.com', service.token)]
    await put(service, '/users/2', { user_status_id: 'L' })
    await tell(service, { method: 'DELETE', path: '/users/3' })
    expect(await asks(service, ann)).toMatchObject({ status: 401 })
    expect(await asks(service, bob)).toMatchObject({ status: 401 })
    await put(service, '/users/2', { user_status_id: 'A' })
    expect(await asks(service, ann)).toMatchObject({ status: 200 })
    const { token } = await accounts.createToken(service.db, DEFAULT_ACCOUNT, randomBytes)
    expect(await asks(service, ann)).toMatchObject({ status: 401 })
    expect(await asks(service, basic('ann@example.com', token))).toMatchObject({ status: 200 })
  })
})

describe('a host', () => {
  test.each([
    ['acme.example.com', 401],
    ['ACME.kpi.example.com:8443', 401],
    ['default.example.com', 200],
    ['nobody.example.com', 200],
    ['acme.localhost', 200],
    ['acme', 200],
    ['localhost:8321', 200],
    ['127.0.0.1:8321', 200],
    ['[::1]:8321', 200],
    ['', 200],
    ["' or 1=1 --.example.com", 200],
  ])('%s asked by the account "default", where there is one "acme" too, is %i', async (host, status) => {
    await using service = await startService()
    await otherAccount(service, 'acme')
    expect(await tell(service, { path: '/kpis', headers: { host } })).toMatchObject({ status })
  })
})

describe('access', () => {
  test.each<[name: string, close: (service: Service) => Promise<Service>, says: RegExp]>([
    [
      'an account whose API is not enabled',
      async (service) => {
        await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)
        return service
      },
      /not enabled/,
    ],
    ['the plan individual', (service) => otherAccount(service, 'single', 'individual'), /individual/],
  ])('of %s is 403, says why, and promises no later time', async (_, close, says) => {
    await using service = await startService()
    const closed = await close(service)
    for (const path of ['/kpis', '/nowhere', '/reports/AllDataEntries']) {
      const { status, headers, body } = await tell(closed, { path })
      expect([status, headers['retry-after']]).toEqual([403, undefined])
      expect(body).toEqual({ message: expect.stringMatching(says) as string })
    }
    expect(await tell(closed, { path: '/kpis', headers: { authorization: basic('x', closed.token) } })).toMatchObject({
      status: 401,
    })
    expect(await tell(closed, { path: '/health' })).toMatchObject({ status: 200 })
  })

  test('comes back when the API is enabled again', async () => {
    await using service = await startService()
    await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, false)
    await accounts.setApiEnabled(service.db, DEFAULT_ACCOUNT, true)
    expect(await read(service, '/kpis')).toEqual([])
  })
})
