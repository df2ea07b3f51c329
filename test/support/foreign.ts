import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request that reached it. */
export type Reached = {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** A service of somebody else: a server on this machine that answers as a test says, gone with the test. */
export type Foreign = { readonly url: string; readonly reached: readonly Reached[] }

export const foreignService = async (
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<Foreign> => {
  const reached: Reached[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    reached.push({ method, target: url, headers, body: await text(request) })
    answer(response, request)
  }
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reached }
}
