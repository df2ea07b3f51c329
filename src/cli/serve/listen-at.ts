import manifest from '../../../package.json' with { type: 'json' }
import { isLoopback } from '../../client/http/base-url.ts'
import { KpiError } from '../../domain/errors.ts'
import { listen, type Listener, type ListenOptions } from '../../server/http/listener.ts'
import type { Metrics } from '../../server/observe/metrics.ts'
import type { Handler } from '../../server/wire.ts'
import type { Cli } from '../cli.ts'

/** Describes where to listen, and the flag that names the port. */
type ListenPlace = { readonly host: string; readonly port: number; readonly flag: string }

const listenError = (error: unknown, { host, port, flag }: ListenPlace): unknown => {
  if (!(error instanceof Error && 'code' in error)) return error
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `it is in use; choose another with ${flag}, 0 takes a free one`,
    EACCES: `permission is denied; choose one above 1023 with ${flag}`,
    EADDRNOTAVAIL: 'this machine does not have that address',
    ENOTFOUND: 'there is no such host',
  }
  const reason = reasons[String(error.code)]
  return reason === undefined
    ? error
    : new KpiError('unusable', `cannot listen on ${host} port ${port}: ${reason}`, { cause: error })
}

/** Serves a handler; says in words why it cannot listen on a port. */
export const listenAt = async (handler: Handler, place: ListenPlace, options: ListenOptions): Promise<Listener> => {
  try {
    return await listen(handler, place.host, place.port, options)
  } catch (error) {
    throw listenError(error, place)
  }
}

/** Describes metrics, and the port at which they are served. */
export type MetricsPage = { readonly metrics: Metrics; readonly close: () => Promise<void> }

/** Serves metrics on a port of their own, for this machine alone, and says where. */
export const serveMetrics = async (cli: Cli, port: number, requestId: () => string): Promise<MetricsPage> => {
  const { createMetrics, createMetricsHandler, routeNames } = await import('../../server/observe/metrics.ts')
  const metrics = createMetrics(manifest.version, routeNames())
  const place = { host: '127.0.0.1', port, flag: '--metrics-port' }
  const { url, close } = await listenAt(createMetricsHandler(metrics, isLoopback), place, { requestId })
  await cli.note(`metrics are at ${url}/metrics`)
  return { metrics, close }
}
