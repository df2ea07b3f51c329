import { once } from 'node:events'
import { Agent, request, type RequestOptions } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkPair } from '../../src/server/http/tls.ts'
import { makePair, type Pair } from '../support/certificates.ts'
import { serve, statusOf } from '../support/listening.ts'
import { dial, head } from '../support/socket.ts'

const NOW = Date.now()
const DAY_MS = 86_400_000

let pair: Pair
let other: Pair
beforeAll(async () => {
  pair = await makePair()
  other = await makePair('other.example.com')
})

const get = (url: string, options: RequestOptions): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/api/health`, options, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    asked.on('error', reject).end()
  })

/** An encrypted connection, gone with the test. */
const dialTls = async (url: string, { cert }: Pair): Promise<TLSSocket> => {
  const { port } = new URL(url)
  const socket = connect({ port: Number(port), host: '127.0.0.1', ca: cert, checkServerIdentity: () => undefined })
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'secureConnect')
  return socket
}

const nameOf = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN

const readAll = async (socket: TLSSocket): Promise<string> => {
  let text = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString()
  return text
}

describe('a server with a certificate', () => {
  test('answers over HTTPS those who trust it', async () => {
    await using serving = await serve({ tls: pair })
    const { server } = serving
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await get(server.url, { ca: pair.cert, agent: false })).toBe(200)
    await expect(get(server.url, { agent: false })).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })

  test.each(['TLSv1', 'TLSv1.1'] as const)('does not speak %s', async (version) => {
    await using serving = await serve({ tls: pair })
    const { server } = serving
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0', rejectUnauthorized: false }
    await expect(get(server.url, { ...old, agent: false })).rejects.toMatchObject({
      message: expect.stringContaining('alert protocol version') as string,
    })
    expect(await get(server.url, { ca: pair.cert, agent: false })).toBe(200)
  })

  test('shows another to new connections once it was renewed, and finishes what the old ones ask', async () => {
    await using serving = await serve({ tls: pair })
    const { service, server } = serving
    const before = await dialTls(server.url, pair)
    server.renew(other)
    const after = await dialTls(server.url, other)
    expect([nameOf(before), nameOf(after)]).toEqual(['localhost', 'other.example.com'])
    for (const socket of [before, after]) {
      socket.write(head(service, 'GET /api/kpis', 'Connection: close'))
      expect(statusOf(await readAll(socket))).toBe(200)
    }
  })

  test('lets go of who speaks plain HTTP, and others go on', async () => {
    await using serving = await serve({ tls: pair })
    const { service, server, exchanges } = serving
    const socket = await dial(server.url)
    socket.write(head(service, 'GET /api/kpis'))
    socket.resume()
    await once(socket, 'close')
    expect(await get(server.url, { ca: pair.cert, agent: false })).toBe(200)
    expect(exchanges.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('answers what cannot be read', async () => {
    await using serving = await serve({ tls: pair })
    const socket = await dialTls(serving.server.url, pair)
    socket.write('nonsense\r\n\r\n')
    expect(statusOf(await readAll(socket))).toBe(400)
  })
})

describe('a server with a certificate that closes', () => {
  test('finishes the request that it has', async () => {
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using serving = await serve({
      tls: pair,
      wrap: (handler) => async (request) => {
        asked.resolve()
        await released.promise
        return handler(request)
      },
    })
    const { service, server } = serving
    const socket = await dialTls(server.url, pair)
    socket.write(head(service, 'GET /api/kpis'))
    await asked.promise
    const closed = server.close()
    released.resolve()
    const answer = await readAll(socket)
    expect(statusOf(answer)).toBe(200)
    expect(answer).toMatch(/connection: close/i)
    await closed
  })

  test('does not wait for connections on which nothing is asked, be they encrypted yet or not', async () => {
    await using serving = await serve({ tls: pair })
    const { server } = serving
    const agent = new Agent({ keepAlive: true, ca: pair.cert })
    await get(server.url, { agent })
    const [bare, quiet] = [await dial(server.url), await dialTls(server.url, pair)]
    for (const socket of [bare, quiet]) socket.resume()
    await expect.poll(() => server.connections.open(), { interval: 5 }).toBe(3)
    const gone = Promise.all([once(bare, 'close'), once(quiet, 'close')])
    await server.close()
    await gone
    await expect.poll(() => server.connections.open(), { interval: 5 }).toBe(0)
    agent.destroy()
  })
})

describe('a certificate and a key', () => {
  test('of each other may be served with until the certificate ends', () => {
    const { validTo } = checkPair(pair, NOW)
    expect(Math.round((validTo - NOW) / DAY_MS)).toBe(30)
  })

  test.each([
    ['of which the key is another', () => ({ cert: pair.cert, key: other.key }), NOW, 'not that of the certificate'],
    ['of which the certificate is none', () => ({ cert: 'x', key: pair.key }), NOW, 'must be PEM'],
    ['of which the key is none', () => ({ cert: pair.cert, key: 'x' }), NOW, 'must be PEM, without a passphrase'],
    ['that were taken for each other', () => ({ cert: pair.key, key: pair.cert }), NOW, 'certificate is not one'],
    ['that are empty', () => ({ cert: '', key: '' }), NOW, 'certificate is not one that can be read'],
    ['that have expired', () => pair, NOW + 31 * DAY_MS, 'expired on 20'],
    ['that are not valid yet', () => pair, NOW - 11 * DAY_MS, 'not valid before 20'],
  ])('%s are refused', (_, made, now, message) => {
    expect(() => checkPair(made(), now)).toThrow(
      expect.objectContaining({ code: 'unusable', message: expect.stringContaining(message) as string }),
    )
  })
})

test('an encrypted connection that has said nothing is ended as soon as a server closes', async () => {
  const serving = await serve({ tls: pair, limits: { patienceMs: 3_600_000 } })
  const socket = await dialTls(serving.server.url, pair)
  socket.resume()
  expect(await get(serving.server.url, { ca: pair.cert, agent: false })).toBe(200)
  const gone = once(socket, 'close')
  await serving[Symbol.asyncDispose]()
  await gone
})

test('half a head may be finished on an encrypted connection while a server closes', async () => {
  const serving = await serve({ tls: pair, limits: { patienceMs: 3_600_000 } })
  const socket = await dialTls(serving.server.url, pair)
  socket.write('GET /api/health HTTP/1.1\r\nHo')
  expect(await get(serving.server.url, { ca: pair.cert, agent: false })).toBe(200)
  const [closed, answer] = [serving[Symbol.asyncDispose](), readAll(socket)]
  socket.write('st: localhost\r\n\r\n')
  expect(statusOf(await answer)).toBe(503)
  await closed
})
