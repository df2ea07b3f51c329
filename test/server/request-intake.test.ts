import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { makePair, type Pair } from '../support/certificates.ts'

let pair: Pair
beforeAll(async () => {
  pair = await makePair()
})

const hashOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** Answers what it was asked: its address, and the hash of its body. */
const echo: Handler = async ({ target, body }) => {
  const hash = hashOf(await body())
  return { status: 200, headers: {}, body: `<${target} ${hash}>` }
}

const serveOn = async (handler: Handler, isTls: boolean) => {
  const clock = (): number => performance.now()
  const server = await listen(handler, '127.0.0.1', 0, { clock, ...(isTls && { tls: pair }) })
  onTestFinished(() => server.close())
  const port = Number(new URL(server.url).port)
  const dial = async (): Promise<Socket> => {
    const socket = isTls
      ? connectTls({ port, host: '127.0.0.1', ca: pair.cert, checkServerIdentity: () => undefined })
      : connectPlain(port, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, isTls ? 'secureConnect' : 'connect')
    return socket
  }
  return { dial, connections: server.connections }
}

type Sent = { readonly target: string; readonly body: string; readonly isChunked: boolean }

const CLOSE = 'Connection: close\r\n'

const wireOf = ({ target, body, isChunked }: Sent, isLast: boolean): string => {
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${Buffer.byteLength(body)}`
  const chunks = Array.from(body, (letter) => `1\r\n${letter}\r\n`)
  const framed = isChunked ? `${chunks.join('')}0\r\n\r\n` : body
  return `POST ${target} HTTP/1.1\r\nHost: a\r\n${length}\r\n${isLast ? CLOSE : ''}\r\n${framed}`
}

const many = (count: number, body: (at: number) => string, isChunked = false): Sent[] =>
  Array.from({ length: count }, (_, at) => ({ target: `/${at}`, body: body(at), isChunked }))

const LINES = Array.from({ length: 40_000 }, (_, at) => `"line ${at}",`).join('\n')

describe.each([
  ['a plain connection', false],
  ['an encrypted one', true],
])('what comes over %s', (_, isTls) => {
  test.each([
    ['thousands of requests without bodies', many(3000, () => '')],
    ['requests with bodies', many(200, (at) => 'x'.repeat(at * 7))],
    ['bodies of many lines', many(10, (at) => LINES.slice(at))],
    ['a body in chunks of a byte', many(3, (at) => 'y'.repeat(20_000 + at), true)],
    ['all of that', [...many(500, () => ''), ...many(2, () => LINES), ...many(300, (at) => `${at}`, true)]],
  ])('is answered whole and in its order: %s', async (_what, sent) => {
    const { dial } = await serveOn(echo, isTls)
    const socket = await dial()
    const answered = text(socket)
    for (const [at, one] of sent.entries()) socket.write(wireOf(one, at === sent.length - 1))
    const expected = sent.map(({ target, body }) => `<${target} ${hashOf(Buffer.from(body))}>`)
    expect((await answered).match(/<.*?>/g)).toEqual(expected)
  })

  test('is not read on while its answers are not taken', async () => {
    let begun = 0
    const large = 'x'.repeat(1_000_000)
    const { dial } = await serveOn(({ target }) => {
      if (target === '/large') begun += 1
      return Promise.resolve({ status: 200, headers: {}, body: target === '/large' ? large : '' })
    }, isTls)
    const socket = await dial()
    socket.pause()
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200_000))
    // As long as others take for hundreds of requests of theirs.
    for (let at = 0; at < 200; at += 1) {
      const other = await dial()
      other.write(wireOf({ target: '/small', body: '', isChunked: false }, true))
      expect(await text(other)).toContain('200 OK')
    }
    expect(begun).toBeLessThan(100)
    // What was not read lies with the sender.
    expect(socket.writableLength).toBeGreaterThan(0)
  })

  test('is read to its end though nobody wants it, before a large answer is taken', async () => {
    const large = 'x'.repeat(20_000_000)
    const { dial } = await serveOn(() => Promise.resolve({ status: 200, headers: {}, body: large }), isTls)
    const socket = await dial()
    socket.pause()
    const body = LINES.repeat(12)
    const sent = new Promise((resolve) => socket.write(wireOf({ target: '/', body, isChunked: false }, true), resolve))
    await sent
    expect(await text(socket)).toContain('x'.repeat(1000))
  })

  test('shows that its sender has gone while a request is being answered', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const { dial, connections } = await serveOn(async ({ body }) => {
      await body()
      begun.resolve()
      await end.promise
      return { status: 200, headers: {}, body: '' }
    }, isTls)
    onTestFinished(() => end.resolve())
    const socket = await dial()
    socket.write(wireOf({ target: '/', body: LINES, isChunked: false }, false))
    await begun.promise
    socket.destroy()
    await expect.poll(() => [connections.running(), connections.open()]).toEqual([0, 0])
  })

  test('is forgotten when the connection ends, and others go on', async () => {
    const { dial } = await serveOn(echo, isTls)
    const leaving = await dial()
    leaving.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000))
    await once(leaving, 'data')
    leaving.destroy()
    const socket = await dial()
    const answered = text(socket)
    socket.write(wireOf({ target: '/last', body: 'a', isChunked: false }, true))
    expect(await answered).toContain('</last ')
  })
})
