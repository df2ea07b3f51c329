import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector, Dispatcher } from 'undici'
import type { RequestObserver } from '../request-observer.ts'
import { isLoopback } from './base-url.ts'
import { buildConnector as createConnector, EnvHttpProxyAgent, Pool } from './undici.ts'

/** Describes the way to remote services: proxies, and certificates to trust beside the usual ones. */
export type Network = {
  /** Holds the URL of the proxy for HTTPS, as in HTTPS_PROXY; without it, the other one is used. */
  readonly httpsProxy?: string | undefined
  readonly httpProxy?: string | undefined
  /** Lists hosts that are reached without a proxy, as in NO_PROXY. */
  readonly noProxy?: string | undefined
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

/** Opens connections through the proxies of the environment, or past them where NO_PROXY says so. */
const openProxied = (origin: string, connections: number, network: Network): Connections => {
  const tls = { secureContext: trustAll(network.certificates ?? []) }
  const agent = new EnvHttpProxyAgent({
    // Empty texts keep the package from looking at the environment of the process itself.
    httpProxy: network.httpProxy ?? '',
    httpsProxy: network.httpsProxy ?? '',
    noProxy: network.noProxy ?? '',
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

/** Tells whether a proxy may be used for a URL: a service on this machine is reached without one. */
const mayUseProxy = (url: URL, { httpProxy, httpsProxy }: Network): boolean =>
  Boolean(httpProxy || httpsProxy) && !isLoopback(url)

/** Returns words about the proxy, without its password, that an error about a URL ends with. */
export const proxyWords = (url: URL, network: Network = {}): string => {
  if (!mayUseProxy(url, network)) return ''
  const proxy = URL.parse(network.httpsProxy || network.httpProxy || '')
  return ` (through the proxy ${proxy?.host ?? 'of HTTPS_PROXY'}, unless NO_PROXY names the host)`
}

/** Opens connections to the origin of a URL. */
export const openConnections = (
  url: URL,
  timeoutMs: number,
  connections: number,
  network: Network = {},
): Connections => {
  const { certificates } = network
  if (mayUseProxy(url, network)) return openProxied(url.origin, connections, network)
  return openPool(url.origin, timeoutMs, connections, certificates && trustAll(certificates))
}
