import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { describe, expect, test } from 'vitest'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { basic, KPI, read } from '../support/classic.ts'
import { type Service, startService } from '../support/service.ts'
import { dial, head, sendThenRead } from '../support/socket.ts'

type Serving = { readonly service: Service; readonly server: Listener } & AsyncDisposable

const serve = async (wrap: (handler: Handler) => Handler = (handler) => handler): Promise<Serving> => {
  const service = await startService()
  const server = await listen(wrap(service.handler), '127.0.0.1', 0)
  return {
    service,
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

const MEBIBYTE = 1024 * 1024
const LIMIT = 10 * MEBIBYTE
const JSON_TYPE = 'Content-Type: application/json'
const LAST = 'Connection: close'

/** A KPI in JSON with blanks after it. */
const kpiOf = (bytes: number): Buffer => Buffer.from(JSON.stringify(KPI).padEnd(bytes, ' '))

const withLength = (service: Service, body: Buffer): (string | Uint8Array)[] => [
  head(service, 'POST /api/kpis', JSON_TYPE, LAST, `Content-Length: ${body.length}`),
  body,
]

const inChunks = (service: Service, body: Buffer): (string | Uint8Array)[] => {
  const chunks = Array.from({ length: Math.ceil(body.length / MEBIBYTE) }, (_, at) =>
    body.subarray(at * MEBIBYTE, (at + 1) * MEBIBYTE),
  )
  return [
    head(service, 'POST /api/kpis', JSON_TYPE, LAST, 'Transfer-Encoding: chunked'),
    ...chunks.flatMap((chunk) => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']),
    '0\r\n\r\n',
  ]
}

const statusOf = (answer: string): string => answer.split(' ')[1] ?? ''

describe.each([
  ['a length', withLength],
  ['chunks', inChunks],
])('a body with %s', (_, request) => {
  test('is taken up to 10 MiB', async () => {
    await using serving = await serve()
    const { service, server } = serving
    expect(statusOf(await sendThenRead(server.url, ...request(service, kpiOf(LIMIT))))).toBe('201')
  })

  test.each([
    ['one byte over 10 MiB', LIMIT + 1],
    ['40 MiB', 4 * LIMIT],
  ])('of %s is 413, which also a client that sends all before it reads gets to know', async (_size, bytes) => {
    await using serving = await serve()
    const { service, server } = serving
    const answer = await sendThenRead(server.url, ...request(service, kpiOf(bytes)))
    expect(statusOf(answer)).toBe('413')
    expect(answer).toMatch(/x-request-id: /i)
    expect(answer).toContain('{"message":"the body is over 10 MiB"}')
    expect(statusOf(await sendThenRead(server.url, ...request(service, kpiOf(200))))).toBe('201')
    expect(await read(service, '/kpis')).toHaveLength(1)
  })

  test('that is refused unread is answered all the same', async () => {
    await using serving = await serve()
    const { service, server } = serving
    const answer = await sendThenRead(server.url, ...request({ ...service, token: 'wrong' }, kpiOf(LIMIT)))
    expect(statusOf(answer)).toBe('401')
  })
})

test('a body whose length is over 10 MiB is refused before it is sent', async () => {
  await using serving = await serve()
  const { service, server } = serving
  const socket = await dial(server.url)
  socket.write(head(service, 'POST /api/kpis', JSON_TYPE, `Content-Length: ${LIMIT + 1}`))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(statusOf(answer.toString())).toBe('413')
  socket.destroy()
})

describe('a connection', () => {
  test('answers HEAD as GET without a body, and goes on', async () => {
    await using serving = await serve()
    const { service, server } = serving
    const asked = ['HEAD /api/kpifrequencies/D', 'HEAD /api/kpis/9', 'GET /api/kpifrequencies/D']
    const answer = await sendThenRead(
      server.url,
      ...asked.map((line, at) => head(service, line, ...(at === 2 ? [LAST] : []))),
    )
    const lengths = [...answer.matchAll(/content-length: (\d+)/gi)].map(([, length]) => Number(length))
    const body = '{"id":"D","name":"Daily"}'
    expect(answer.split(/HTTP\/1\.1 /).map((one) => one.slice(0, 3))).toEqual(['', '200', '404', '200'])
    expect(lengths).toEqual([body.length, '{"message":"there is no KPI 9"}'.length, body.length])
    expect(answer.match(/\r\n\r\n[^H]*/g)).toEqual(['\r\n\r\n', '\r\n\r\n', `\r\n\r\n${body}`])
  })

  test('gets an answer without content that does not speak of its length', async () => {
    await using serving = await serve()
    const answer = await sendThenRead(serving.server.url, head(serving.service, 'OPTIONS /api/kpis', LAST))
    expect(statusOf(answer)).toBe('204')
    expect(answer).not.toMatch(/content-length|transfer-encoding/i)
  })

  test.each([9000, 20_000])('that asks for an address of %i bytes is told that it is too long', async (length) => {
    await using serving = await serve()
    const line = `GET /api/kpis?x=${'x'.repeat(length)}`
    const answer = await sendThenRead(serving.server.url, head(serving.service, line, LAST))
    expect(statusOf(answer)).toBe('414')
    expect(answer).toMatch(/x-request-id: /i)
  })

  test('is kept for the next request, also after refusals', async () => {
    await using serving = await serve()
    const { url } = serving.server
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const reused: boolean[] = []
    for (const path of ['/api/health', '/api/kpis', '/api/nowhere', '/nowhere', '/api/health']) {
      const request = get(url + path, { agent })
      const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
      response.resume()
      await once(response, 'end')
      reused.push(request.reusedSocket)
    }
    agent.destroy()
    expect(reused).toEqual([false, true, true, true, true])
  })

  test('may bring a body piece by piece, cut anywhere', async () => {
    await using serving = await serve()
    const { service, server } = serving
    const body = Buffer.from(JSON.stringify({ ...KPI, name: 'Umsätze €' }))
    const start = head(service, 'POST /api/kpis', JSON_TYPE, LAST, `Content-Length: ${body.length}`)
    const pieces = Array.from(Buffer.concat([Buffer.from(start), body]), (byte) => Uint8Array.of(byte))
    expect(statusOf(await sendThenRead(server.url, ...pieces))).toBe('201')
    expect(await read(service, '/kpis/1')).toMatchObject({ name: 'Umsätze €' })
  })

  test('that is cut in mid-body harms nothing, and is no fault of the service', async () => {
    const given = Promise.withResolvers<void>()
    await using serving = await serve((handler) => async (request) => {
      const response = await handler(request)
      given.resolve()
      return response
    })
    const { service, server } = serving
    const socket = await dial(server.url)
    socket.write(head(service, 'POST /api/kpis', JSON_TYPE, 'Content-Length: 1000') + JSON.stringify(KPI))
    socket.end()
    await given.promise
    expect(service.logged).toEqual([])
    expect(await read(service, '/kpis')).toEqual([])
  })

  test('that speaks no HTTP is closed, and the others go on', async () => {
    await using serving = await serve()
    const { service, server } = serving
    expect(statusOf(await sendThenRead(server.url, '\u0016\u0003\u0001 hello\r\n\r\n'))).toBe('400')
    expect(statusOf(await sendThenRead(server.url, head(service, 'GET /api/kpis', LAST)))).toBe('200')
  })
})

test('many requests at once are each done once', async () => {
  await using serving = await serve()
  const { service, server } = serving
  const headers = { authorization: basic(service.login, service.token), 'content-type': 'application/json' }
  const answers = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const answer = await fetch(`${server.url}/api/kpis`, { method: 'POST', headers, body: JSON.stringify(KPI) })
      return answer.headers.get('location')
    }),
  )
  expect(new Set(answers)).toEqual(new Set(Array.from({ length: 40 }, (_, at) => `/api/kpis/${at + 1}`)))
})

test('a port that is taken is refused', async () => {
  await using serving = await serve()
  const { port } = new URL(serving.server.url)
  await expect(listen(serving.service.handler, '127.0.0.1', Number(port))).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
