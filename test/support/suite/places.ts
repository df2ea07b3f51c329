import { createClassicHandler } from '../../../src/server/api/classic.ts'
import { createBothHandlers } from '../../../src/server/api/variants.ts'
import { createV1Handler } from '../../../src/server/api/v1.ts'
import { listen } from '../../../src/server/http/listener.ts'
import type { CallerLimits } from '../../../src/server/auth/authenticate.ts'
import { VARIANTS } from '../../../src/domain/variants.ts'
import { createLoginThrottle } from '../../../src/service/limits/login-throttle.ts'
import { createRateLimit } from '../../../src/service/limits/rate-limit.ts'
import type { Db } from '../../../src/store/db.ts'
import type { OpenLimits } from '../../../src/store/rate-limits/open-limits.ts'
import type { Database } from '../databases.ts'
import { NOW } from '../io.ts'
import { openLimits } from '../limits.ts'
import { type Service, startService } from '../service.ts'
import { ask, type Asker } from './ask.ts'
import { COUNTED } from './limit-rows.ts'
import type { Place } from './row.ts'
import { copyOfWorld, emptyAccount, neighbour, worldOf } from './world.ts'

/** Everybody whom the suite asks, on one database. */
export type Places = Readonly<Record<Place, Asker>> & {
  /** A fresh account that holds what every account of the suite holds. */
  readonly fresh: () => Promise<Asker>
} & AsyncDisposable

const onStore = (service: Service, db: Db, limits?: CallerLimits): Service => {
  const deps = {
    db,
    version: '1',
    now: () => NOW / 1000,
    requestId: () => 'another',
    onError: () => undefined,
    ...(limits && { limits }),
  }
  return { ...service, db, handler: createBothHandlers(createClassicHandler(deps), createV1Handler(deps)) }
}

/** The limits of a service for which no time passes. */
const limitsOf = ({ db }: OpenLimits, limit: number): CallerLimits => {
  const store = { db, now: () => Promise.resolve(NOW) }
  return { throttle: createLoginThrottle(store), rate: createRateLimit(store, limit) }
}

/** Sends what a limit of 1 and the brake on wrong credentials take note of. */
const exceed = async (limited: Asker): Promise<void> => {
  for (const variant of VARIANTS) {
    await ask(limited, { ask: 'GET /kpis' }, 'json', variant)
    for (let time = 0; time < 10; time += 1) {
      await ask(limited, { ask: 'GET /kpis', login: 'wrong@example.com' }, 'json', variant)
    }
  }
}

const withoutEntries = async (service: Service): Promise<Service> => {
  const world = await worldOf(service)
  await world.db.write((tx) => tx.run('alter table entries rename to gone'))
  return world
}

/** Starts services on a database of a kind: one in order, one with a table missing, one without its store. */
export const openPlaces = async (make: () => Promise<Database>): Promise<Places> => {
  const stack = new AsyncDisposableStack()
  const start = async (database?: Database): Promise<Service> =>
    stack.use(await startService(NOW, database ? () => Promise.resolve(database) : make))
  const at = async (service: Service): Promise<Asker> => {
    const server = await listen(service.handler, '127.0.0.1', 0)
    stack.defer(server.close)
    return { service, url: server.url }
  }
  const { service: main, url } = await at(await start())
  const lost = await make()
  const unavailable = await start(lost)
  const held = await lost.openUnavailable()
  stack.defer(held.close)
  await neighbour(main)
  const model = await worldOf(main)
  const counts = await openLimits(main.db, `${main.dataDir}/limits.db`, () => NOW)
  stack.defer(counts.close)
  const limited = await at(onStore(await emptyAccount(main), main.db, limitsOf(counts, 1)))
  await exceed(limited)
  return {
    usual: { service: await worldOf(main), url },
    off: { service: await emptyAccount(main, 'off'), url },
    individual: { service: await emptyAccount(main, 'individual'), url },
    broken: await at(await withoutEntries(await start())),
    unavailable: await at(onStore(unavailable, held)),
    limited,
    counted: await at(onStore(await worldOf(main), main.db, limitsOf(counts, COUNTED))),
    fresh: async () => ({ service: await copyOfWorld(model), url }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
