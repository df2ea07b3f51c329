import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { classic } from '../api/classic.ts'
import type { VariantDefinition } from '../api/protocol.ts'
import { createRouter } from '../api/router.ts'
import { v1 } from '../api/v1.ts'
import type { Connections, FinishedRequest, OnFinished } from '../http/connections.ts'
import { isHost } from '../request-target.ts'
import type { Handler, WireRequest, WireResponse } from '../wire.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Collects the metrics of a service. */
export type Metrics = {
  readonly onExchange: OnFinished
  /** Follows the connections of a server. */
  readonly watch: (connections: Pick<Connections, 'open' | 'running' | 'turnedAway'>) => void
  /** Notes when the certificate expires, in milliseconds since 1970. */
  readonly onCertificate: (validTo: number) => void
  /** Returns all metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

/** Lists the paths that need no credentials; they are not among the routes. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/health', '/openapi.json'])

const patterns = ({ protocol: { prefix }, routes }: VariantDefinition): ((target: string) => string | undefined) => {
  const route = createRouter(routes)
  return (target) => {
    const [path = ''] = target.slice(prefix.length).split('?', 1)
    if (target.slice(0, prefix.length).toLowerCase() !== prefix || !path.startsWith('/')) return undefined
    if (OPEN_PATHS.has(path.toLowerCase())) return prefix + path.toLowerCase()
    try {
      return prefix + route(path).pattern
    } catch {
      return undefined
    }
  }
}

/** Returns a function that names the route of a request: `/api/kpis/{id}`, whatever the id is. */
export const routeNames = (): ((target: string) => string | undefined) => {
  const [ofClassic, ofV1] = [patterns(classic), patterns(v1)]
  return (target) => ofClassic(target) ?? ofV1(target)
}

const createRequestMetrics = (registers: Registry[], routeOf: (target: string) => string | undefined): OnFinished => {
  const requests = new Counter({
    name: 'kpi_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'kpi_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  })
  return ({ method, target, status, milliseconds }: FinishedRequest) => {
    // Clients choose both. Use only known values as labels, as each new one takes memory for ever.
    const route = (target !== undefined && routeOf(target)) || 'none'
    const labels = { method: method !== undefined && METHODS.has(method) ? method : 'other', route }
    requests.inc({ ...labels, status })
    durations.observe(labels, milliseconds / 1000)
  }
}

const createRefusalMetrics = (registers: Registry[]): OnFinished => {
  const logins = new Counter({
    name: 'kpi_logins_refused_total',
    help: 'Requests refused for missing or wrong credentials',
    registers,
  })
  const limits = new Counter({
    name: 'kpi_requests_limited_total',
    help: 'Requests refused for a limit, with Retry-After',
    registers,
  })
  return ({ status, isPutOff }) => {
    if (status === 401) logins.inc()
    if (isPutOff && (status === 403 || status === 429)) limits.inc()
  }
}

const gauge = (registers: Registry[], name: string, help: string, value: () => number): void => {
  const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(value()) })
}

/** Creates the metrics of a service and its process. `routeOf` returns the route of a target, if it has one. */
export const createMetrics = (version: string, routeOf: (target: string) => string | undefined): Metrics => {
  const register = new Registry()
  const registers = [register]
  collectDefaultMetrics({ register })
  new Gauge({ name: 'kpi_build_info', help: 'The version that runs', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  const observers = [createRequestMetrics(registers, routeOf), createRefusalMetrics(registers)]
  return {
    onExchange: (exchange) => {
      for (const observe of observers) observe(exchange)
    },
    watch: ({ open, running, turnedAway }) => {
      gauge(registers, 'kpi_http_connections_open', 'Connections that are open', open)
      gauge(registers, 'kpi_http_requests_in_flight', 'Requests that are being answered', running)
      gauge(registers, 'kpi_http_connections_turned_away', 'Connections closed as there were too many', turnedAway)
    },
    onCertificate: (validTo) => {
      const known = register.getSingleMetric('kpi_tls_certificate_expiry_timestamp_seconds')
      const name = 'kpi_tls_certificate_expiry_timestamp_seconds'
      const made = known instanceof Gauge ? known : new Gauge({ name, help: 'When the certificate ends', registers })
      made.set(Math.floor(validTo / 1000))
    },
    text: () => register.metrics(),
    contentType: register.contentType,
  }
}

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body,
})

/**
 * Creates the handler of `GET /metrics`, for this machine alone. It also checks Host, against DNS rebinding: a web page
 * could point its own host name to this machine, and read the metrics.
 */
export const createMetricsHandler =
  ({ text, contentType }: Metrics, isLoopback: (host: { readonly hostname: string }) => boolean): Handler =>
  async ({ method, target, headers }: WireRequest) => {
    const host = headers['host'] ?? ''
    if (!isHost(host) || !isLoopback({ hostname: host.replace(/:\d*$/, '').toLowerCase() })) {
      return plain(403, 'metrics are for this machine alone; ask for localhost\n')
    }
    if (target.split('?')[0] !== '/metrics') return plain(404, 'there is /metrics\n')
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'ask with GET\n', { allow: 'GET, HEAD' })
    return plain(200, await text(), { 'content-type': contentType })
  }
