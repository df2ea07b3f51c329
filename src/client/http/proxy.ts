import { isLoopback } from './base-url.ts'

/** Describes the proxies of the environment. */
export type Proxies = {
  /** Holds the URL of the proxy for HTTPS, as in HTTPS_PROXY; without it, the other one is used. */
  readonly httpsProxy?: string | undefined
  readonly httpProxy?: string | undefined
  /** Lists hosts that are reached without a proxy, as in NO_PROXY. */
  readonly noProxy?: string | undefined
}

/** Splits an entry of NO_PROXY into its host and its port; an IPv6 address with a port stands in brackets. */
const hostAndPort = (entry: string): readonly [host: string, port: string | undefined] => {
  const [, host = entry, port] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ?? /^([^:]+)(?::(\d+))?$/.exec(entry) ?? []
  return [host.toLowerCase(), port]
}

const withoutFinalDot = (host: string): string => (host.length > 1 && host.endsWith('.') ? host.slice(0, -1) : host)

/** Tells whether an entry of NO_PROXY names the host of a URL: itself, or the domain that it is in. */
const isNamedBy = (entry: string, url: URL): boolean => {
  const [host, port] = hostAndPort(entry)
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false
  if (host === '*') return true
  const name = withoutFinalDot(url.hostname.replace(/^\[(.+)\]$/, '$1'))
  const bare = withoutFinalDot(host.replace(/^\*?\./, ''))
  return (name === bare && !host.startsWith('*')) || name.endsWith(`.${bare}`)
}

/** Says why a URL is reached without a proxy, whichever there is; undefined if it is not. */
export const whyDirect = (url: URL, { noProxy = '' }: Proxies): string | undefined => {
  if (isLoopback(url)) return 'the service is on this machine'
  const entries = noProxy.split(/[,\s]/).filter((entry) => entry !== '')
  return entries.some((entry) => isNamedBy(entry, url)) ? 'NO_PROXY names the service' : undefined
}

/** Returns the URL of the proxy that a URL is reached through; undefined without one. */
export const proxyFor = (url: URL, proxies: Proxies): string | undefined => {
  const { httpsProxy, httpProxy } = proxies
  const proxy = (url.protocol === 'https:' && httpsProxy) || httpProxy
  return proxy && whyDirect(url, proxies) === undefined ? proxy : undefined
}

/** Returns words about the proxy, without its password, that an error about a URL ends with. */
export const proxyWords = (url: URL, proxies: Proxies = {}): string => {
  const proxy = proxyFor(url, proxies)
  if (proxy === undefined) return ''
  return ` (through the proxy ${URL.parse(proxy)?.host ?? 'of HTTPS_PROXY'}, unless NO_PROXY names the host)`
}
