import manifest from '../../../package.json' with { type: 'json' }
import { createClassicHandler } from '../../server/api/classic.ts'
import type { HandlerOptions } from '../../server/api/handler.ts'
import { createV1Handler } from '../../server/api/v1.ts'
import { createBothHandlers } from '../../server/api/variants.ts'
import type { CallerLimits } from '../../server/auth/authenticate.ts'
import type { Listener } from '../../server/http/listener.ts'
import { underPublicUrl } from '../../server/http/sender.ts'
import type { Handler } from '../../server/wire.ts'
import { DEFAULT_ACCOUNT } from '../../service/context.ts'
import { createLoginThrottle } from '../../service/limits/login-throttle.ts'
import { createRateLimit } from '../../service/limits/rate-limit.ts'
import type { Db } from '../../store/db.ts'
import type { LimitStore } from '../../store/rate-limits/limits.ts'
import { accounts } from '../../store/tables/accounts.ts'
import type { Cli } from '../cli.ts'
import type { Io } from '../io.ts'
import { createServingLimit } from '../v8-flags.ts'
import { openBundled, openBundledLimits, stoppable, untilStopped } from '../target/bundled-store.ts'
import { targetFlags } from '../target/source.ts'
import { listenAt, type MetricsPage, serveMetrics } from './listen-at.ts'
import { openServiceLog, type ServiceLog } from './log.ts'
import type { ServeSettings } from './settings.ts'
import { readPair, renewPair } from './tls.ts'

/** Says what is still to be done before the interface answers. */
const adviseAccess = async (cli: Cli, db: Db): Promise<void> => {
  const place = targetFlags(cli.flags)
  const [all, known] = await db.read(async (tx) => [
    await accounts.list(tx),
    await accounts.findByName(tx, DEFAULT_ACCOUNT),
  ])
  if (all.length === 0) {
    return cli.note([
      'There is no account yet. Make one, in another terminal:',
      `  kpi service accounts create ${DEFAULT_ACCOUNT} --login you@example.com${place}`,
    ])
  }
  if (!known || known.api_enabled) return
  await cli.note([
    `The API of account ${DEFAULT_ACCOUNT} is not enabled. Enable it, in another terminal, and make a token for /api, or`,
    'a key for the newer interface at /v1:',
    `  kpi service accounts enable-api ${DEFAULT_ACCOUNT}${place}`,
    `  kpi service token create${place}`,
    `  kpi service keys create NAME --user USER --scopes entries:write${place}`,
  ])
}

/** Describes the parts of a server. */
type Parts = {
  readonly cli: Cli
  readonly settings: ServeSettings
  readonly db: Db
  readonly counted: LimitStore
  readonly log: ServiceLog
  readonly page: MetricsPage | undefined
  readonly tls: ReturnType<typeof readPair> | undefined
}

const ID_BYTES = 9
const IDS_AT_ONCE = 100

/** Gives each request an id. Reads random bytes for many at once: a read costs more than the rest of an answer. */
const requestIds = ({ random }: Io): (() => string) => {
  let [bytes, at] = [Buffer.alloc(0), 0]
  return () => {
    if (at >= bytes.length) [bytes, at] = [Buffer.from(random(ID_BYTES * IDS_AT_ONCE)), 0]
    at += ID_BYTES
    return bytes.toString('base64url', at - ID_BYTES, at)
  }
}

/** Returns the handler of both variants on one store. */
const handlerOf = ({ cli, settings, db, counted, log }: Parts): Handler => {
  const throttle = createLoginThrottle(counted)
  const limitsOf = (limit: number): CallerLimits => ({
    throttle,
    ...(limit > 0 && { rate: createRateLimit(counted, limit) }),
  })
  const deps: Omit<HandlerOptions, 'limits'> = {
    db,
    version: manifest.version,
    now: () => Math.floor(cli.io.now() / 1000),
    requestId: requestIds(cli.io),
    onError: log.onError,
  }
  const { rateLimit, rateLimitV1, publicUrl } = settings
  const handler = createBothHandlers(
    createClassicHandler({ ...deps, limits: limitsOf(rateLimit) }),
    createV1Handler({ ...deps, limits: limitsOf(rateLimitV1) }),
  )
  return publicUrl === undefined ? handler : underPublicUrl(handler, publicUrl)
}

const start = (parts: Parts): Promise<Listener> => {
  const { cli, settings, log, page, tls } = parts
  const { host, port, behindProxy, maxConnections } = settings
  const limitMemory = createServingLimit()
  return listenAt(
    handlerOf(parts),
    { host, port, flag: '--port' },
    {
      tls: tls?.pair,
      behindProxy,
      limits: { connections: maxConnections },
      requestId: requestIds(cli.io),
      clock: cli.io.uptime,
      onExchange: (exchange) => {
        limitMemory()
        log.onExchange(exchange)
        page?.metrics.onExchange(exchange)
      },
    },
  )
}

/** Reopens what may have been replaced: the log file and the certificate. */
const reload = ({ cli, settings, log, page }: Parts, listening: Listener): void => {
  log.reopen()
  if (!settings.tls) return
  void renewPair(cli, settings.tls, ({ pair, validTo }) => {
    listening.renew(pair)
    page?.metrics.onCertificate(validTo)
  })
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Starts a server until the deadline, or until it is asked to stop; the signal ends nothing once the server has started. */
const whileStarting = (cli: Cli, begin: (cut: AbortSignal) => Promise<void>): Promise<void> =>
  stoppable(cli, 'nothing was served', (interruption) =>
    untilStopped(
      cli,
      `nothing was served; see whether the store answers: kpi service status${targetFlags(cli.flags)}`,
      async ({ late }) => {
        const starting = new AbortController()
        const cut = (): void => starting.abort()
        late.addEventListener('abort', cut)
        await begin(starting.signal)
        late.removeEventListener('abort', cut)
      },
      interruption,
    ),
  )

/** Serves the bundled service until it is asked to stop; then finishes the requests that it has. */
export const runServer = async (cli: Cli, settings: ServeSettings): Promise<void> => {
  const { io } = cli
  let onReload = (): void => undefined
  io.onReload(() => onReload())
  const signal = io.interruption()
  // Closed at the end, in reverse order.
  await using open = new AsyncDisposableStack()
  const tls = settings.tls && readPair(io, settings.tls)
  const log = openServiceLog(io, settings.accessLog)
  open.defer(log.close)
  await whileStarting(cli, async (cut) => {
    const db = await openBundled(cli, cut)
    open.defer(db.close)
    const counted = await openBundledLimits(cli, db)
    open.defer(counted.close)
    const { metricsPort } = settings
    const page = metricsPort === undefined ? undefined : await serveMetrics(cli, metricsPort, requestIds(io))
    if (page) open.defer(page.close)
    const parts: Parts = { cli, settings, db, counted, log, page, tls }
    const listening = await start(parts)
    open.defer(listening.close)
    page?.metrics.watch(listening.connections)
    if (tls) page?.metrics.onCertificate(tls.validTo)
    onReload = () => reload(parts, listening)
    await io.stdout.write(`${listening.url}/api\n`)
    await adviseAccess(cli, db)
  })
  if (io.stderr.isTerminal) await cli.note('Ctrl-C stops it')
  await stopped(signal)
}
