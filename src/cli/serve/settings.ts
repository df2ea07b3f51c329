import { isLoopback, withoutFinalSlashes } from '../../client/http/base-url.ts'
import { UsageError } from '../exit.ts'

/** Describes the settings of `kpi serve`. */
export type ServeSettings = {
  readonly host: string
  readonly port: number
  /** Names the files of a certificate and its key. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly behindProxy: boolean
  /** Holds the URL that clients use, without a slash at the end. */
  readonly publicUrl: string | undefined
  /** Names the file of the access log, or `-` for standard error. */
  readonly accessLog: string | undefined
  readonly metricsPort: number | undefined
  readonly maxConnections: number
  /** Sets the requests a minute for each account; 0 is no limit. */
  readonly rateLimit: number
  /** Sets the requests a minute for each key of the newer variant. */
  readonly rateLimitV1: number
}

export const DEFAULT_PORT = 8321
const LAST_PORT = 65_535
const HIGHEST_RATE_LIMIT = 1_000_000_000

type Options = Readonly<Record<string, unknown>>

const textOf = (options: Options, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

const readPort = (flag: string, text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (port <= LAST_PORT) return port
  throw new UsageError(`${flag} ${text} is not a port; there are 0 to ${LAST_PORT}`)
}

const readCount = (flag: string, text: string): number => {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count > 0) return count
  throw new UsageError(`${flag} ${text} is not a number of connections; give one from 1 to 9999999`)
}

const readRateLimit = (flag: string, text: string): number => {
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : NaN
  if (limit <= HIGHEST_RATE_LIMIT) return limit
  throw new UsageError(`${flag} ${text} is not a number of requests; 0 is off, ${HIGHEST_RATE_LIMIT} the most`)
}

const readTls = (options: Options): ServeSettings['tls'] => {
  const [cert, key] = [textOf(options, 'tlsCert'), textOf(options, 'tlsKey')]
  if (cert !== undefined && key !== undefined) return { cert, key }
  if (cert === undefined && key === undefined) return undefined
  throw new UsageError('a certificate and its key belong together: give both --tls-cert and --tls-key')
}

const isThisMachine = (host: string): boolean => isLoopback({ hostname: host.includes(':') ? `[${host}]` : host })

const requireSafeListening = ({
  host,
  tls,
  behindProxy,
}: Pick<ServeSettings, 'host' | 'tls' | 'behindProxy'>): void => {
  if (host === '') throw new UsageError('--host is empty; name an address, such as 127.0.0.1')
  if (isThisMachine(host) || tls || behindProxy) return
  throw new UsageError(
    `${host} can be reached from other machines, and plain HTTP is served to this machine only: give --tls-cert and --tls-key, or --behind-proxy if TLS ends at a proxy in front`,
  )
}

const readPublicUrl = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && !/[?#]/.test(text)
  if (!url || !isPlain || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--public-url ${text} is not an address such as https://kpi.example.com or one with a path`)
  }
  if (url.protocol === 'https:' || isLoopback(url)) return withoutFinalSlashes(url.href)
  throw new UsageError(`--public-url ${text} is not HTTPS, and no client sends its token there; make it https://`)
}

/** Reads the flags of `kpi serve`, and refuses what would not be safe. */
export const readServeSettings = (options: Options): ServeSettings => {
  const metricsPort = textOf(options, 'metricsPort')
  const settings = {
    host: String(options['host']),
    port: readPort('--port', String(options['port'])),
    tls: readTls(options),
    behindProxy: options['behindProxy'] === true,
    publicUrl: readPublicUrl(textOf(options, 'publicUrl')),
    accessLog: textOf(options, 'accessLog'),
    metricsPort: metricsPort === undefined ? undefined : readPort('--metrics-port', metricsPort),
    maxConnections: readCount('--max-connections', String(options['maxConnections'])),
    rateLimit: readRateLimit('--rate-limit', String(options['rateLimit'])),
    rateLimitV1: readRateLimit('--rate-limit-v1', String(options['rateLimitV1'])),
  }
  if (settings.accessLog === '') throw new UsageError('--access-log is empty; name a file, or - for standard error')
  requireSafeListening(settings)
  return settings
}
