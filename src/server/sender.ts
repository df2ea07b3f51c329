import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'

/** An address without the brackets and the port that some proxies add, and an IPv4 address as such. */
const plainAddress = (text: string): string | undefined => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare
  return isIP(address) ? address : undefined
}

const known = new WeakMap<Duplex, string>()

/** The address at the other end of a connection. */
export const directAddress = (socket: Duplex): string => {
  const before = known.get(socket)
  if (before !== undefined) return before
  const address = ('remoteAddress' in socket && plainAddress(String(socket.remoteAddress))) || 'unknown'
  known.set(socket, address)
  return address
}

/**
 * The address that a request comes from. Behind a proxy it is the last one of `X-Forwarded-For`, which that proxy has
 * added; those before it are whatever the sender has made up.
 */
export const addressOf = ({ socket, headers }: IncomingMessage, behindProxy: boolean): string => {
  const direct = directAddress(socket)
  if (!behindProxy) return direct
  const forwarded = headers['x-forwarded-for']
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)
  return plainAddress(last?.trim() ?? '') ?? direct
}
