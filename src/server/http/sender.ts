import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Handler } from '../wire.ts'

/** Returns a handler behind a public URL: its documents and Location headers name that URL. */
export const underPublicUrl = (handler: Handler, publicUrl: string): Handler => {
  const { origin: publicOrigin } = new URL(publicUrl)
  return async (request) => {
    const response = await handler({ ...request, publicOrigin, serviceUrl: publicUrl })
    const location = response.headers['location']
    if (!location?.startsWith('/')) return response
    return { ...response, headers: { ...response.headers, location: publicUrl + location } }
  }
}

/** Returns an IP address without the brackets and port that some proxies add; an IPv4-mapped one as IPv4. */
const plainAddress = (text: string): string | undefined => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare
  return isIP(address) ? address : undefined
}

const known = new WeakMap<Duplex, string>()

/** Returns the address at the other end of a connection. */
export const directAddress = (socket: Duplex): string => {
  const before = known.get(socket)
  if (before !== undefined) return before
  const address = ('remoteAddress' in socket && plainAddress(String(socket.remoteAddress))) || 'unknown'
  known.set(socket, address)
  return address
}

type Scheme = 'http' | 'https'

/** Returns the scheme of a request: the server's, unless the proxy says that the client used plain HTTP. */
const schemeOf = ({ headers }: IncomingMessage, scheme: Scheme, behindProxy: boolean): Scheme => {
  const forwarded = behindProxy ? String(headers['x-forwarded-proto'] ?? '') : ''
  return forwarded.split(',').at(-1)?.trim().toLowerCase() === 'http' ? 'http' : scheme
}

/** Returns the base URL by which a request reached the service: with the host that it names, else the local address. */
export const serviceUrlOf = (
  request: IncomingMessage,
  host: string | undefined,
  { scheme, behindProxy }: { readonly scheme: Scheme; readonly behindProxy: boolean },
): string => {
  const { localAddress = '', localPort } = request.socket
  const local = `${isIP(localAddress) === 6 ? `[${localAddress}]` : localAddress}:${localPort}`
  return `${schemeOf(request, scheme, behindProxy)}://${host ?? request.headers.host ?? local}`
}

/**
 * Returns the client's address. Behind a proxy it is the last one of `X-Forwarded-For`, which the proxy has added; the
 * client may have forged those before it.
 */
export const addressOf = ({ socket, headers }: IncomingMessage, behindProxy: boolean): string => {
  const direct = directAddress(socket)
  if (!behindProxy) return direct
  const forwarded = headers['x-forwarded-for']
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)
  return plainAddress(last?.trim() ?? '') ?? direct
}
