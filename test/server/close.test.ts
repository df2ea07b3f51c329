import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { read } from '../support/classic.ts'
import { startService } from '../support/service.ts'
import { dial, head, sendThenRead } from '../support/socket.ts'

const PATIENCE = { timeout: 8000 }

const ask = async (url: string, agent: Agent): Promise<IncomingMessage> => {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response
}

test('a server that closes finishes the requests that it has, and takes no more', PATIENCE, async () => {
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let taken = 0
  const server = await listen(
    async () => {
      taken += 1
      started.resolve()
      await released.promise
      return { status: 200, headers: {}, body: 'done' }
    },
    '127.0.0.1',
    0,
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const first = ask(server.url, agent)
  await started.promise
  const closed = server.close()
  released.resolve()
  expect(await first).toMatchObject({ statusCode: 200, headers: { connection: 'close' } })
  await expect(ask(server.url, agent)).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) as string })
  await closed
  agent.destroy()
  expect(taken).toBe(1)
})

test.each([
  ['that has said nothing', ''],
  ['that has sent half a request', 'GET /api/health HTTP/1.1\r\nHost: loc'],
])('a connection %s does not keep a server from closing', PATIENCE, async (_, text) => {
  await using service = await startService()
  const server = await listen(service.handler, '127.0.0.1', 0, { limits: { patienceMs: 10 } })
  const socket = await dial(server.url)
  socket.write(text)
  // An answer on another connection shows that the server has seen the first one.
  const other = await dial(server.url)
  other.write(head(service, 'GET /api/health', 'Connection: close'))
  other.resume()
  socket.resume()
  await once(other, 'end')
  const gone = once(socket, 'close')
  await server.close()
  await gone
  expect(socket.destroyed).toBe(true)
})

const FOREVER = { limits: { patienceMs: 3_600_000 } }

test('half a head may be finished while a server closes, and is told to come again', PATIENCE, async () => {
  await using service = await startService()
  const server = await listen(service.handler, '127.0.0.1', 0, FOREVER)
  const [first, rest] = ['GET /api/health HTTP/1.1\r\nHo', 'st: localhost\r\n\r\n']
  const socket = await dial(server.url)
  // It is an old connection: a request has been answered on it before.
  socket.write(`${first}${rest}`)
  await once(socket, 'data')
  socket.write(first)
  await sendThenRead(server.url, head(service, 'GET /api/health', 'Connection: close'))
  const [closed, gone] = [server.close(), once(socket, 'close')]
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString()))
  socket.write(rest)
  await Promise.all([closed, gone])
  expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*^retry-after: 5\r$/im)
  expect(answer).toMatch(/^connection: close\r$/im)
})

test.each([
  ['that has said nothing', ''],
  ['that waits between two requests', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
])('a connection %s is ended as soon as a server closes', PATIENCE, async (_, text) => {
  await using service = await startService()
  const server = await listen(service.handler, '127.0.0.1', 0, FOREVER)
  const socket = await dial(server.url)
  socket.resume()
  socket.write(text)
  if (text !== '') await once(socket, 'data')
  await sendThenRead(server.url, head(service, 'GET /api/health', 'Connection: close'))
  const gone = once(socket, 'close')
  await server.close()
  await gone
  expect(socket.destroyed).toBe(true)
})

test(
  'a request of which only a part comes does not keep a server from closing, and is no fault of it',
  PATIENCE,
  async () => {
    await using service = await startService()
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()]
    const server = await listen(
      async (request) => {
        asked.resolve()
        const response = await service.handler(request)
        answered.resolve(response.status)
        return response
      },
      '127.0.0.1',
      0,
      { limits: { patienceMs: 10 } },
    )
    const socket = await dial(server.url)
    socket.resume()
    socket.write(`${head(service, 'POST /api/kpis', 'Content-Length: 1000')}{"name":`)
    await asked.promise
    const gone = once(socket, 'close')
    await server.close()
    await gone
    expect(service.logged).toEqual([])
    expect(await read(service, '/kpis')).toEqual([])
  },
)

test('an answer that nobody takes does not keep a server from closing', PATIENCE, async () => {
  await using service = await startService()
  const body = 'x'.repeat(64 * 1024 * 1024)
  const server = await listen(() => Promise.resolve({ status: 200, headers: {}, body }), '127.0.0.1', 0, {
    limits: { patienceMs: 10 },
  })
  const socket = await dial(server.url)
  socket.write(head(service, 'GET /api/kpis'))
  await once(socket, 'readable')
  const gone = once(socket, 'close')
  await server.close()
  socket.resume()
  await gone
  expect(socket.bytesRead).toBeLessThan(body.length)
})

test('requests that came behind each other on one connection are all answered before it ends', PATIENCE, async () => {
  await using service = await startService()
  const [first, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const server = await listen(
    async () => {
      first.resolve()
      await released.promise
      return { status: 200, headers: {}, body: 'done' }
    },
    '127.0.0.1',
    0,
  )
  const answers = sendThenRead(server.url, head(service, 'GET /api/kpis').repeat(3))
  await first.promise
  const closed = server.close()
  released.resolve()
  expect((await answers).match(/200 OK/g)).toHaveLength(3)
  await closed
})
