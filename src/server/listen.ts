import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream/promises'
import { KpiError } from '../domain/errors.ts'
import { BODY_LIMIT } from '../domain/limits.ts'
import { type Connections, watchConnections } from './connections.ts'
import type { Face } from './wire.ts'

const MEBIBYTE = 1024 * 1024
const SETTINGS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Far more than an address may have, so that it is the interface that refuses one that is too long.
  maxHeaderSize: 65_536,
}
/** How long a server that closes waits for the rest of a request, and for an answer to be taken. */
const PATIENCE_MS = 5000

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

const bodyOf = async (request: IncomingMessage): Promise<Uint8Array> => {
  try {
    return await readBody(request)
  } catch (error) {
    if (error instanceof KpiError) throw error
    throw new KpiError('malformed', 'the connection was cut before the end of the body', { cause: error })
  }
}

const headersOf = (request: IncomingMessage): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )

/**
 * Reads what is left of a body that nobody wanted. Its sender has the answer already, and may end early; were the
 * connection closed before, a sender who sends everything first would get an error in place of the answer.
 */
const drain = async (request: IncomingMessage): Promise<void> => {
  if (request.complete) return
  request.resume()
  await finished(request, { writable: false })
}

const answer = async (
  face: Face,
  connections: Connections,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { status, headers, body } = await face({
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: headersOf(request),
    body: () => bodyOf(request),
  })
  const bytes = Buffer.from(body)
  if (!request.complete || connections.mustEndAfter(request)) response.setHeader('connection', 'close')
  response.writeHead(status, { ...headers, ...(status !== 204 && { 'content-length': bytes.length }) })
  if (request.method !== 'HEAD') response.write(bytes)
  await drain(request)
  response.end()
}

const start = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })

const stop = (server: Server, connections: Connections, patienceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const patience = setInterval(connections.dropStalled, patienceMs)
    server.close(() => {
      clearInterval(patience)
      resolve()
    })
    connections.dropIdle()
  })

const urlOf = (bound: AddressInfo | string | null): string => {
  if (bound === null || typeof bound === 'string') throw new Error('a port was expected')
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

/** Serves a face on a host and port; port 0 takes a free one. */
export const listen = async (face: Face, host: string, port: number, patienceMs = PATIENCE_MS): Promise<Listening> => {
  const server = createServer(SETTINGS)
  const connections = watchConnections(server)
  server.on('request', (request, response) => {
    // The face throws nothing; what is left is a sender who has gone away.
    answer(face, connections, request, response).catch(() => response.destroy())
  })
  await start(server, host, port)
  return { url: urlOf(server.address()), close: () => stop(server, connections, patienceMs) }
}
