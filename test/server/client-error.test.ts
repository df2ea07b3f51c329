import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { KPI, read } from '../support/classic.ts'
import { bodyOf, isWell, serve, statusesOf, statusOf } from '../support/listening.ts'
import { dial, head, sendThenRead } from '../support/socket.ts'

const HOST = 'Host: localhost'
const LAST = 'Connection: close'
const http = (line: string, ...headers: string[]): string => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n')

/** A request that wishes its connection to end with its answer. */
const asLast = (text: string): string => text.replace(/^([^\r]+ HTTP\/1\.1\r\n)/, `$1${LAST}\r\n`)

describe('a request that cannot be read', () => {
  test.each([
    ['that is no HTTP', 'hello\r\n\r\n', 400, 'this is no HTTP request that can be read'],
    ['that is an encrypted greeting', '\u0016\u0003\u0001\u0002hello\r\n\r\n', 400, 'this is no HTTP request'],
    ['of an unknown version', `GET /api/health HTTP/9.9\r\n${HOST}\r\n\r\n`, 400, 'this is no HTTP request'],
    ['with a header without a name', http('GET /api/health', HOST, ': x'), 400, 'this is no HTTP request'],
    ['with a NUL in a header', http('GET /api/health', HOST, 'X: a\0b'), 400, 'this is no HTTP request'],
    ['with a blank in its target', http('GET /api/he alth', HOST), 400, 'this is no HTTP request'],
    ['without Host', http('GET /api/health'), 400, 'the header Host is missing'],
    ['with two Hosts', http('GET /api/health', HOST, 'host: other'), 400, 'the header Host was sent more than once'],
    ['with an empty Host', http('GET /api/health', 'Host:'), 400, 'the header Host is not a host name'],
    ['with a path for Host', http('GET /api/health', 'Host: a/b'), 400, 'the header Host is not a host name'],
    ['with two lengths', http('POST /api/kpis', HOST, 'Content-Length: 2', 'Content-Length: 3'), 400, 'no HTTP'],
    ['with a length that is none', http('POST /api/kpis', HOST, 'Content-Length: ten'), 400, 'no HTTP'],
    [
      'with a length and chunks',
      `${http('POST /api/kpis', HOST, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      400,
      'no HTTP',
    ],
    ['with a target of 100,000 bytes', http(`GET /api/${'x'.repeat(100_000)}`, HOST), 414, 'the address is over'],
    ['with a head of 17 KiB', http('GET /api/health', HOST, `X: ${'x'.repeat(17 * 1024)}`), 431, 'over 16 KiB'],
    ['with a head of 4 MiB', http('GET /api/health', HOST, `X: ${'x'.repeat(2 ** 22)}`), 431, 'over 16 KiB'],
    ['with 5,000 headers', http('GET /api/health', HOST, ...Array<string>(5000).fill('X-Y: 123456789')), 431, 'KiB'],
    ['for a tunnel', http('CONNECT example.com:443', HOST), 405, 'CONNECT is not possible here'],
  ])('%s is answered in JSON, told of, and the next one works', async (_, text, status, message) => {
    await using serving = await serve()
    const { server, tells } = serving
    const answer = await sendThenRead(server.url, asLast(text))
    expect(statusOf(answer)).toBe(status)
    expect(answer).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i)
    expect(bodyOf(answer)).toEqual({ message: expect.stringContaining(message) as string })
    expect(await tells(1)).toMatchObject([{ status, requestId: 'plain-1', address: '127.0.0.1' }])
    expect(answer).toMatch(/\r\nx-request-id: plain-1\r\n/i)
    expect(await isWell(server.url)).toBe(true)
  })

  test('is refused in XML where it speaks XML', async () => {
    await using serving = await serve()
    const xml = http('GET /api/health', LAST, 'Content-Type: application/xml')
    const answer = await sendThenRead(serving.server.url, xml)
    expect(statusOf(answer)).toBe(400)
    expect(answer).toMatch(/<message>the header Host is missing<\/message>/)
  })

  test('comes after those before it on the same connection have been answered', async () => {
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using serving = await serve({
      wrap: (handler) => async (request) => {
        asked.resolve()
        await released.promise
        return handler(request)
      },
    })
    const { service, server } = serving
    const answers = sendThenRead(server.url, head(service, 'GET /api/kpifrequencies/D'), 'nonsense\r\n\r\n')
    await asked.promise
    released.resolve()
    expect(statusesOf(await answers)).toEqual([200, 400])
  })

  test.each([
    ['chunks that are none', 'Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n', [400]],
    ['fewer bytes than it says, and the end', 'Content-Length: 5000', JSON.stringify(KPI), [400]],
    ['more bytes than it says', 'Content-Length: 5', JSON.stringify(KPI), [400, 400]],
  ])('because its body has %s is refused, and nothing is stored', async (_, header, body, statuses) => {
    await using serving = await serve()
    const { service, server, tells } = serving
    const socket = await dial(server.url)
    socket.end(head(service, 'POST /api/kpis', header) + body)
    let text = ''
    for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
    expect(statusesOf(text).slice(0, statuses.length)).toEqual(text === '' ? [] : statuses)
    expect(await tells(statuses.length)).toMatchObject(statuses.map((status) => ({ status })))
    expect(service.logged).toEqual([])
    expect(await read(service, '/kpis')).toEqual([])
    expect(await isWell(server.url)).toBe(true)
  })
})

describe('a target', () => {
  test.each([
    ['as a whole URL', 'http://localhost:1/api/kpifrequencies/D', 200],
    ['as a whole URL in capitals', 'HTTP://LOCALHOST/api/kpifrequencies/D?x=1', 200],
    ['as a whole URL without a path', 'http://localhost', 404],
    ['with escaped letters', '/api/%6bpi%46requencies/%44', 200],
    ['with an escaped slash, which is none', '/api/kpifrequencies%2FD', 404],
    ['with an escape that is none', '/api/%zzkpifrequencies/D', 404],
    ['with an escape that is cut', '/api/kpifrequencies/D%4', 404],
    ['that leads upward', '/api/kpis/../kpifrequencies/D', 404],
    ['that leads upward in escapes', '/api/kpis/%2e%2e/kpifrequencies/D', 404],
    ['with bytes that are no UTF-8', '/api/kpifrequencies/%ff', 404],
    ['with escapes in a name of the query', '/api/kpientries?%72ows=0', 400],
  ])('%s is read as it is meant', async (_, target, status) => {
    await using serving = await serve()
    const { service, server } = serving
    const answer = await sendThenRead(server.url, head(service, `GET ${target}`, LAST))
    expect(statusOf(answer)).toBe(status)
    expect(Object.keys(bodyOf(answer) as object)).toEqual(status === 200 ? ['id', 'name'] : ['message'])
  })

  test('that is a whole URL names the host, whatever Host says', async () => {
    const hosts: (string | undefined)[] = []
    await using serving = await serve({
      wrap: (handler) => (request) => {
        hosts.push(request.headers['host'])
        return handler(request)
      },
    })
    const { service, server } = serving
    await sendThenRead(server.url, head(service, 'GET http://acme.example.com:8321/api/kpis', LAST))
    expect(hosts).toEqual(['acme.example.com:8321'])
  })

  test('needs no Host in HTTP/1.0', async () => {
    await using serving = await serve()
    expect(statusOf(await sendThenRead(serving.server.url, 'GET /api/health HTTP/1.0\r\n\r\n'))).toBe(200)
  })
})

describe('a client that asks before it sends a body', () => {
  const EXPECT = ['Expect: 100-continue', 'Content-Type: application/json', LAST]

  test('is told to go on when the body is wanted', async () => {
    await using serving = await serve()
    const { service, server } = serving
    const body = JSON.stringify(KPI)
    const socket = await dial(server.url)
    socket.write(head(service, 'POST /api/kpis', ...EXPECT, `Content-Length: ${body.length}`))
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    const [second] = (await once(socket, 'data')) as [Buffer]
    expect(statusOf(second.toString())).toBe(201)
  })

  test.each([
    ['with wrong credentials', 'wrong', 100, 401],
    ['with a body that is too large', undefined, 11 * 1024 * 1024, 413],
  ])('%s is refused before', async (_, token, length, status) => {
    await using serving = await serve()
    const { service, server } = serving
    const socket = await dial(server.url)
    const sender = { ...service, ...(token !== undefined && { token }) }
    socket.write(head(sender, 'POST /api/kpis', ...EXPECT, `Content-Length: ${length}`))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(statusOf(answer.toString())).toBe(status)
    // A service waits for what it was promised before it closes.
    socket.destroy()
  })
})

describe('the address of a sender', () => {
  test.each([
    ['is the other end of the connection', false, 'X-Forwarded-For: 203.0.113.9', '127.0.0.1'],
    ['is the last that the proxy in front tells', true, 'X-Forwarded-For: 1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['may be of several headers', true, 'X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 203.0.113.9', '203.0.113.9'],
    ['may have a port', true, 'X-Forwarded-For: 203.0.113.9:5678', '203.0.113.9'],
    ['may be of the newer kind', true, 'X-Forwarded-For: 2001:db8::7', '2001:db8::7'],
    ['may be of the newer kind, with a port', true, 'X-Forwarded-For: [2001:db8::7]:5678', '2001:db8::7'],
    ['is the old one within the new', true, 'X-Forwarded-For: ::ffff:203.0.113.9', '203.0.113.9'],
    ['is that of the proxy where it tells nothing', true, 'X-Other: 1', '127.0.0.1'],
    ['is that of the proxy where it tells nonsense', true, 'X-Forwarded-For: unknown', '127.0.0.1'],
  ])('%s', async (_, behindProxy, header, address) => {
    const seen: string[] = []
    await using serving = await serve({
      behindProxy,
      wrap: (handler) => (request) => {
        seen.push(request.address)
        return handler(request)
      },
    })
    const { service, server, tells } = serving
    await sendThenRead(server.url, head(service, 'GET /api/kpis', header, LAST))
    expect(seen).toEqual([address])
    expect(await tells(1)).toMatchObject([{ address }])
  })
})

test('a request whose head is completed while the service stops is put off', async () => {
  await using serving = await serve()
  const { service, server, tells } = serving
  const socket = await dial(server.url)
  const [line = '', ...rest] = head(service, 'GET /api/kpis').split('\r\n')
  socket.write(`${line}\r\n`)
  // What was sent before is read before.
  expect((await fetch(`${server.url}/api/health`, { headers: { connection: 'close' } })).status).toBe(200)
  const closed = server.close()
  socket.write(rest.join('\r\n'))
  let text = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
  await closed
  expect(statusesOf(text)).toEqual([503])
  expect(text).toMatch(/\r\nretry-after: [1-9]\d*\r\n/i)
  expect(await tells(2)).toMatchObject([{ status: 200 }, { status: 503, isPutOff: true }])
})

test('a request behind one that is answered while the service stops is not read', async () => {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using serving = await serve({
    wrap: (handler) => async (request) => {
      asked.resolve()
      await released.promise
      return handler(request)
    },
  })
  const { service, server } = serving
  const socket = await dial(server.url)
  socket.write(head(service, 'GET /api/kpis'))
  await asked.promise
  const closed = server.close()
  socket.write(head(service, 'GET /api/kpis'))
  released.resolve()
  let text = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
  await closed
  expect(statusesOf(text)).toEqual([200])
  expect(text).toMatch(/\r\nconnection: close\r\n/i)
})
