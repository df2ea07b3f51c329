import { request as askPlain } from 'node:http'
import { request as askTls } from 'node:https'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ListenOptions } from '../../src/server/http/listener.ts'
import { underPublicUrl } from '../../src/server/http/sender.ts'
import type { Handler } from '../../src/server/wire.ts'
import { makePair, type Pair } from '../support/certificates.ts'
import { basic, KPI, read, USER } from '../support/classic.ts'
import { serve, type Serving } from '../support/listening.ts'
import { bearer } from '../support/newer.ts'

type Answered = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: string }
type Sent = { readonly headers?: Record<string, string>; readonly body?: object }

/** Sends a request as a browser would, on a connection of its own. */
const send = ({ server }: Serving, line: string, { headers = {}, body }: Sent = {}): Promise<Answered> => {
  const [method, path = ''] = line.split(' ')
  const url = new URL(path, server.url)
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, rejectUnauthorized: false }
    const asked = (url.protocol === 'https:' ? askTls : askPlain)(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    asked.on('error', reject).end(body && JSON.stringify(body))
  })
}

const VARIANTS = ['/api', '/v1'] as const
type Prefix = (typeof VARIANTS)[number]

const credentials = ({ service }: Serving, prefix: Prefix): Record<string, string> => ({
  authorization: prefix === '/api' ? basic(service.login, service.token) : bearer(service.key),
})

const JSON_BODY = { 'content-type': 'application/json' }
const COMPLETE_KPI = { ...KPI, category_id: 1, aggregate_function: 'SUM' }

let pair: Pair
beforeAll(async () => {
  pair = await makePair()
})

const PUBLIC = 'https://kpi.example.com'
type Place = Omit<ListenOptions, 'limits' | 'onExchange'> & { readonly wrap?: (handler: Handler) => Handler }

/** How a service may be reached, with the host that is asked for and the origin of its own pages. */
const PLACES: readonly (readonly [name: string, open: () => Place, host: string, own: string])[] = [
  ['by plain HTTP', () => ({}), 'localhost:8321', 'http://localhost:8321'],
  ['by plain HTTP in capitals', () => ({}), 'LOCALHOST:80', 'http://localhost'],
  ['by HTTPS', () => ({ tls: pair }), 'kpi.example.com:8443', 'https://kpi.example.com:8443'],
  ['behind a proxy', () => ({ behindProxy: true }), 'kpi.example.com', PUBLIC],
  [
    'at a public URL',
    () => ({ behindProxy: true, wrap: (handler) => underPublicUrl(handler, `${PUBLIC}/metrics`) }),
    '127.0.0.1:1',
    PUBLIC,
  ],
]

