import { describe, expect, test } from 'vitest'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { databases } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { bodyOf, isWell, serve, statusOf } from '../support/listening.ts'
import { bearer, tellV1, toldBy } from '../support/newer.ts'
import { type Service, startService } from '../support/service.ts'
import { dial, sendThenRead } from '../support/socket.ts'

const HOST = 'Host: localhost'
const LAST = 'Connection: close'
const TYPE = 'Content-Type: application/json'
const MEBIBYTE = 1024 * 1024

/** The start of a request with the key of a service. */
const head = ({ key }: Pick<Service, 'key'>, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, `Authorization: ${bearer(key)}`, ...headers, '', ''].join('\r\n')

const problem = (status: number, code: string, detail: string, instance: string): object => ({
  type: `urn:problem-type:kpi:${code}`,
  title: expect.any(String) as string,
  status,
  detail: expect.stringContaining(detail) as string,
  instance,
})

describe('a refusal by the server itself, below /v1, is a problem', () => {
  test.each<[what: string, text: (service: Service) => string, expected: object]>([
    [
      'an address of 9,000 bytes',
      (service) => head(service, `GET /v1/kpis?x=${'x'.repeat(9000)}`, HOST, LAST),
      problem(414, 'too_long', 'over 8192 bytes', '/v1/kpis'),
    ],
    [
      'no Host',
      (service) => head(service, 'GET /v1/kpis', LAST),
      problem(400, 'malformed', 'the header Host is missing', '/v1/kpis'),
    ],
    [
      'a Host that is none, and an escaped prefix',
      (service) => head(service, 'GET /%56%31/kpis', LAST, 'Host: a/b'),
      problem(400, 'malformed', 'the header Host is not', '/V1/kpis'),
    ],
  ])('%s', async (_, text, expected) => {
    await using serving = await serve()
    const { server, service } = serving
    const answer = await sendThenRead(server.url, text(service))
    expect(bodyOf(answer)).toEqual(expected)
    expect(statusOf(answer)).toBe((expected as { status: number }).status)
    expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i)
    expect(answer).toMatch(/\r\nx-request-id: \S+\r\n/i)
    expect(await isWell(server.url)).toBe(true)
  })

  const size = 11 * MEBIBYTE
  test.each<[what: string, header: string, ...parts: (string | Uint8Array)[]]>([
    ['that says so', `Content-Length: ${size}`, Buffer.alloc(size, ' ')],
    [
      'that does not say so',
      'Transfer-Encoding: chunked',
      `${size.toString(16)}\r\n`,
      Buffer.alloc(size, ' '),
      '\r\n0\r\n\r\n',
    ],
  ])('a body of 11 MiB %s', async (_, header, ...parts) => {
    await using serving = await serve()
    const { server, service } = serving
    const answer = await sendThenRead(server.url, head(service, 'POST /v1/kpis', HOST, TYPE, LAST, header), ...parts)
    expect(bodyOf(answer)).toEqual(problem(413, 'too_large', 'over 10 MiB', '/v1/kpis'))
  })

  test('a body that does not come in time', async () => {
    await using serving = await serve({ limits: { headMs: 200, requestMs: 200, checkMs: 10, lingerMs: 50 } })
    const { server, service, tells } = serving
    const answer = await sendThenRead(server.url, `${head(service, 'POST /v1/kpis', HOST, TYPE, 'Content-Length: 9')}{`)
    expect(bodyOf(answer)).toEqual(problem(408, 'too_slow', 'did not come in time', '/v1/kpis'))
    expect(await tells(1)).toMatchObject([{ status: 408, caller: { account: 'default', key: 1 } }])
  })

  test('a request whose head is completed while the service stops', async () => {
    await using serving = await serve()
    const { service, server } = serving
    const socket = await dial(server.url)
    const [line = '', ...rest] = head(service, 'GET /v1/kpis', HOST).split('\r\n')
    socket.write(`${line}\r\n`)
    // What was sent before is read before.
    expect((await fetch(`${server.url}/v1/health`, { headers: { connection: 'close' } })).status).toBe(200)
    const closed = server.close()
    socket.write(rest.join('\r\n'))
    let text = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
    await closed
    expect(text).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: [1-9]\d*\r\n/is)
    expect(bodyOf(text)).toEqual(problem(503, 'unavailable', 'the service is stopping', '/v1/kpis'))
  })

  test('not where its target could not be read: that is told as the classic interface does', async () => {
    await using serving = await serve()
    const { server, service } = serving
    const long = head(service, 'GET /v1/kpis', HOST, LAST, `X: ${'x'.repeat(70 * 1024)}`)
    const answer = await sendThenRead(server.url, long)
    expect(statusOf(answer)).toBe(431)
    expect(bodyOf(answer)).toEqual({ message: expect.stringContaining('over 16 KiB') as string })
  })
})

describe.each(databases)('a store that is not available, on %s', (_, make) => {
  test('is 503 with a time to come back, as a problem that tells nothing of the store', async () => {
    const database = await make()
    await using service = await startService(NOW, () => Promise.resolve(database))
    const db = await database.openUnavailable()
    await using _closing = { [Symbol.asyncDispose]: db.close }
    const logged: unknown[] = []
    const onError = (error: unknown): void => void logged.push(error)
    const handler = createV1Handler({ db, version: '1', now: () => NOW / 1000, requestId: () => 'R7', onError })
    const held = { ...service, handler }
    const told = await tellV1(held, { method: 'POST', path: '/kpicategories', body: { name: 'Costs' } })
    expect(told).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) as string },
    })
    expect(told.body).toEqual(
      problem(503, 'unavailable', 'the store is not available; try again later (request R7)', '/v1/kpicategories'),
    )
    expect(logged).toMatchObject([{ code: 'unavailable' }])
    const open = {
      method: 'GET',
      target: '/v1/health',
      headers: {},
      address: '',
      body: () => Promise.resolve(Buffer.alloc(0)),
    }
    expect(toldBy(await handler(open))).toMatchObject({ status: 200 })
  })
})
