import { type Command, Option } from '@commander-js/extra-typings'
import { isLoopback, withoutFinalSlashes } from '../../client/http/base-url.ts'
import { CONNECTION_LIMIT, RATE_LIMIT, RATE_LIMIT_V1 } from '../../domain/limits.ts'
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

const DEFAULT_PORT = 8321
const LAST_PORT = 65_535
const HIGHEST_RATE_LIMIT = 1_000_000_000

/** Declares the flags of `kpi serve`. */
export const declareServe = (group: Command) =>
  group
    .addOption(new Option('--host <address>', 'the address to listen on').default('127.0.0.1'))
    .addOption(new Option('--port <n>', 'the port; 0 takes a free one').default(String(DEFAULT_PORT)))
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM, the chain included); SIGHUP reads it again')
    .option('--tls-key <file>', 'the private key of the certificate (PEM)')
    .option('--behind-proxy', 'TLS ends at a proxy in front, which passes the address of the client in X-Forwarded-For')
    .option('--public-url <url>', 'where clients reach the service; Location headers begin with it')
    .option('--access-log <file>', 'log each request as a line of JSON; - is standard error')
    .option('--metrics-port <n>', 'serve Prometheus metrics at /metrics on this port, to this machine only')
    .addOption(
      new Option('--max-connections <n>', 'connections at the same time; further ones are closed at once').default(
        String(CONNECTION_LIMIT),
      ),
    )
    .addOption(
      new Option('--rate-limit <n>', 'requests per minute that each account may make; 0 is off').default(
        String(RATE_LIMIT),
      ),
    )
    .addOption(
      new Option('--rate-limit-v1 <n>', 'requests per minute that each key of /v1 may make; 0 is off').default(
        String(RATE_LIMIT_V1),
      ),
    )

/** Describes the flags of `kpi serve`. */
type ServeFlags = ReturnType<ReturnType<typeof declareServe>['opts']>

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

const readTls = ({ tlsCert: cert, tlsKey: key }: ServeFlags): ServeSettings['tls'] => {
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
export const readServeSettings = (flags: ServeFlags): ServeSettings => {
  const { metricsPort } = flags
  const settings = {
    host: flags.host,
    port: readPort('--port', flags.port),
    tls: readTls(flags),
    behindProxy: flags.behindProxy === true,
    publicUrl: readPublicUrl(flags.publicUrl),
    accessLog: flags.accessLog,
    metricsPort: metricsPort === undefined ? undefined : readPort('--metrics-port', metricsPort),
    maxConnections: readCount('--max-connections', flags.maxConnections),
    rateLimit: readRateLimit('--rate-limit', flags.rateLimit),
    rateLimitV1: readRateLimit('--rate-limit-v1', flags.rateLimitV1),
  }
  if (settings.accessLog === '') throw new UsageError('--access-log is empty; name a file, or - for standard error')
  requireSafeListening(settings)
  return settings
}