/** What a page of another site may send along, where the origin of the service's own pages is known. */
const foreign = (host: string, own: string): readonly Record<string, string>[] => {
  const { protocol, hostname } = new URL(own)
  const origins = [
    'null',
    '',
    'https://evil.example',
    `${protocol === 'http:' ? 'https' : 'http'}://${host}`,
    `${protocol}//${hostname}:1`,
    `${own}.evil.example`,
    `${protocol}//evil.${hostname}`,
    `${own}, https://evil.example`,
    `https://evil.example, ${own}`,
    'x'.repeat(10_000),
  ]
  return [
    ...origins.map((origin) => ({ origin })),
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': ' Cross-Site ' },
    { 'sec-fetch-site': 'cross-site', origin: own },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': 'cross-site,same-origin', origin: own },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ]
}

const corsHeaders = ({ headers }: Answered): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

describe.each(PLACES)('a service that is reached %s', (_, open, host, own) => {
  test('lets pages of other sites change nothing, in either variant, whatever else they send', async () => {
    await using serving = await serve(open())
    for (const headers of foreign(host, own)) {
      for (const prefix of VARIANTS) {
        for (const line of [`POST ${prefix}/kpis`, `DELETE ${prefix}/kpis/1`]) {
          const sent = { host, ...headers, ...credentials(serving, prefix), ...JSON_BODY }
          const answered = await send(serving, line, { headers: sent, body: COMPLETE_KPI })
          expect({ headers, line, status: answered.status }).toEqual({ headers, line, status: 403 })
          expect([answered.headers['retry-after'], corsHeaders(answered)]).toEqual([undefined, []])
        }
      }
    }
    expect(await read(serving.service, '/kpis')).toEqual([])
  })

  test('lets its own pages change what their user may, and programs too', async () => {
    await using serving = await serve(open())
    for (const headers of [{}, { origin: own }, { origin: own, 'sec-fetch-site': 'same-origin' }]) {
      for (const prefix of VARIANTS) {
        const sent = { host, ...headers, ...credentials(serving, prefix), ...JSON_BODY }
        const answered = await send(serving, `POST ${prefix}/kpis`, { headers: sent, body: COMPLETE_KPI })
        expect([answered.status, corsHeaders(answered)]).toEqual([201, []])
      }
    }
    expect(await read(serving.service, '/kpis')).toHaveLength(6)
  })
})

describe('a request from a page of another site', () => {
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'])('with %s is refused before credentials', async (method) => {
    await using serving = await serve()
    for (const path of ['/api/kpis', '/api/nowhere', '/', '/v1/kpis', '/v1/nowhere']) {
      expect(await send(serving, `${method} ${path}`, { headers: evil })).toMatchObject({ status: 403 })
    }
  })

  test('is refused in the form of the variant, and told what to do', async () => {
    await using serving = await serve()
    const says = /^Origin https:\/\/evil\.example is not that of this service, .*--public-url/
    const headers = { origin: 'https://evil.example' }
    const classic = await send(serving, 'POST /api/kpis', { headers })
    expect(JSON.parse(classic.body)).toEqual({ message: expect.stringMatching(says) as string })
    const xml = await send(serving, 'POST /api/kpis', { headers: { ...headers, 'content-type': 'text/xml' } })
    expect(xml.body).toMatch(/<message>Origin https:\/\/evil\.example is not/)
    const newer = await send(serving, 'POST /v1/kpis', { headers })
    expect(newer.headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(newer.body)).toMatchObject({
      type: 'urn:problem-type:kpi:forbidden',
      status: 403,
      detail: expect.stringMatching(says) as string,
    })
    const bySite = await send(serving, 'POST /v1/kpis', { headers: { 'sec-fetch-site': 'same-site' } })
    expect(bySite.body).toContain('Sec-Fetch-Site: same-site')
  })

  test('may read, and gets no header that lets the page see the answer', async () => {
    await using serving = await serve()
    for (const prefix of VARIANTS) {
      const headers = { ...evil, ...credentials(serving, prefix) }
      for (const [line, status] of [
        [`GET ${prefix}/kpis`, 200],
        [`HEAD ${prefix}/kpis`, 200],
        [`GET ${prefix}/health`, 200],
      ] as const) {
        const answered = await send(serving, line, { headers })
        expect([line, answered.status, corsHeaders(answered)]).toEqual([line, status, []])
      }
      const asked = {
        ...evil,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization',
      }
      const preflight = await send(serving, `OPTIONS ${prefix}/kpis`, { headers: asked })
      expect([preflight.status, corsHeaders(preflight)]).toEqual([204, []])
    }
  })
})

describe('a body without a Content-Type', () => {
  const host = 'localhost'

  test.each(VARIANTS)('is JSON at %s where a program sends it, and refused where a page does', async (prefix) => {
    await using serving = await serve()
    const sent = { host, ...credentials(serving, prefix) }
    const fromPage = { ...sent, origin: 'http://localhost' }
    for (const headers of [fromPage, { ...fromPage, 'content-type': '' }, { ...fromPage, 'content-type': ' ' }]) {
      const refused = await send(serving, `POST ${prefix}/kpis`, { headers, body: COMPLETE_KPI })
      expect(refused).toMatchObject({ status: 415, body: expect.stringContaining('Content-Type is missing') as string })
    }
    expect(await read(serving.service, '/kpis')).toEqual([])
    expect(await send(serving, `POST ${prefix}/kpis`, { headers: sent, body: COMPLETE_KPI })).toMatchObject({
      status: 201,
    })
  })

  test('makes nobody an administrator for a page of another site', async () => {
    await using serving = await serve()
    const admin = { ...USER, user_type: 'Admin', can_manage_users: true, can_admin_settings: true }
    const headers = { host, ...credentials(serving, '/api'), origin: 'https://evil.example' }
    expect(await send(serving, 'POST /api/users', { headers, body: admin })).toMatchObject({ status: 403 })
    expect(await read(serving.service, '/users')).toHaveLength(1)
  })
})
