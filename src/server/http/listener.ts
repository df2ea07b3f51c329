import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTION_LIMIT, HEAD_LIMIT } from '../../domain/limits.ts'
import { createBodyMemory } from '../queues/body-memory.ts'
import { scheduleHandshakes } from '../queues/handshakes.ts'
import { createRequestScheduler } from '../queues/request-scheduler.ts'
import type { Handler } from '../wire.ts'
import { feedConnections } from './connection-feed.ts'
import { type Connections, type OnFinished, watchConnections } from './connections.ts'
import { answerRequests } from './request-listener.ts'
import type { TlsPair } from './tls.ts'

/** Describes the timeouts and limits of a server's clients. Times are in milliseconds. */
export type ServerLimits = {
  /** Bounds the time for the head of a request. */
  readonly headMs: number
  /** Bounds the time for a whole request, its body included. */
  readonly requestMs: number
  /**
   * Bounds the time to the next request on a connection. Longer than proxies keep theirs, so that they are the ones who
   * close.
   */
  readonly idleMs: number
  /** Bounds the time in which nothing of an answer is taken. */
  readonly answerMs: number
  /** Bounds reading on after a refused request that could not be read, so that the client gets to see why. */
  readonly lingerMs: number
  /** Sets how often heads and requests are checked. */
  readonly checkMs: number
  /** Bounds the time that a closing server waits for the rest of a request, and for an answer to be taken. */
  readonly patienceMs: number
  /** Bounds the connections at a time; those beyond are closed at once. */
  readonly connections: number
}

/** Holds the limits of `kpi serve`. */
const SERVER_LIMITS: ServerLimits = {
  headMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  answerMs: 30_000,
  lingerMs: 2000,
  checkMs: 1000,
  patienceMs: 5000,
  connections: CONNECTION_LIMIT,
}

/** Describes how a handler is served. */
export type ListenOptions = {
  /** Serves HTTPS. */
  readonly tls?: TlsPair | undefined
  /** Tells whether every connection comes from a proxy that tells whose requests it forwards. */
  readonly behindProxy?: boolean
  readonly limits?: Partial<ServerLimits>
  /** Returns a new id for a request that no handler gets to see. */
  readonly requestId?: () => string
  /** Returns milliseconds on a monotonic clock. */
  readonly clock?: () => number
  readonly onExchange?: OnFinished
}

/** Describes a service that listens. */
export type Listener = {
  readonly url: string
  readonly connections: Pick<Connections, 'open' | 'running' | 'turnedAway'>
  /** Takes another certificate for the connections to come. */
  readonly renew: (tls: TlsPair) => void
  /** Takes no more requests, finishes those that it has, and stops. */
  readonly close: () => Promise<void>
}

const createServer = (tls: TlsPair | undefined, limits: ServerLimits): Server => {
  const settings = {
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: HEAD_LIMIT,
    // A request without one is refused in the words of this service.
    requireHostHeader: false,
  }
  const server = tls
    ? createTlsServer({ ...settings, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: limits.headMs })
    : createPlainServer(settings)
  server.maxConnections = limits.connections
  return server
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
    connections.dropSilent()
  })

const urlOf = (scheme: string, bound: AddressInfo | string | null): string => {
  if (bound === null || typeof bound === 'string') throw new Error('a port was expected')
  return `${scheme}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

/** Serves a face on a host and port; port 0 takes a free one. */
export const listen = async (
  handler: Handler,
  host: string,
  port: number,
  options: ListenOptions = {},
): Promise<Listener> => {
  const { tls, behindProxy = false, requestId = () => '-', clock = () => 0, onExchange = () => undefined } = options
  const limits = { ...SERVER_LIMITS, ...options.limits }
  const server = createServer(tls, limits)
  if (server instanceof TlsServer) scheduleHandshakes(server, limits.headMs)
  const connections = watchConnections(server)
  const feeding = feedConnections(server, connections, clock)
  const scheduler = createRequestScheduler(clock)
  const scheme = tls || behindProxy ? 'https' : 'http'
  const serving = {
    handler,
    server,
    connections,
    limits,
    behindProxy,
    scheme,
    requestId,
    clock,
    scheduler,
    bodies: createBodyMemory(),
    feeding,
    onExchange,
  } as const
  const settle = answerRequests(serving)
  await start(server, host, port)
  return {
    url: urlOf(tls ? 'https' : 'http', server.address()),
    connections,
    renew: (pair) => {
      if (server instanceof TlsServer) server.setSecureContext({ ...pair, minVersion: 'TLSv1.2' })
    },
    close: async () => {
      await stop(server, connections, limits.patienceMs)
      // Let requests that were cut be told of, too, but do not wait for one that never ends.
      await Promise.race([settle(), sleep(limits.patienceMs, undefined, { ref: false })])
    },
  }
}
