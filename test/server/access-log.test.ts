import { describe, expect, test } from 'vitest'
import { KpiError } from '../../src/domain/errors.ts'
import { errorLine, requestLine } from '../../src/server/observe/access-log.ts'
import { shownTarget } from '../../src/server/request-target.ts'
import { KPI } from '../support/classic.ts'
import { NOW } from '../support/io.ts'
import { bearer } from '../support/newer.ts'
import { EXCHANGE, serve } from '../support/listening.ts'
import { head, sendThenRead } from '../support/socket.ts'

const LAST = 'Connection: close'

describe('the line of a request', () => {
  test('is JSON, with all that an operator looks for', () => {
    const line = requestLine(EXCHANGE, NOW)
    expect(line.endsWith('}\n')).toBe(true)
    expect(JSON.parse(line)).toEqual({
      time: '2026-11-21T12:00:00.000Z',
      event: 'request',
      id: 'R1',
      address: '203.0.113.9',
      method: 'GET',
      path: '/api/kpis/7',
      query: 'rows=5',
      status: 200,
      account: 'acme',
      user: 'ann@example.com',
      bytes_in: 0,
      bytes_out: 120,
      ms: 1.235,
    })
  })

  test('says so when the answer was not taken', () => {
    expect(JSON.parse(requestLine({ ...EXCHANGE, isCut: true }, NOW))).toMatchObject({ cut: true })
  })

  test.each([
    ['/api/KPIs/7/', '/api/KPIs/7/', undefined],
    [
      '/api/kpientries?dateFrom=2026-01-01&userid=5&rows=500',
      '/api/kpientries',
      'dateFrom=2026-01-01&userid=5&rows=500',
    ],
    ['/api/reports/AllDataEntries?kpiIds=1,2,3&userIds=', '/api/reports/AllDataEntries', 'kpiIds=1,2,3&userIds='],
    ['/api/kpis?password=hunter2&login=ann@example.com', '/api/kpis', 'password=…&login=…'],
    ['/api/kpis?key=%31%32&%6bey=a', '/api/kpis', 'key=12&key=…'],
    ['/api/kpis?aVeryLongNameThatMayWellBeASecret=1', '/api/kpis', '…=1'],
    ['/api/YWRtaW5AbG9jYWxob3N0OmtwaV90b2tlbg', '/api/…', undefined],
    ['/api/\n"<script>', '/api/…', undefined],
    ['/.env', '/.env', undefined],
  ])('shows of %s what can be no secret', (target, path, query) => {
    expect(shownTarget(target)).toEqual({ path, query })
  })
})

describe('a token', () => {
  test.each([
    ['as it should be', (_token: string) => ['GET /api/kpis']],
    ['in the query', (token: string) => [`GET /api/kpis?token=${token}`]],
    ['as a name in the query', (token: string) => [`GET /api/kpis?${token}`]],
    ['escaped in the query', (token: string) => [`GET /api/kpis?token=${token.replaceAll('_', '%5F')}`]],
    ['in the path', (token: string) => [`GET /api/kpis/${token}`]],
    ['escaped in the path', (token: string) => [`GET /api/kpis/${token.replaceAll('k', '%6b')}`]],
    ['outside of the interface', (token: string) => [`GET /${token}`]],
    ['in a URL', (token: string) => [`GET http://admin:${token}@localhost/api/kpis`]],
    ['in headers', (token: string) => ['GET /api/kpis', `X-Token: ${token}`, `User-Agent: ${token}`]],
    ['as the last address', (token: string) => ['GET /api/kpis', `X-Forwarded-For: ${token}`]],
    ['as a scheme of its own', (token: string) => [`GET ${token}://localhost/api/kpis`]],
    ['in what is no request', (token: string) => [`${token} /api/kpis`]],
  ])('%s is in no line of the log', async (_, lines) => {
    await using serving = await serve({ behindProxy: true })
    const { service, server, tells } = serving
    const { token } = service
    const [line = '', ...headers] = lines(token)
    await sendThenRead(server.url, head(service, line, ...headers, LAST))
    const written = (await tells(1)).map((one) => requestLine(one, NOW)).join('')
    expect(written).not.toMatch(new RegExp(token.slice(10, 30), 'i'))
    expect(written).not.toContain(Buffer.from(`:${token}`).toString('base64').slice(4, 30))
  })

  test('in the text of an error is not either', () => {
    const token = 'kpi_token_3sNeP0NOYryteeHumr4QwsFCXflmU1c9f_2vVro6'
    const line = errorLine(new Error(`cannot read ${token}`, { cause: new Error(token) }), 'R1', NOW)
    expect(line).not.toContain('3sNeP0')
    expect(JSON.parse(line)).toMatchObject({ event: 'error', id: 'R1' })
  })

  test('of an error is in full where it was unforeseen, and a message where the store is not available', () => {
    const told = (code: 'internal' | 'unavailable', cause: Error): unknown =>
      JSON.parse(errorLine(new KpiError(code, 'PostgreSQL does not answer', { cause }), 'R1', NOW))
    expect(told('internal', new Error('refused'))).toMatchObject({
      error: expect.stringContaining('access-log.test.ts') as string,
      cause: expect.stringContaining('access-log.test.ts') as string,
    })
    const line = { time: '2026-11-21T12:00:00.000Z', event: 'error', id: 'R1', error: 'PostgreSQL does not answer' }
    expect(told('unavailable', new Error('refused'))).toEqual({ ...line, cause: 'refused' })
    const each = new AggregateError([new Error('refused'), new Error('unreachable')])
    expect(told('unavailable', each)).toEqual({ ...line, cause: 'Error: refused, Error: unreachable' })
  })
})

