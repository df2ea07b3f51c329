import { isLoopback } from '../client/loopback.ts'
import { KpiError } from '../domain/errors.ts'
import { type App, createApp } from '../server/app.ts'
import { classicFace } from '../server/classic.ts'
import { listen, type Listening, type ListenOptions } from '../server/listen.ts'
import type { Metrics } from '../server/metrics.ts'
import { underPublicUrl } from '../server/public-url.ts'
import type { TlsPair } from '../server/tls.ts'
import type { Face } from '../server/wire.ts'
import { DEFAULT_ACCOUNT } from '../service/names.ts'
import { accounts } from '../store/accounts.ts'
import type { Db } from '../store/db.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Cli } from './cli.ts'
import type { Io } from './io.ts'
import { openBundled } from './operator.ts'
import { openServiceLog, type ServiceLog } from './serve/log.ts'
import type { ServeSettings } from './serve/settings.ts'
import { readPair } from './serve/tls.ts'
import { placeFlags } from './settings.ts'
import { shellWord } from './shell-word.ts'

type MetricsPage = { readonly metrics: Metrics; readonly close: () => Promise<void> }
type UsePair = (pair: TlsPair, validTo: number) => void

type Place = { readonly host: string; readonly port: number; readonly flag: string }

const listenError = (error: unknown, host: string, port: number, flag: string): unknown => {
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

/** A server on a port of a host, in words where it cannot be had. */
const listenAt = async (face: Face, { host, port, flag }: Place, options: ListenOptions): Promise<Listening> => {
  try {
    return await listen(face, host, port, options)
  } catch (error) {
    throw listenError(error, host, port, flag)
  }
}

const requestIds =
  ({ random }: Io) =>
  (): string =>
    Buffer.from(random(9)).toString('base64url')

/** Says what is still to be done before the interface answers. */
const adviseAccess = async (cli: Cli, db: Db): Promise<void> => {
  const place = placeFlags(cli.flags).map((word) => ` ${shellWord(word)}`)
  const [all, known] = await db.read(async (tx) => [
    await accounts.list(tx),
    await accounts.findByName(tx, DEFAULT_ACCOUNT),
  ])
  if (all.length === 0) {
    return cli.note(`There is no account yet. Make one, in another terminal:
  kpi service accounts create ${DEFAULT_ACCOUNT} --login you@example.com${place.join('')}`)
  }
  if (!known || known.api_enabled) return
  await cli.note(`The API of account ${DEFAULT_ACCOUNT} is not enabled. Enable it and make a token, in another terminal:
  kpi service accounts enable-api ${DEFAULT_ACCOUNT}${place.join('')}
  kpi service token create${place.join('')}`)
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** What is served: the classic interface on a store. */
const faceOn = (io: Io, app: App, db: Db, { publicUrl }: ServeSettings, onError: ServiceLog['onError']): Face => {
  const now = (): number => Math.floor(io.now() / 1000)
  const face = classicFace({ app, db, version: manifest.version, now, requestId: requestIds(io), onError })
  return publicUrl === undefined ? face : underPublicUrl(face, publicUrl)
}

/** Serves metrics on a port of their own, where that was asked for, and says where. */
const serveMetrics = async (cli: Cli, app: App, port: number | undefined): Promise<MetricsPage | undefined> => {
  if (port === undefined) return undefined
  const { createMetrics, metricsFace, routeNames } = await import('../server/metrics.ts')
  const metrics = createMetrics(manifest.version, routeNames(app))
  const place = { host: '127.0.0.1', port, flag: '--metrics-port' }
  const listening = await listenAt(metricsFace(metrics, isLoopback), place, { requestId: requestIds(cli.io) })
  await cli.note(`metrics are at ${listening.url}/metrics`)
  return { metrics, close: listening.close }
}

/** Takes the certificate from its files anew; one that cannot be used leaves the one before in use. */
const renewPair = async (cli: Cli, files: NonNullable<ServeSettings['tls']>, use: UsePair): Promise<void> => {
  try {
    const { pair, validTo } = readPair(cli.io, files)
    use(pair, validTo)
    await cli.note(`took the certificate anew; it is valid until ${new Date(validTo).toISOString().slice(0, 10)}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await cli.io.stderr.write(`kpi: ${reason}; the certificate before stays in use\n`)
  }
}

/** Serves the bundled service until it is asked to stop; then finishes the requests that it has. */
export const runServer = async (cli: Cli, settings: ServeSettings): Promise<void> => {
  const { io } = cli
  const onReload: (() => void)[] = []
  io.onReload(() => onReload.forEach((listener) => listener()))
  const signal = io.interruption()
  await using open = new AsyncDisposableStack()
  const tls = settings.tls && { files: settings.tls, ...readPair(io, settings.tls) }
  const log = await openServiceLog(io, settings.accessLog)
  open.defer(log.close)
  onReload.push(log.reopen)
  const db = await openBundled(cli)
  open.defer(db.close)
  const app = createApp(db)
  const page = await serveMetrics(cli, app, settings.metricsPort)
  if (page) open.defer(page.close)
  const listening = await listenAt(
    faceOn(io, app, db, settings, log.onError),
    { ...settings, flag: '--port' },
    {
      tls: tls?.pair,
      behindProxy: settings.behindProxy,
      limits: { connections: settings.maxConnections },
      requestId: requestIds(io),
      clock: io.uptime,
      onExchange: (exchange) => {
        log.onExchange(exchange)
        page?.metrics.onExchange(exchange)
      },
    },
  )
  open.defer(listening.close)
  page?.metrics.watch(listening.connections)
  if (tls) {
    page?.metrics.onCertificate(tls.validTo)
    onReload.push(() => {
      void renewPair(cli, tls.files, (pair, validTo) => {
        listening.renew(pair)
        page?.metrics.onCertificate(validTo)
      })
    })
  }
  await io.stdout.write(`${listening.url}/api\n`)
  await adviseAccess(cli, db)
  if (io.stderr.isTerminal) await cli.note('Ctrl-C stops it')
  await stopped(signal)
}
