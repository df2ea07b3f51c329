import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTION_LIMIT, HEAD_LIMIT } from '../../domain/limits.ts'
import { createBodyMemory } from '../queues/body-memory.ts'
import { scheduleHandshakes } from '../queues/handshakes.ts'
import { createRequestScheduler } from '../queues/request-scheduler.ts'
import { createTurnStart } from '../queues/time-slices.ts'
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
   * Bounds the time to the next request on a connection. It is longer than the idle timeout of proxies, so that they
   * close first, and never send a request on a connection that the server closes.
   */
  readonly idleMs: number
  /** Bounds the time in which the client reads nothing of an answer. */
  readonly answerMs: number
  /** Bounds how long to read on after an unreadable request, so that the client receives the refusal. */
  readonly lingerMs: number
  /** Sets how often to check `headMs` and `requestMs`. */
  readonly checkMs: number
  /** Bounds how long a closing server waits for the rest of a request, or until the client reads an answer. */
  readonly patienceMs: number
  /** Bounds the open connections; the server closes further ones at once. */
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

/** Describes how to serve a handler. */
export type ListenOptions = {
  /** Serves HTTPS. */
  readonly tls?: TlsPair | undefined
  /** Tells whether every connection comes from a proxy that sends X-Forwarded-For. */
  readonly behindProxy?: boolean
  readonly limits?: Partial<ServerLimits>
  /** Returns a new id for a request that no handler sees. */
  readonly requestId?: () => string
  /** Returns milliseconds on a monotonic clock. */
  readonly clock?: () => number
  readonly onExchange?: OnFinished
}

/** Describes a running server. */
export type Listener = {
  readonly url: string
  readonly connections: Pick<Connections, 'open' | 'running' | 'turnedAway'>
  /** Uses another certificate for new connections. */
  readonly renew: (tls: TlsPair) => void
  /** Refuses new requests, finishes the running ones, and stops. */
  readonly close: () => Promise<void>
}

const createServer = (tls: TlsPair | undefined, limits: ServerLimits): Server => {
  const settings = {
    headersTimeout: limits.headMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: HEAD_LIMIT,
    // The request listener refuses requests without Host itself.
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
    const stalledTimer = setInterval(connections.dropStalled, patienceMs)
    server.close(() => {
      clearInterval(stalledTimer)
      resolve()
    })
    connections.dropSilent()
  })

const urlOf = (scheme: string, bound: AddressInfo | string | null): string => {
  if (bound === null || typeof bound === 'string') throw new Error('a port was expected')
  return `${scheme}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

/** Serves a handler on a host and port; port 0 picks a free one. */
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
  const serverContext = {
    handler,
    server,
    connections,
    limits,
    behindProxy,
    scheme,
    requestId,
    clock,
    scheduler,
    startInTurn: createTurnStart(),
    bodies: createBodyMemory(),
    feeding,
    onExchange,
  } as const
  const untilSettled = answerRequests(serverContext)
  await start(server, host, port)
  return {
    url: urlOf(tls ? 'https' : 'http', server.address()),
    connections,
    renew: (pair) => {
      if (server instanceof TlsServer) server.setSecureContext({ ...pair, minVersion: 'TLSv1.2' })
    },
    close: async () => {
      await stop(server, connections, limits.patienceMs)
      // Wait until cut requests are logged, too, but not for one that never ends.
      await Promise.race([untilSettled(), sleep(limits.patienceMs, undefined, { ref: false })])
    },
  }
}
