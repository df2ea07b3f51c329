import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { KpiError } from '../../domain/errors.ts'
import { HEAD_LIMIT } from '../../domain/limits.ts'
import type { TextResponse } from '../wire.ts'
import type { Connections } from './connections.ts'
import { directAddress } from './sender.ts'

/** Describes why Node.js could not read a request, and how much of its last packet it parsed. */
type ReadError = Error & {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Uint8Array
  readonly bytesParsed?: number
}

/** Matches the beginning of a request line that ends within the target. */
const ENDLESS_TARGET = /^[A-Z]+ [^ \n]*$/

/**
 * Guesses whether the URL was too long: whether parsing ended within the target of the request, or right before the
 * version, which follows the target. It cannot tell if the target began in an earlier packet and goes on after this
 * one.
 */
const isTargetTooLong = ({ rawPacket = new Uint8Array(), bytesParsed = 0 }: ReadError): boolean => {
  const text = Buffer.from(rawPacket).toString('latin1')
  const isEnd = /^ HTTP\/\d\.\d\r?\n/.test(text.slice(bytesParsed, bytesParsed + 11))
  return isEnd || ENDLESS_TARGET.test(text.slice(0, bytesParsed))
}

/** Returns the error for a request that Node.js could not read; undefined for network errors. */
const errorOf = (error: ReadError): KpiError | undefined => {
  const { code = '', reason = error.message } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new KpiError('too_slow', 'the request did not come in time; send it again', { cause: error })
  }
  if (code === 'HPE_HEADER_OVERFLOW' && isTargetTooLong(error)) {
    return new KpiError('too_long', `the address is over ${HEAD_LIMIT / 1024} KiB, it may have 8`, { cause: error })
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new KpiError('head_too_large', `the head of the request is over ${HEAD_LIMIT / 1024} KiB`, { cause: error })
  }
  if (!code.startsWith('HPE_')) return undefined
  return new KpiError('malformed', `this is no HTTP request that can be read: ${reason}`, { cause: error })
}

const textOf = ({ status, headers, body }: TextResponse): string => {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

/** Writes a refusal to a connection on which nothing more can be read, and ends it. */
export type Refuse = (socket: Duplex, error: KpiError) => void

/**
 * Creates a function that writes a raw response to a connection. It then drains the input for a while so that the
 * response arrives: if the connection closed at once, the client would get a connection error instead.
 */
export const createRefuse = (answer: (address: string, error: KpiError) => TextResponse, lingerMs: number): Refuse => {
  return (socket, error) => {
    if (!socket.writable) return
    const patience = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(patience))
    socket.end(textOf(answer(directAddress(socket), error)))
    socket.resume()
  }
}

/** Tells whether the client sent anything on a connection. Browsers open some in advance. */
const wasUsed = (socket: Duplex): boolean => !('bytesRead' in socket) || Number(socket.bytesRead) > 0

/**
 * Creates the handler of requests that Node.js cannot read, or that do not arrive in time. Fails the running request
 * whose body is incomplete; without one, answers on the socket after the running requests.
 */
export const createOnClientError = (connections: Connections, refuse: Refuse) => {
  const seen = new WeakSet<Duplex>()
  return async (reason: Error, socket: Duplex): Promise<void> => {
    // Later errors repeat the first one.
    if (seen.has(socket)) return
    seen.add(socket)
    const fault = errorOf(reason)
    if (!fault || !wasUsed(socket)) {
      socket.destroy()
      return
    }
    const running = connections.runningOn(socket)
    const unfinished = running.find(({ request }) => !request.complete)
    if (unfinished) {
      unfinished.intake.cut(fault)
      return
    }
    await Promise.all(running.map(({ response }) => once(response, 'close')))
    refuse(socket, fault)
  }
}
