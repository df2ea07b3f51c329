import { type AddressInfo, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { httpTransport, type Remote } from '../../src/client/http/http-transport.ts'
import type { TransportRequest, Transport } from '../../src/client/transport.ts'
import type { KpiError } from '../../src/domain/errors.ts'
import { basic } from '../support/classic.ts'
import { foreignService } from '../support/foreign.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const LOGIN = 'ann@example.com'
const TOKEN = 'kpi_token_secret0123456789secret_AbCdEf'
const KPIS: TransportRequest = { method: 'GET', path: '/kpis' }

const transportTo = (url: string, remote: Partial<Remote> = {}): Transport => {
  const baseUrl = new URL(`${url}/api/`)
  const transport = httpTransport({ baseUrl, login: LOGIN, token: TOKEN, timeoutMs: 10_000, now: () => NOW, ...remote })
  onTestFinished(() => transport.close())
  return transport
}

/** The refusal that a request ends with. */
const refusalOf = async (transport: Transport, sending = KPIS): Promise<KpiError> => {
  try {
    await transport.send(sending)
  } catch (error) {
    return error as KpiError
  }
  throw new Error('a refusal was expected')
}

/** Writes a part again and again, as fast as it is read or at intervals, until the connection is gone. */
const forEver = (response: ServerResponse, part: string, everyMs = 0): void => {
  const write = (): void => {
    if (response.destroyed) return
    response.write(part, () => void setTimeout(write, everyMs))
  }
  write()
}

/** A server that answers bytes as they are. */
const rawServer = async (talk: (socket: Socket) => void): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => talk(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that cuts every connection when the first byte comes. */
const cuttingServer = (): Promise<string> => rawServer((socket) => socket.resetAndDestroy())

const page = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '9' }).end('<h1>Sorry</h1>')
}

describe('a request', () => {
  test('goes below the base URL, with credentials, its query encoded and its body in JSON', async () => {
    const { url, reached } = await foreignService((response) => response.end('{"id":1}'))
    const { send } = transportTo(url)
    await send({ method: 'GET', path: '/reports/AllDataEntries', query: { kpiIds: '1,2', note: 'a b&c=ä' } })
    await send({
      method: 'PUT',
      path: '/kpis/7',
      body: { name: 'Umsätze', target: JSON.rawJSON('12345678901234.5678') },
    })
    const headers = {
      authorization: basic(LOGIN, TOKEN),
      'content-type': 'application/json',
      accept: 'application/json',
    }
    expect(reached).toMatchObject([
      { method: 'GET', headers, body: '' },
      { method: 'PUT', target: '/api/kpis/7', headers, body: '{"name":"Umsätze","target":12345678901234.5678}' },
    ])
    const target = new URL(reached[0]?.target ?? '', url)
    expect(target.pathname).toBe('/api/reports/AllDataEntries')
    expect([...target.searchParams]).toEqual([
      ['kpiIds', '1,2'],
      ['note', 'a b&c=ä'],
    ])
  })

  test.each([
    [undefined, undefined],
    ['0', 0],
    ['10500', 10_500],
    ['', undefined],
    ['many', undefined],
    ['-1', undefined],
    ['1.5', undefined],
  ])('whose answer has the X-Total-Count %j tells of %j in all', async (header, total) => {
    const { url } = await foreignService((response) => {
      if (header !== undefined) response.setHeader('x-total-count', header)
      response.end('[]')
    })
    expect(await transportTo(url).send(KPIS)).toEqual({ content: { json: [] }, total })
  })

  test('to a base URL that leads elsewhere is not followed, and credentials stay', async () => {
    const elsewhere = await foreignService((response) => response.end('[]'))
    const { url, reached } = await foreignService((response) => {
      response.writeHead(302, { location: `${elsewhere.url}/login` }).end()
    })
    expect((await refusalOf(transportTo(url))).message).toContain(`${elsewhere.url}/login`)
    expect([reached.length, elsewhere.reached.length]).toEqual([1, 0])
  })
})

