import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { KpiError } from '../domain/errors.ts'
import type { Face } from './wire.ts'

const MEBIBYTE = 1024 * 1024
const BODY_LIMIT = 10 * MEBIBYTE
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000 }

/** A service that listens. */
export type Listening = {
  readonly url: string
  /** Takes no more requests, finishes those that it has, and stops. */
  readonly close: () => Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<Uint8Array> => {
  const tooLarge = new KpiError('too_large', `the body is over ${BODY_LIMIT / MEBIBYTE} MiB`)
  if (Number(request.headers['content-length']) > BODY_LIMIT) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT) throw tooLarge
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const headersOf = (request: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )

const answer = async (face: Face, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { status, headers, body } = await face({
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: headersOf(request),
    body: () => readBody(request),
  })
  const bytes = Buffer.from(body)
  // A body that nobody wanted is read to its end and dropped, so that the sender gets to read the answer.
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(status, { ...headers, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
  request.resume()
}

const start = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve()
    })
    server.closeIdleConnections()
  })

const urlOf = (bound: AddressInfo | string | null): string => {
  if (bound === null || typeof bound === 'string') throw new Error('a port was expected')
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

/** Serves a face on a host and port; port 0 takes a free one. */
export const listen = async (face: Face, host: string, port: number): Promise<Listening> => {
  const server = createServer(TIMEOUTS, (request, response) => {
    // The face throws nothing; what is left is a sender who has gone away.
    answer(face, request, response).catch(() => response.destroy())
  })
  await start(server, host, port)
  return { url: urlOf(server.address()), close: () => stop(server) }
}
