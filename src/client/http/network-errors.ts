import { isUntrusted } from './connections.ts'
import { ABORTED, LARGEST_ANSWER_MIB, NOT_CONNECTED, TOO_LARGE, TOO_SLOW } from './network-exchange.ts'

const NO_CONNECTION = 'it could not be connected to in time'
const NO_TLS = 'it does not speak TLS there'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  [TOO_SLOW]: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
  [ABORTED]: 'it had not answered when the time was over',
  [TOO_LARGE]: `its answer is larger than ${LARGEST_ANSWER_MIB} MiB`,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  UND_ERR_CONNECT_TIMEOUT: NO_CONNECTION,
  [NOT_CONNECTED]: NO_CONNECTION,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

/** Lists errors that occur before a request is sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  NOT_CONNECTED,
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

const UNTRUSTED_WORDS =
  'no authority that is trusted here has signed its certificate; --ca-file FILE trusts those of a file'

/** Matches what the HTTP client says of a proxy that opens no way to a service. */
const PROXY_REFUSAL = /^Proxy response \((\d{3})\)/

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Returns the status with which a proxy refused to open a way, if that is the error. */
const proxyStatus = (error: unknown): string | undefined =>
  error instanceof Error ? PROXY_REFUSAL.exec(error.message)?.[1] : undefined

const proxyReason = (status: string): string =>
  status === '407'
    ? 'the proxy wants a name and a password (407): put them into its URL, as in http://NAME:PASSWORD@PROXY:8080'
    : `the proxy refused the connection (${status})`

/** Tells whether a TLS handshake failed. */
const isHandshake = (code: string): boolean => code.startsWith('ERR_SSL_')

/** Tells whether a request may have reached the service before it failed. */
export const isSent = (error: unknown): boolean => {
  const code = codeOf(error)
  return !NOT_SENT.has(code) && !isHandshake(code) && !isUntrusted(error) && proxyStatus(error) === undefined
}

/** Lists errors that pass: the service is down, overloaded or cut off, and its name and certificate are not at fault. */
const PASSING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  TOO_SLOW,
  NOT_CONNECTED,
])

/** Tells whether the cause of an error is the network, so that no answer came; one that is no JSON is an answer. */
export const isOfNetwork = (cause: unknown): boolean => cause !== undefined && !(cause instanceof SyntaxError)

/** Tells whether the network may work again after an error, without anybody's doing. */
export const mayPass = (error: unknown): boolean => PASSING.has(codeOf(error))

/** Returns why the network failed, in words. */
export const networkReason = (error: unknown): string => {
  const code = codeOf(error)
  const status = proxyStatus(error)
  if (status !== undefined) return proxyReason(status)
  if (isUntrusted(error)) return UNTRUSTED_WORDS
  const words = error instanceof Error ? error.message : String(error)
  // Omit the message of OpenSSL, which names its own source files.
  return REASONS[code] ?? (isHandshake(code) ? `the TLS handshake failed (${code})` : words)
}