describe('what a server tells of a request', () => {
  test('counts what was read and written, and names the account', async () => {
    let clock = 0
    // The clock goes on each time it is asked.
    await using serving = await serve({ clock: () => (clock += 5) })
    const { service, server, tells } = serving
    const body = JSON.stringify(KPI)
    const answer = await sendThenRead(
      server.url,
      head(service, 'POST /api/kpis?x=1', LAST, 'Content-Type: application/json', `Content-Length: ${body.length}`),
      body,
    )
    const [told] = await tells(1)
    expect(told).toEqual({
      requestId: 'request-1',
      address: '127.0.0.1',
      method: 'POST',
      target: '/api/kpis?x=1',
      caller: { account: 'default', user: 'admin@localhost', key: undefined },
      status: 201,
      isPutOff: false,
      bytesIn: body.length,
      bytesOut: answer.length - answer.indexOf('\r\n\r\n') - 4,
      milliseconds: expect.any(Number) as number,
      isCut: false,
    })
    expect(told?.milliseconds).toBeGreaterThan(0)
  })

  test.each([
    ['nobody in particular', 'GET /api/health', 200, undefined],
    ['an account that asks for what is not there', 'GET /api/nowhere', 404, 'default'],
    ['an account that asks for what cannot be', 'DELETE /api/kpifrequencies', 405, 'default'],
    ['an account that asks what cannot be read', 'GET /api/kpientries?rows=x', 400, 'default'],
  ])('names %s', async (_, line, status, account) => {
    await using serving = await serve()
    const { service, server, tells } = serving
    await sendThenRead(server.url, head(service, line, LAST))
    expect(await tells(1)).toMatchObject([{ status, caller: account === undefined ? undefined : { account } }])
  })
})

test('the name of a setting is in the log as it is', () => {
  const line = errorLine(new KpiError('unavailable', 'check KPI_POSTGRES_URL'), 'R1', NOW)
  expect(line).toContain('KPI_POSTGRES_URL')
})

describe('a key', () => {
  const withKey = (key: string, line: string, ...headers: string[]): string =>
    [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: ${bearer(key)}`, ...headers, LAST, '', ''].join('\r\n')

  test.each<[where: string, text: (key: string) => string]>([
    ['as it should be', (key) => withKey(key, 'GET /v1/kpis')],
    ['that is wrong', (key) => withKey(`${key}x`, 'GET /v1/kpis')],
    ['without a scheme', (key) => withKey('', 'GET /v1/kpis', `Authorization: ${key}`)],
    ['in the query', (key) => withKey(key, `GET /v1/kpis?key=${key}&${key}`)],
    ['escaped in the query', (key) => withKey(key, `GET /v1/kpis?key=${key.replaceAll('_', '%5F')}`)],
    ['in the path', (key) => withKey(key, `GET /v1/kpis/${key}`)],
    ['escaped in the path', (key) => withKey(key, `GET /v1/${key.replaceAll('k', '%6b')}`)],
    ['in headers', (key) => withKey(key, 'GET /v1/kpis', `X-Key: ${key}`, `Idempotency-Key: ${key}`)],
    ['in what is no request', (key) => `${key} /v1/kpis\r\n\r\n`],
  ])('%s is in no line of the log, and not in the answer', async (_, text) => {
    await using serving = await serve()
    const { service, server, tells } = serving
    const { key } = service
    const answer = await sendThenRead(server.url, text(key))
    const written = (await tells(1)).map((one) => requestLine(one, NOW)).join('')
    for (const one of [written, answer]) expect(one).not.toMatch(new RegExp(key.slice(10, 30), 'i'))
  })

  test('is named by its id, with whose it is, in each line of a request that it let in', async () => {
    await using serving = await serve()
    const { service, server, tells } = serving
    for (const [at, line] of ['GET /v1/kpis', 'GET /v1/groups', 'DELETE /v1/users/1'].entries()) {
      await sendThenRead(server.url, withKey(service.key, line))
      await tells(at + 1)
    }
    await sendThenRead(server.url, withKey('kpi_key_x', 'GET /v1/kpis'))
    const lines = (await tells(4)).map((one) => JSON.parse(requestLine(one, NOW)) as Record<string, unknown>)
    const caller = { account: 'default', user: 'admin@localhost', key: 1 }
    expect(lines).toMatchObject([
      { path: '/v1/kpis', status: 200, ...caller },
      { path: '/v1/groups', status: 404, ...caller },
      { path: '/v1/users/1', status: 405, ...caller },
      { path: '/v1/kpis', status: 401 },
    ])
    expect(Object.keys(lines[3] ?? {})).not.toContain('user')
  })

  test('in the text of an error is not told', () => {
    const key = 'kpi_key_3sNeP0NOYryteeHumr4QwsFCXflmU1c9f_2vVro6'
    expect(errorLine(new Error(`cannot read ${key}`, { cause: new Error(key) }), 'R1', NOW)).not.toContain('3sNeP0')
  })
})
