import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { makePair, type Pair } from '../support/certificates.ts'

let pair: Pair
beforeAll(async () => {
  pair = await makePair()
})

const CROWD = 200
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** Serves HTTPS; a connection may take so long to send a request, which on a busy machine is not to end the others. */
const serveEncrypted = async (headMs = 60_000) => {
  const handler = () => Promise.resolve({ status: 200, headers: {}, body: 'here' })
  const server = await listen(handler, '127.0.0.1', 0, { tls: pair, limits: { headMs } })
  onTestFinished(server.close)
  const port = Number(new URL(server.url).port)
  const dial = (): Socket => {
    const socket = connectPlain(port, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const dialCrowd = async (): Promise<Socket[]> => {
    const sockets = Array.from({ length: CROWD }, dial)
    while (server.connections.open() < CROWD) await nextTurn()
    return sockets
  }
  const ask = (): Promise<string> => {
    const socket = connectTls({ socket: dial(), ca: pair.cert, checkServerIdentity: () => undefined })
    socket.on('error', () => undefined)
    socket.write(REQUEST)
    return text(socket)
  }
  return { ask, dialCrowd, close: server.close }
}

const closedOf = (sockets: readonly Socket[]): Promise<unknown[]> =>
  Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))

/** Returns the first words of a client of TLS. */
const clientHello = (): Promise<Buffer> =>
  new Promise((resolve) => {
    const socket = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) })
    connectTls({ socket }).on('error', () => undefined)
  })

test('all who come at one moment are answered', async () => {
  const { ask } = await serveEncrypted()
  const answers = await Promise.all(Array.from({ length: CROWD }, ask))
  expect(answers.filter((answer) => answer.endsWith('here'))).toHaveLength(CROWD)
})

test('others have their turn while hundreds begin to encrypt', async () => {
  const { dialCrowd } = await serveEncrypted()
  const [sockets, hello] = [await dialCrowd(), await clientHello()]
  let answered = 0
  for (const socket of sockets) {
    socket.once('data', () => (answered += 1))
    socket.write(hello)
  }
  let most = 0
  for (let before = 0; answered < CROWD; before = answered) {
    await nextTurn()
    most = Math.max(most, answered - before)
  }
  expect(most).toBeLessThan(20)
})

test('those that are silent hold up nobody, and are closed', async () => {
  const { ask, dialCrowd } = await serveEncrypted(400)
  const closed = closedOf(await dialCrowd())
  expect(await ask()).toContain('here')
  expect(await closed).toHaveLength(CROWD)
})

test('those that are silent do not keep a service from stopping', async () => {
  const { dialCrowd, close } = await serveEncrypted()
  const closed = closedOf(await dialCrowd())
  await close()
  expect(await closed).toHaveLength(CROWD)
})
