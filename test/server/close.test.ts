import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { listen } from '../../src/server/listen.ts'
import { startService } from '../support/service.ts'
import { dial, head } from '../support/socket.ts'

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
  const server = await listen(service.face, '127.0.0.1', 0)
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
