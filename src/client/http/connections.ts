import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector, Dispatcher } from 'undici'
import type { RequestObserver } from '../request-observer.ts'
import { type Proxies, proxyFor } from './proxy.ts'
import { buildConnector as createConnector, EnvHttpProxyAgent, Pool } from './undici.ts'

/** Describes the way to remote services: proxies, and certificates to trust beside the usual ones. */
export type Network = Proxies & {
  /** Holds the certificates of authorities, as PEM; with them the system's are trusted, too. */
  readonly certificates?: readonly string[] | undefined
  /** Watches all requests. */
  readonly observer?: RequestObserver | undefined
}

/** Describes connections to one origin, at most so many at a time. */
type Connections = {
  readonly request: Dispatcher['request']
  /** Tells whether there is a connection, so that a request may have been sent. */
  readonly isConnected: () => boolean
  readonly close: () => Promise<void>
  readonly destroy: () => Promise<void>
}

/** Lists errors of a certificate that none of the trusted authorities has signed. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
])

/** Tells whether an error is about a certificate that nobody trusted has signed. */
export const isUntrusted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNTRUSTED.has(String(error.code))

/** Returns what TLS trusts: Node.js's own authorities, those of the system, and the given ones. */
const trustAll = (certificates: readonly string[]): SecureContext =>
  createSecureContext({ ca: [...getCACertificates('default'), ...getCACertificates('system'), ...certificates] })

/**
 * Returns a connector that trusts the system's authorities only where Node.js's own do not suffice: to read them takes a
 * tenth of a second.
 */
const lazilyTrusting = (timeout: number): buildConnector.connector => {
  const connect = createConnector({ timeout })
  let trusting: buildConnector.connector | undefined
  return (options, callback) =>
    connect(options, (...answer) => {
      if (!isUntrusted(answer[0])) return callback(...answer)
      trusting ??= createConnector({ timeout, secureContext: trustAll([]) })
      trusting(options, callback)
    })
}

const openPool = (origin: string, timeout: number, connections: number, context?: SecureContext): Connections => {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    connect: context ? { timeout, secureContext: context } : lazilyTrusting(timeout),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let open = 0
  pool.on('connect', () => void (open += 1))
  pool.on('disconnect', () => void (open -= 1))
  return {
    request: (options) => pool.request(options),
    isConnected: () => open > 0,
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  }
}

/** Opens connections through a proxy. */
const openProxied = (origin: string, connections: number, proxy: string, { certificates }: Network): Connections => {
  const tls = { secureContext: trustAll(certificates ?? []) }
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxy,
    httpsProxy: proxy,
    // An empty text keeps the package from looking at the environment of the process itself.
    noProxy: '',
    connections,
    pipelining: 1,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    request: (options) => agent.request({ ...options, origin }),
    // Assume that what was sent may have arrived: the agent does not tell.
    isConnected: () => true,
    close: () => agent.close(),
    destroy: () => agent.destroy(),
  }
}

/** Opens connections to the origin of a URL. */
export const openConnections = (
  url: URL,
  timeoutMs: number,
  connections: number,
  network: Network = {},
): Connections => {
  const { certificates } = network
  const proxy = proxyFor(url, network)
  if (proxy !== undefined) return openProxied(url.origin, connections, proxy, network)
  return openPool(url.origin, timeoutMs, connections, certificates && trustAll(certificates))
}
