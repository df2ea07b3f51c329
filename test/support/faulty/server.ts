import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { TextRequest } from '../../../src/client/http/network-exchange.ts'
import type { FaultyService } from './service.ts'

/** A faulty service on a port of this machine. */
export type FaultyServer = { readonly url: string } & AsyncDisposable

const requestOf = async (request: IncomingMessage): Promise<TextRequest> => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const body = await text(request)
  return {
    method: request.method as TextRequest['method'],
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers as Readonly<Record<string, string>>,
    body: body === '' ? null : body,
  }
}

/** Serves on the loopback address; connections are really cut, in the middle of a body as well. */
export const listenFaulty = async ({ serve }: Pick<FaultyService, 'serve'>): Promise<FaultyServer> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { afterMs, end } = serve(await requestOf(request), Date.now())
    await setTimeout(afterMs)
    if ('error' in end) {
      response.destroy()
      return
    }
    const { status, headers, body } = 'cut' in end ? end.cut : end.answer
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    if ('answer' in end) response.end(body)
    else response.write(body.slice(0, body.length / 2), () => response.destroy())
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
