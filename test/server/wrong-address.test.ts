import { describe, expect, test } from 'vitest'
import { basic } from '../support/classic.ts'
import { bearer, toldBy } from '../support/newer.ts'
import { type Service, startService } from '../support/service.ts'

const get = async (service: Service, target: string, authorization?: string, method = 'GET') =>
  toldBy(
    await service.handler({
      method,
      target,
      headers: authorization === undefined ? {} : { authorization },
      address: '127.0.0.1',
      body: () => Promise.resolve(Buffer.alloc(0)),
    }),
  )

const textOf = ({ body }: { readonly body: unknown }): string =>
  String((body as { message?: string; detail?: string }).message ?? (body as { detail?: string }).detail)

const INTERFACES =
  /the interface is below \/api, described at (\S+), and its newer variant below \/v1, described at (\S+)/

describe('a path that is outside of the interface, or its root', () => {
  test.each([
    '/',
    '/api',
    '/api/',
    '/API',
    '/v1',
    '/V1/',
    '/v1?x=1',
    '/kpis',
    '/docs',
    '/v2/kpis',
    '/openapi.json',
    '*',
  ])('%s is 404 and says where the interface and its descriptions are', async (target) => {
    await using service = await startService()
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const told = await get(service, target, undefined, method)
      expect(told.status).toBe(404)
      const [, ...descriptions] = INTERFACES.exec(textOf(told)) ?? []
      expect(descriptions).toEqual(['/api/openapi.json', '/v1/openapi.json'])
    }
  })

  test('says so of descriptions that are there', async () => {
    await using service = await startService()
    for (const target of ['/api/openapi.json', '/v1/openapi.json']) {
      expect(await get(service, target)).toMatchObject({ status: 200, body: { openapi: expect.any(String) as string } })
    }
  })
})

describe('credentials of another scheme', () => {
  test.each<[target: string, header: (service: Service) => string, says: string]>([
    ['/api/kpis', ({ key }) => bearer(key), 'Authorization has the scheme Bearer, and Basic is expected here (a key, '],
    ['/api/kpis', () => 'bearer', 'the scheme bearer, and Basic is expected here'],
    ['/api/kpis', () => 'Digest username="x"', 'the scheme Digest, and Basic is expected here'],
    ['/api/kpis', () => 'Basic', 'Authorization has nothing behind Basic that can be read'],
    ['/api/kpis', ({ token }) => token, 'Authorization does not begin with Basic'],
    ['/api/kpis', () => '', 'credentials are missing: send Basic with the login name and the account token'],
    ['/v1/kpis', ({ login, token }) => basic(login, token), 'the scheme Basic, and Bearer is expected here (a login '],
    ['/v1/kpis', () => 'Token x', 'the scheme Token, and Bearer is expected here'],
    ['/v1/kpis', () => 'Bearer a b', 'Authorization has nothing behind Bearer that can be read'],
    ['/v1/kpis', ({ key }) => key, 'Authorization does not begin with Bearer'],
    ['/v1/kpis', () => ' ', 'credentials are missing: send Bearer with a key'],
  ])('are 401 at %s, which says what was expected, and repeats no secret', async (target, header, says) => {
    await using service = await startService()
    const sent = header(service)
    const told = await get(service, target, sent)
    expect([told.status, textOf(told)]).toEqual([401, expect.stringContaining(says)])
    const { key, token } = service
    for (const secret of [key, token, Buffer.from(`${service.login}:${token}`).toString('base64')]) {
      expect(textOf(told)).not.toContain(secret)
    }
  })
})
