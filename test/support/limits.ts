import { onTestFinished } from 'vitest'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import type { CallerLimits } from '../../src/server/auth/authenticate.ts'
import { createBothHandlers } from '../../src/server/api/variants.ts'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import type { Db } from '../../src/store/db.ts'
import type { Counted } from '../../src/store/rate-limits/limits.ts'
import { limitsBeside, limitsWithin, type OpenLimits } from '../../src/store/rate-limits/open-limits.ts'
import { type Database, sqliteDatabase } from './databases.ts'
import { NOW } from './io.ts'
import { type Service, startService } from './service.ts'

/** A clock that a test sets. */
export type Clock = { now: number }

/** Where the limits of a store are counted: in PostgreSQL itself, or in a file beside SQLite's. */
export const openLimits = async (store: Db, path: string, now: () => number): Promise<OpenLimits> =>
  store.selfLocking ? limitsWithin(store) : limitsBeside(path, now)

/** A place where limits are counted, which may be opened as often as there are instances. */
export type LimitPlace = { readonly open: () => Promise<OpenLimits> }

/** Where the limits of a database are counted, by a test's own clock. */
export const limitPlace = async (make: () => Promise<Database>, clock: Clock): Promise<LimitPlace> => {
  const database = await make()
  const closings: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closings) await close()
    await database[Symbol.asyncDispose]()
  })
  const open: LimitPlace['open'] = async () => {
    const store = await database.open()
    const limits = await openLimits(store, `${database.dataDir}/kpi-limits.db`, () => clock.now)
    let isOpen = true
    const close = async (): Promise<void> => {
      if (!isOpen) return
      isOpen = false
      await limits.close()
      await store.close()
    }
    closings.push(close)
    return { db: limits.db, now: () => Promise.resolve(clock.now), close }
  }
  return { open }
}

/** A service that holds its callers to limits, by a clock that a test sets. */
export type LimitedService = Service & { readonly clock: Clock }

/**
 * An instance more of a service, with a clock of its own choice. Each key has the same limit as each account's token
 * unless another is given; 0 is none.
 */
export const limited = async (
  service: Service,
  limit: number,
  clock: Clock = { now: NOW },
  limitV1 = limit,
): Promise<LimitedService> => {
  const limits = await openLimits(service.db, `${service.dataDir}/kpi-limits.db`, () => clock.now)
  onTestFinished(limits.close)
  const store = { db: limits.db, now: () => Promise.resolve(clock.now) }
  let requests = 0
  const deps = {
    db: service.db,
    version: '0.0.0-test',
    now: () => Math.floor(clock.now / 1000),
    requestId: () => `limited-${(requests += 1)}`,
    onError: (error: unknown) => service.logged.push(error),
  }
  const throttle = createLoginThrottle(store)
  const limitsOf = (most: number): CallerLimits => ({
    throttle,
    ...(most > 0 && { rate: createRateLimit(store, most) }),
  })
  const handler = createBothHandlers(
    createClassicHandler({ ...deps, limits: limitsOf(limit) }),
    createV1Handler({ ...deps, limits: limitsOf(limitV1) }),
  )
  return { ...service, handler, clock }
}

/** A service with limits on a database of its own. */
export const startLimited = async (
  limit: number,
  make: () => Promise<Database> = sqliteDatabase,
): Promise<LimitedService> => limited(await startService(NOW, make), limit)

/** Whose requests are counted: of the token of an account, or of a key. */
export const of = (account: number, key = 0): Counted => ({ account, key })