describe('what can go wrong', () => {
  const answers: readonly (readonly [
    name: string,
    answer: (response: ServerResponse) => unknown,
    told: Readonly<Record<string, unknown>>,
  ])[] = [
    ['nothing at all', () => undefined, { code: 'unavailable', message: /did not answer in time/ }],
    [
      'half an answer, and no more',
      (response) => response.writeHead(200, { 'content-length': 100 }).write('[{'),
      { code: 'unavailable', message: /did not answer in time/ },
    ],
    [
      'a byte at a time, and no end',
      (response) => forEver(response.writeHead(200), ' ', 20),
      { code: 'unavailable', message: /did not answer in time/, mayBeDone: true },
    ],
    [
      'more and more, and no end',
      (response) => forEver(response.writeHead(200), ' '.repeat(1 << 20)),
      { code: 'unavailable', message: /its answer is larger than 128 MiB$/, mayBeDone: true },
    ],
    [
      'half an answer, and a cut',
      (response) =>
        response.writeHead(200, { 'content-length': 100 }).write('[{', () => {
          response.destroy()
        }),
      { code: 'unavailable', message: /connection was cut/ },
    ],
    ['half of its JSON', (response) => response.end('[{"id":'), { code: 'unavailable', message: /base URL/ }],
    ['a page', (response) => page(response, 200), { code: 'unavailable', message: /text\/html.*base URL/ }],
    ['a page with 502', (response) => page(response, 502), { code: 'unavailable', message: /502/, retryAfter: 9 }],
    ['a page with 404', (response) => page(response, 404), { code: 'not_found', message: /check the base URL/ }],
    ['a page with 403', (response) => page(response, 403), { code: 'rate_limited', message: /403/, retryAfter: 9 }],
    [
      'a 403 that names no time',
      (response) => response.writeHead(403).end('{"message":"the API is off"}'),
      { code: 'forbidden', message: /^the API is off$/, retryAfter: undefined },
    ],
    [
      'a 403 that names a date',
      (response) => response.writeHead(403, { 'retry-after': 'Sat, 21 Nov 2026 12:01:00 GMT' }).end(),
      { code: 'rate_limited', message: /403/, retryAfter: 60 },
    ],
    [
      'its own words',
      (response) =>
        response.writeHead(409).end('{"message":"taken","errors":[{"field":"email","message":"is taken"}]}'),
      { code: 'conflict', message: /^taken$/, issues: [{ field: 'email', message: 'is taken' }] },
    ],
  ]

  test.each(answers)('when the service answers %s', async (_, answer, { message, ...told }) => {
    const { url } = await foreignService(answer)
    // Only where time is what ends it is there little of it.
    const timeoutMs = String(message).includes('in time') ? 200 : 30_000
    const refusal = await refusalOf(transportTo(url, { timeoutMs }))
    expect(refusal).toMatchObject(told)
    expect(refusal.message).toMatch(message as RegExp)
  })

  test.each([
    ['its head', 'x-more: 1\r\n'],
    ['other heads', '\r\nHTTP/1.1 103 Early Hints\r\n'],
  ])('when the service dribbles %s and never answers', async (_, part) => {
    const url = await rawServer((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n')
      const dribble = setInterval(() => socket.write(part), 20)
      socket.on('close', () => clearInterval(dribble))
    })
    const refusal = await refusalOf(transportTo(url, { timeoutMs: 200 }))
    expect(refusal).toMatchObject({ code: 'unavailable', mayBeDone: true })
    expect(refusal.message).toMatch(/did not answer in time/)
  })

  test('does not go wrong while a large answer comes slower than the wait for its beginning, but comes', async () => {
    const part = ' '.repeat(1 << 19)
    const { url } = await foreignService((response) => {
      let parts = 0
      const more = setInterval(() => {
        parts += 1
        if (parts < 8) response.write(part)
        else response.end('[]')
        if (parts === 8) clearInterval(more)
      }, 100)
    })
    expect(await transportTo(url, { timeoutMs: 400 }).send(KPIS)).toMatchObject({ content: { json: [] } })
  })

  test('when there is no connection in time: then nothing was sent', async () => {
    const url = await rawServer(() => undefined)
    const refusal = await refusalOf(transportTo(url.replace('http:', 'https:'), { timeoutMs: 200 }))
    expect(refusal).toMatchObject({ code: 'unavailable', mayBeDone: false })
    expect(refusal.message).toMatch(/could not be connected to in time$/)
  })

  test('when nothing listens', async () => {
    const url = await cuttingServer()
    const free = new URL(url)
    free.port = '1'
    const refusal = await refusalOf(transportTo(free.origin))
    expect(refusal).toMatchObject({
      code: 'unavailable',
      message: `cannot reach ${free.origin}: nothing listens there`,
    })
  })

  test('when the connection is cut', async () => {
    const url = await cuttingServer()
    const told = { code: 'unavailable', message: `cannot reach ${url}: the connection was cut` }
    expect(await refusalOf(transportTo(url))).toMatchObject(told)
    expect(await refusalOf(transportTo(url), { method: 'POST', path: '/kpis', body: {} })).toMatchObject(told)
  })

  test('when a service that has to speak TLS does not', async () => {
    const { url, reached } = await foreignService((response) => response.end('[]'))
    const refusal = await refusalOf(transportTo(url.replace('http:', 'https:')))
    expect(refusal.code).toBe('unavailable')
    expect(refusal.message).not.toMatch(/openssl|ssl3|\.c:\d/i)
    expect(reached).toEqual([])
  })
})

