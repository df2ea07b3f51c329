import { type Network, openConnections } from './connections.ts'
import type { TextAnswer } from './response.ts'

/** Names the errors with which the client itself ends a wait, in the way of Node.js error codes. */
export const TOO_SLOW = 'ANSWER_TOO_SLOW'
export const NOT_CONNECTED = 'NOT_CONNECTED_IN_TIME'
export const ABORTED = 'ANSWER_GIVEN_UP'
export const TOO_LARGE = 'ANSWER_TOO_LARGE'

/** Returns an error with a code. */
const errorOf = (code: string): Error => Object.assign(new Error(code), { code })

/** Aborts a wait on timeout or cancellation. */
export type WaitTimeout = {
  /** Holds the error to report as its reason, once it is aborted. */
  readonly signal: AbortSignal
  /** Restarts the timeout; when it is over, the wait ends with an error of this code. */
  readonly allow: (milliseconds: number, code: () => string) => void
  /** Ends the wait. */
  readonly end: () => void
}

/** Sets the longest time for which Node.js can set a timer. */
const LONGEST_MS = 2 ** 31 - 1

/** Creates the timeout of a wait, which `unwanted` cancels. */
export const createWaitTimeout = (unwanted: AbortSignal | undefined): WaitTimeout => {
  const controller = new AbortController()
  const cancel = (): void => controller.abort(errorOf(ABORTED))
  let timer: NodeJS.Timeout | undefined
  if (unwanted?.aborted) cancel()
  unwanted?.addEventListener('abort', cancel)
  return {
    signal: controller.signal,
    allow: (milliseconds, code) => {
      clearTimeout(timer)
      timer = setTimeout(() => controller.abort(errorOf(code())), Math.min(LONGEST_MS, milliseconds))
    },
    end: () => {
      clearTimeout(timer)
      unwanted?.removeEventListener('abort', cancel)
    },
  }
}

/** Describes a request as the network transfers it. */
export type TextRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Holds the whole path, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Describes a way to send a request and to get its answer, or a network error. */
export type Exchange = {
  /** Sends a request, which `unwanted` cancels. */
  readonly ask: (request: TextRequest, unwanted?: AbortSignal) => Promise<TextAnswer>
  readonly close: () => Promise<void>
}

const CONNECTIONS = 10

/** Sets how many bytes of a body must arrive within each timeout. */
const PROGRESS_BYTES = 256 * 1024
/** Sets the largest answer to read: a report of 10,000 rows, with notes of a whole month in each. */
export const LARGEST_ANSWER_MIB = 128
const LARGEST_BYTES = LARGEST_ANSWER_MIB * 1024 * 1024

const CHARSET = /;\s*charset="?([\w:.-]{1,40})/i

/** Returns the decoder for the charset in a content type; UTF-8 if that is unknown. */
const decoderOf = (type: string): { readonly decode: (bytes: Uint8Array) => string } => {
  const name = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8'
  try {
    return new TextDecoder(name === 'us-ascii' ? 'utf-8' : name)
  } catch {
    return new TextDecoder()
  }
}

/** Reads a whole body; fails if it is too slow or too large. */
const readBody = async (
  body: AsyncIterable<Uint8Array>,
  { allow }: Pick<WaitTimeout, 'allow'>,
  timeoutMs: number,
  type: string,
): Promise<string> => {
  const parts: Uint8Array[] = []
  let [size, steps] = [0, 0]
  allow(timeoutMs, () => TOO_SLOW)
  for await (const part of body) {
    size += part.length
    if (size > LARGEST_BYTES) throw errorOf(TOO_LARGE)
    if (size >= (steps + 1) * PROGRESS_BYTES) {
      steps = Math.floor(size / PROGRESS_BYTES)
      allow(timeoutMs, () => TOO_SLOW)
    }
    parts.push(part)
  }
  return decoderOf(type).decode(Buffer.concat(parts))
}

/** Resolves with the result of work; rejects at once when it is cancelled, while the work may still wait for a connection. */
const orCancelled = async <T>(work: Promise<T>, unwanted: AbortSignal | undefined): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const cancel = (): void => reject(errorOf(ABORTED))
  unwanted?.addEventListener('abort', cancel)
  try {
    return await Promise.race([work, promise])
  } finally {
    unwanted?.removeEventListener('abort', cancel)
  }
}

/**
 * Creates an exchange over connections to the origin of a URL. `timeoutMs` bounds the wait for the head of an answer,
 * and for each part of its body.
 */
export const networkExchange = (url: URL, timeoutMs: number, network?: Network): Exchange => {
  const connections = openConnections(url, timeoutMs, CONNECTIONS, network)
  let isCancelled = false
  return {
    ask: async (request, unwanted) => {
      const wait = createWaitTimeout(unwanted)
      try {
        wait.allow(timeoutMs, () => (connections.isConnected() ? TOO_SLOW : NOT_CONNECTED))
        const answer = await orCancelled(connections.request({ ...request, signal: wait.signal }), unwanted)
        const header = (name: string): string | undefined => [answer.headers[name] ?? []].flat()[0]
        return {
          status: answer.statusCode,
          header,
          headers: answer.headers,
          body: await readBody(answer.body, wait, timeoutMs, header('content-type') ?? ''),
        }
      } finally {
        isCancelled ||= unwanted?.aborted === true
        wait.end()
      }
    },
    // To close waits for connections that are being made, which nobody wants any longer.
    close: () => (isCancelled ? connections.destroy() : connections.close()),
  }
}
