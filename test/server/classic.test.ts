import { describe, expect, test } from 'vitest'
import { KPI, post, tell } from '../support/classic.ts'
import { type Asked, ask, startService } from '../support/service.ts'

const LIST = 'GET, POST, HEAD, OPTIONS'
const ONE = 'GET, PUT, DELETE, HEAD, OPTIONS'
const SHOWN = 'GET, HEAD, OPTIONS'

const PATHS: readonly (readonly [path: string, allow: string])[] = [
  ['/kpis', LIST],
  ['/kpis/1', ONE],
  ['/users', LIST],
  ['/users/1', ONE],
  ['/users/1/kpis', LIST],
  ['/users/1/kpis/1', ONE],
  ['/kpicategories', LIST],
  ['/kpicategories/1', ONE],
  ['/kpiunits', LIST],
  ['/kpiunits/1', ONE],
  ['/kpifrequencies', SHOWN],
  ['/kpifrequencies/D', SHOWN],
  ['/kpiicons', SHOWN],
  ['/kpiicons/1', SHOWN],
  ['/kpientries', LIST],
  ['/kpientries/1', ONE],
  ['/kpientries/list', 'POST, OPTIONS'],
  ['/reports/AllDataEntries', SHOWN],
  ['/health', SHOWN],
]

const methodsIn = (allow: string | undefined): string[] => (allow ?? '').split(', ').sort()

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']

describe('a method', () => {
  test.each(PATHS)('of %s is told to OPTIONS, without credentials', async (path, allow) => {
    await using service = await startService()
    const { status, headers, body } = await tell(service, { method: 'OPTIONS', path, headers: { authorization: '' } })
    expect([status, body, methodsIn(headers['allow'])]).toEqual([204, undefined, methodsIn(allow)])
  })

  test.each(PATHS)('that %s does not have is 405 with those that it has, whatever is sent', async (path, allow) => {
    await using service = await startService()
    for (const method of METHODS.filter((one) => !methodsIn(allow).includes(one))) {
      for (const body of [undefined, '{}', '{']) {
        const { status, headers } = await tell(service, { method, path, body })
        expect({ method, body, status, allow: methodsIn(headers['allow']) }).toEqual({
          method,
          body,
          status: 405,
          allow: methodsIn(allow),
        })
      }
    }
  })
})

describe('an address', () => {
  test.each([
    ['GET', '/nowhere'],
    ['POST', '/nowhere'],
    ['PUT', '/kpis/abc'],
    ['DELETE', '/kpis/abc'],
    ['GET', '/kpis/99'],
    ['DELETE', '/kpis/99'],
    ['GET', '/kpis/999999999999999999999'],
    ['GET', '/users/1/kpis/1'],
    ['GET', '/users/99/kpis'],
    ['GET', '/kpifrequencies/X'],
    ['GET', '/kpifrequencies/__proto__'],
    ['GET', '/kpiicons/999'],
    ['GET', '/kpis/..%2f..%2fetc%2fpasswd'],
    ['GET', '/kpis/../../etc/passwd'],
    ['GET', '//kpis'],
    ['OPTIONS', '/nowhere'],
    ['GET', '/v1/kpis'],
  ])('%s %s is 404', async (method, path) => {
    await using service = await startService()
    expect(await tell(service, { method, path })).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('there is no') as string },
    })
  })

  test.each(['/', '/kpis', '/apikpis', '/api', 'kpis', '*'])('%s is 404: only /api is served', async (target) => {
    await using service = await startService()
    const body = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array())
    expect(await service.handler({ method: 'GET', target, headers: {}, address: '::1', body })).toMatchObject({
      status: 404,
    })
  })

  test.each(['/API/KPIs', '/api/KPIS/', '/Api/kpis?no=thing&x=<script>', '/api/kpis?'])(
    '%s is that of all KPIs',
    async (target) => {
      await using service = await startService()
      await post(service, '/kpis', KPI)
      const { status, body } = await ask(
        { ...service, handler: (asked) => service.handler({ ...asked, target }) },
        { path: '' },
      )
      expect([status, JSON.parse(body)]).toMatchObject([200, [{ id: 1 }]])
    },
  )

  test.each([
    ['/kpis?x=', 8192, 200],
    ['/kpis?x=', 8193, 414],
    ['/', 8193, 414],
    ['/health?x=', 8193, 414],
  ])('%s… of %i bytes is %i', async (start, length, status) => {
    await using service = await startService()
    const path = start.padEnd(length - '/api'.length, 'x')
    expect(await tell(service, { path })).toMatchObject({ status })
  })
})

describe('health', () => {
  test.each(['/health', '/HEALTH', '/health/', '/health?now'])('at %s is told to anybody', async (path) => {
    await using service = await startService()
    expect(await tell(service, { path, headers: { authorization: '' } })).toMatchObject({
      status: 200,
      body: { status: 'ok', version: '0.0.0-test' },
    })
  })
})

describe('every answer', () => {
  const asked: readonly (readonly [number, Asked])[] = [
    [200, { path: '/kpis' }],
    [200, { path: '/health' }],
    [201, { method: 'POST', path: '/kpis', body: KPI }],
    [200, { method: 'DELETE', path: '/kpiunits/1' }],
    [204, { method: 'OPTIONS', path: '/kpis' }],
    [400, { method: 'POST', path: '/kpis', body: '{' }],
    [401, { path: '/kpis', headers: { authorization: '' } }],
    [404, { path: '/nowhere' }],
    [405, { method: 'PATCH', path: '/kpis' }],
    [414, { path: `/${'x'.repeat(9000)}` }],
    [415, { method: 'POST', path: '/kpis', body: 'x', headers: { 'content-type': 'text/plain' } }],
  ]

  test.each(asked)('with %i has an id, and is JSON or nothing at all', async (status, one) => {
    await using service = await startService()
    const answer = await ask(service, one)
    expect([answer.status, answer.headers['x-request-id']]).toEqual([status, 'request-1'])
    expect(answer.headers['content-type']).toBe(answer.body === '' ? undefined : 'application/json; charset=utf-8')
    expect(answer.body).toMatch(status < 400 ? /^$|^[[{]/ : /^\{"message":"[^"]+"\}$/)
    expect((await ask(service, one)).headers['x-request-id']).toBe('request-2')
  })
})
