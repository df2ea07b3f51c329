import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import { observed, type RequestEnd } from '../request-observer.ts'
import { Aborted } from '../transport.ts'
import { ELSEWHERE, requireSafeAddress, shownAddress } from './address.ts'
import { isLoopback } from './base-url.ts'
import { type Network, openConnections } from './connections.ts'
import { networkReason } from './network-errors.ts'
import { createWaitTimeout, NOT_CONNECTED, TOO_SLOW, type WaitTimeout } from './network-exchange.ts'

/** Bounds how many redirects are followed. */
const MOST_REDIRECTS = 5
/** Bounds the size of a file. */
const MOST_BYTES = 2 * 1024 ** 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Lists the encodings of an answer whose bytes are as they are in a file, or say themselves what they are. */
const PLAIN_ENCODINGS = new Set(['', 'identity', 'gzip', 'x-gzip', 'zstd'])

const unreadable = (address: URL, why: string, code: ErrorCode = 'malformed', cause?: unknown): KpiError =>
  new KpiError(code, `cannot read ${shownAddress(address)}: ${why}`, { cause })

/** Returns why a server denies access: the query of an address is all that may hold credentials. */
const deniedText = ({ search }: URL, status: number): string => {
  const [what, none] = status === 401 ? ['it needs credentials', 'none'] : ['access is denied', 'no credentials']
  return search === ''
    ? `${what}, and ${none} are sent there; ${ELSEWHERE}`
    : `${what}, though the query of the address was sent; see whether a token in it is missing, wrong or expired, or ${ELSEWHERE}`
}

const FIRST_SERVER_FAILURE = 500

/** Returns the error for an answer that is no file: only what may pass with time is worth another try later. */
const refusal = (address: URL, status: number): KpiError => {
  if (status === 401) return unreadable(address, deniedText(address, status), 'unauthorized')
  if (status === 403) return unreadable(address, deniedText(address, status), 'forbidden')
  if (status === 404) return unreadable(address, 'there is no such file; check the address', 'not_found')
  if (status === 410) return unreadable(address, 'there is no such file any more; check the address', 'not_found')
  if (status === 429)
    return unreadable(address, 'it has had too many requests; run the same command again later', 'rate_limited')
  const why = `it answered with status ${status}`
  return status >= FIRST_SERVER_FAILURE
    ? unreadable(address, `${why}; run the same command again later`, 'unavailable')
    : unreadable(address, `${why}, which is no file; check the address`)
}

/** Returns the address that a redirect leads to; it may leave neither HTTPS nor, for this machine, the network. */
const redirectTarget = (from: URL, location: string | undefined): URL => {
  const to = location === undefined ? null : URL.parse(location, from.href)
  if (!to) throw unreadable(from, 'it redirects to no address')
  if (from.protocol === 'https:' && to.protocol !== 'https:') {
    throw unreadable(from, `it redirects to ${shownAddress(to)}, which is not HTTPS`)
  }
  if (isLoopback(to) && !isLoopback(from)) throw unreadable(from, 'it redirects to an address of this machine')
  requireSafeAddress(to)
  return to
}

/** Describes the way to a file, and how long it may take: `timeoutMs` for each part, and `signal` for all of it. */
type DownloadBounds = {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly network?: Network | undefined
}

type Answer = {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array> & { readonly destroy: () => unknown }
  readonly close: () => Promise<void>
}

const HEADERS = { accept: '*/*', 'accept-encoding': 'identity' }

const transfer = async (address: URL, wait: WaitTimeout, { timeoutMs, network }: DownloadBounds): Promise<Answer> => {
  const connections = openConnections(address, timeoutMs, 1, network)
  wait.allow(timeoutMs, () => (connections.isConnected() ? TOO_SLOW : NOT_CONNECTED))
  try {
    const { statusCode, headers, body } = await connections.request({
      method: 'GET',
      path: address.pathname + address.search,
      headers: HEADERS,
      signal: wait.signal,
    })
    const header = (name: string): string | undefined => [headers[name] ?? []].flat()[0]
    return { status: statusCode, header, headers, body, close: connections.destroy }
  } catch (error) {
    await connections.destroy()
    throw error
  }
}

/** Asks for a file, before the eyes of whoever observes the network; its content is not shown. */
const ask = (address: URL, wait: WaitTimeout, bounds: DownloadBounds): Promise<Answer> => {
  const send = (): Promise<Answer> => transfer(address, wait, bounds)
  const observer = bounds.network?.observer
  if (!observer) return send()
  const path = shownAddress(address)
  const request = { method: 'GET', path, headers: HEADERS, body: () => undefined, attempt: 1, hide: String }
  const endOf = ({ status, headers }: Answer): RequestEnd => ({ status, headers, body: () => undefined })
  const reasonOf = (error: unknown): RequestEnd => ({ reason: networkReason(error) })
  return observed(observer, { request, endOf, reasonOf }, send)
}

/** Asks for a file, and follows redirects. */
const askFollowing = async (
  first: URL,
  wait: WaitTimeout,
  bounds: DownloadBounds,
): Promise<{ readonly address: URL; readonly answer: Answer }> => {
  let address = first
  for (let redirects = 0; ; redirects += 1) {
    const answer = await ask(address, wait, bounds)
    if (!REDIRECTS.has(answer.status)) return { address, answer }
    await answer.close()
    if (redirects === MOST_REDIRECTS) throw unreadable(first, `it redirects more than ${MOST_REDIRECTS} times`)
    address = redirectTarget(address, answer.header('location'))
  }
}

/** Returns the size that an answer announces, if it announces one; refuses an answer that is no file. */
const sizeOf = (address: URL, { status, header }: Answer): number | undefined => {
  if (status !== 200) throw refusal(address, status)
  const encoding = header('content-encoding') ?? ''
  if (!PLAIN_ENCODINGS.has(encoding.toLowerCase())) {
    throw unreadable(address, `it is sent in the encoding ${encoding}, though none was asked for`)
  }
  const text = header('content-length')
  const size = text === undefined ? undefined : Number(text)
  if (size !== undefined && size > MOST_BYTES) throw tooLarge(address)
  return size
}

const tooLarge = (address: URL): KpiError => unreadable(address, `it is larger than 2 GiB; ${ELSEWHERE}`, 'too_large')

/** Yields the body of an answer, and checks that it is complete. */
async function* contentOf(address: URL, answer: Answer, wait: WaitTimeout, timeoutMs: number): AsyncGenerator<Buffer> {
  const size = sizeOf(address, answer)
  let count = 0
  for await (const chunk of answer.body) {
    count += chunk.length
    if (count > MOST_BYTES) throw tooLarge(address)
    wait.allow(timeoutMs, () => TOO_SLOW)
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
  }
  if (size !== undefined && count !== size)
    throw unreadable(address, `it ends after ${count} of ${size} bytes`, 'unavailable')
}

/** Yields the bytes of the file at an address. No credentials are sent, and redirects are followed within HTTPS. */
export async function* download(first: URL, bounds: DownloadBounds): AsyncGenerator<Buffer> {
  const { timeoutMs, signal } = bounds
  requireSafeAddress(first)
  const wait = createWaitTimeout(signal)
  let answer: Answer | undefined
  try {
    const found = await askFollowing(first, wait, bounds)
    answer = found.answer
    yield* contentOf(found.address, answer, wait, timeoutMs)
  } catch (error) {
    if (signal.aborted) throw new Aborted('stopped before anything was sent; run the same command again')
    if (error instanceof KpiError) throw error
    throw unreadable(first, networkReason(error), 'unavailable', error)
  } finally {
    wait.end()
    await answer?.close()
  }
}