describe('credentials', () => {
  test.each([
    'http://example.com/api',
    'http://127.0.0.1.example.com/api',
    'http://localhost@example.com/api',
    'http://0.0.0.0:8321/api',
    'ftp://localhost/api',
  ])('are not sent to %s', (url) => {
    const remote = { login: LOGIN, token: TOKEN, timeoutMs: 1000, now: () => NOW }
    expect(() => httpTransport({ baseUrl: new URL(url), ...remote })).toThrow(
      expect.objectContaining({ code: 'malformed', message: expect.stringContaining('HTTPS') as string }),
    )
  })

  test('in the base URL are not printed', () => {
    const remote = { login: LOGIN, token: TOKEN, timeoutMs: 1000, now: () => NOW }
    const baseUrl = new URL('http://ann:hunter2@example.com/api')
    const refused = { message: expect.not.stringContaining('hunter2') as string }
    expect(() => httpTransport({ baseUrl, ...remote })).toThrow(expect.objectContaining(refused))
  })

  test.each<[name: string, answer: (response: ServerResponse) => unknown]>([
    ['nothing', () => undefined],
    ['a cut', (response) => response.destroy()],
    ['a page', (response) => page(response, 200)],
    ['a refusal', (response) => page(response, 401)],
  ])('are in no error, its causes included, when the service answers %s', async (_, answer) => {
    const { url, reached } = await foreignService(answer)
    const shown = inspect(await refusalOf(transportTo(url, { timeoutMs: 200 })), { depth: 20, showHidden: true })
    expect(reached).toHaveLength(1)
    expect(shown).not.toContain(TOKEN)
    expect(shown).not.toContain(basic(LOGIN, TOKEN))
  })
})

describe('an answer that is not waited for any longer', () => {
  const POST: TransportRequest = { method: 'POST', path: '/kpis', body: {} }

  /** A service that never answers, and what becomes of a request to it that stops when it is there. */
  const stopAt = async (stop: 'signal' | 'late', sending: TransportRequest): Promise<Error> => {
    const [signal, late] = [new AbortController(), new AbortController()]
    const { url } = await foreignService(() => {
      signal.abort()
      if (stop === 'late') late.abort()
    })
    const stopping = { signal: signal.signal, late: late.signal }
    return refusalOf(transportTo(url, { stopping, timeoutMs: 500 }), sending)
  }

  test('is that of what only reads, once it is asked to stop', async () => {
    expect(await stopAt('signal', KPIS)).toMatchObject({ name: 'Aborted' })
  })

  test('is not that of what changes something, as nobody would know whether it was done', async () => {
    const told = { code: 'unavailable', message: expect.stringMatching(/did not answer in time$/) as string }
    expect(await stopAt('signal', POST)).toMatchObject(told)
  })

  test('is that of anything a while after the deadline; it may have been done', async () => {
    const message = expect.stringMatching(/had not answered when the time was over$/) as string
    expect(await stopAt('late', POST)).toMatchObject({ code: 'unavailable', message, mayBeDone: true })
    expect(await stopAt('late', KPIS)).toMatchObject({ name: 'Aborted' })
  })

  test('does not keep the connection', async () => {
    const closed = Promise.withResolvers<string>()
    const { url } = await foreignService((response) => {
      response.on('close', () => closed.resolve('closed'))
      forEver(response.writeHead(200), ' '.repeat(1 << 20))
    })
    await refusalOf(transportTo(url))
    expect(await closed.promise).toBe('closed')
  })
})
