import { isLoopback } from '../../client/loopback.ts'
import type { Metrics } from '../../server/metrics.ts'
import manifest from '../../../package.json' with { type: 'json' }
import type { Cli } from '../cli.ts'
import { listenAt } from './listen-at.ts'

/** Metrics, and the port at which they can be read. */
export type MetricsPage = { readonly metrics: Metrics; readonly close: () => Promise<void> }

/** Serves metrics on a port of their own, for this machine alone, and says where. */
export const serveMetrics = async (cli: Cli, port: number, requestId: () => string): Promise<MetricsPage> => {
  const { createMetrics, metricsFace, routeNames } = await import('../../server/metrics.ts')
  const metrics = createMetrics(manifest.version, routeNames())
  const place = { host: '127.0.0.1', port, flag: '--metrics-port' }
  const { url, close } = await listenAt(metricsFace(metrics, isLoopback), place, { requestId })
  await cli.note(`metrics are at ${url}/metrics`)
  return { metrics, close }
}
