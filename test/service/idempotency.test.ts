import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ErrorCode, KpiError } from '../../src/domain/errors.ts'
import { classicStatus } from '../../src/server/api/status.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { createIdempotentRunner, type RunIdempotently } from '../../src/service/limits/idempotency.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import type { KeptAnswer } from '../../src/store/tables/idempotency.ts'
import { type Cut, cutPostgres } from '../support/cut-postgres.ts'
import { some } from '../support/soak/tests.ts'
import { databases, emptyPostgresDatabase, postgresDatabase, sqliteDatabase } from '../support/databases.ts'

const ANSWER: KeptAnswer = { status: 201, location: null, contentType: null, body: 'made' }
const FAULT: KeptAnswer = { ...ANSWER, status: 400, body: 'refused' }

/** Every way to end but that with faults in the fields, which are an answer to keep. */
const CODES = (Object.keys(classicStatus) as ErrorCode[]).filter((code) => code !== 'invalid')

/** Two instances on one store, of which the connections of the first can be taken away, and what it does later. */
type Pair = {
  readonly first: RunIdempotently
  readonly second: RunIdempotently
  readonly db: Db
  /** Does now what the first instance has put off. */
  readonly doLater: () => Promise<void>
}

const pairOf = async (db: Db, direct: Db): Promise<Pair> => {
  await ensureDefaultAccount(direct, 0)
  const tasks: (() => void)[] = []
  return {
    first: createIdempotentRunner(db, (task) => tasks.push(task)),
    second: createIdempotentRunner(direct),
    db: direct,
    doLater: async () => {
      for (const task of tasks.splice(0)) task()
    },
  }
}

const requestOf = (key: string) => ({ account: 1, path: '/api/kpicategories', key, fingerprint: 'x', now: 100 })

const insert =
  'insert into categories (account_id, id, name, sort_order, created_at, updated_at) values (1, ?, ?, 1, 0, 0)'
let id = 10

/** Makes a category that is named as the key. */
const making = (key: string) => ({
  perform: async (open: Db): Promise<KeptAnswer> => {
    await open.write((tx) => tx.run(insert, [(id += 1), key]))
    return ANSWER
  },
  faultAnswer: () => undefined,
})

const failing = (error: Error) => ({
  perform: async (): Promise<KeptAnswer> => {
    throw error
  },
  faultAnswer: (fault: unknown) => (fault instanceof KpiError && fault.code === 'invalid' ? FAULT : undefined),
})

const countOf = async (db: Db, key: string): Promise<number> => {
  // A request comes in a callback of its own.
  await nextTurn()
  return (await db.read((tx) => tx.all('select id from categories where name = ?', [key]))).length
}

const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof KpiError && error.code === code

/** Asks again as long as the answer is that of an error, as many times as a test has time for. */
const askAgain = async (run: RunIdempotently, key: string, onError: (error: unknown) => Promise<void>) => {
  for (;;) {
    try {
      return await run(requestOf(key), making(key))
    } catch (error) {
      await onError(error)
    }
  }
}

/** Expects that a key is free for the same instance at once, and for the other one as soon as the store can be told. */
const expectFree = async ({ first, second, db, doLater }: Pair, key: string, by: 'same' | 'other'): Promise<void> => {
  await (by === 'same'
    ? askAgain(first, key, async (error) => {
        // A connection that was cut may be noticed only when it is used.
        if (!hasCode(error, 'unavailable')) throw error
      })
    : askAgain(second, key, async (error) => {
        if (!hasCode(error, 'conflict')) throw error
        await doLater()
      }))
  expect([key, await countOf(db, key)]).toEqual([key, 1])
  expect(await second(requestOf(key), making(key))).toEqual({ answer: ANSWER, isReplayed: true })
}

describe.each(databases)('on %s a request', (_, make) => {
  const openPair = async (): Promise<Pair> => {
    const database = await make()
    const [db, direct] = [await database.open(), await database.open()]
    onTestFinished(async () => {
      await db.close()
      await direct.close()
      await database[Symbol.asyncDispose]()
    })
    return pairOf(db, direct)
  }

  test.each(CODES)('that ends with %s frees its key', async (code) => {
    const pair = await openPair()
    for (const by of ['same', 'other'] as const) {
      const key = `${code} ${by}`
      const error = new KpiError(code, 'an end')
      await expect(pair.first(requestOf(key), failing(error))).rejects.toBe(error)
      await expectFree(pair, key, by)
    }
  })

  test('that ends with an error of the program frees its key', async () => {
    const pair = await openPair()
    await expect(pair.first(requestOf('k'), failing(new TypeError('a bug')))).rejects.toThrow('a bug')
    await expectFree(pair, 'k', 'other')
  })

  test('that runs keeps its key from both instances', async () => {
    const { first, second } = await openPair()
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const running = first(requestOf('k'), {
      perform: async () => {
        begun.resolve()
        await released.promise
        return ANSWER
      },
      faultAnswer: () => undefined,
    })
    await begun.promise
    // Writers of an account wait for each other, so they find the answer, and do nothing.
    const others = [first, second].map((run) => run(requestOf('k'), failing(new Error('done twice'))))
    released.resolve()
    for (const one of [await running, ...(await Promise.all(others))]) expect(one.answer).toEqual(ANSWER)
  })
})

describe('while another process holds SQLite from a write on', () => {
  const WORKS = {
    'a request that writes': () => making('k'),
    'a request with a fault in its fields': () => failing(new KpiError('invalid', 'wrong')),
    'a request that ends in a conflict': () => failing(new KpiError('conflict', 'taken')),
  }
  /** How many writes it takes until there is an answer to keep; a conflict is none. */
  const WRITES_TO_KEEP: Record<keyof typeof WORKS, number> = {
    'a request that writes': 2,
    'a request with a fault in its fields': 3,
    'a request that ends in a conflict': Infinity,
  }
  const cases = Object.keys(WORKS).flatMap((what) =>
    [1, 2, 3, 4].flatMap((write) => (['same', 'other'] as const).map((by) => ({ what, write, by }))),
  )

  test.each(cases)('$what, held from write $write on: its key is free for the $by instance', async (one) => {
    await using database = await sqliteDatabase()
    const direct = await database.open()
    const path = `${database.dataDir}/kpi.db`
    const impatient = sqliteDb(path, { patienceMs: 0 })
    const holder = new DatabaseSync(path)
    let writes = 0
    // Holds the file just before a write begins.
    const held: Db = {
      ...impatient,
      write: (work) => {
        if ((writes += 1) === one.write) holder.exec('begin immediate')
        return impatient.write(work)
      },
      ofAccount: () => held,
    }
    const pair = await pairOf(held, direct)
    const key = 'k'
    await pair.first(requestOf(key), WORKS[one.what as keyof typeof WORKS]()).catch(() => undefined)
    writes = Infinity
    if (holder.isTransaction) holder.exec('rollback')
    const [row] = await direct.read((tx) => tx.all('select status from idempotent_requests'))
    // Where all was done before the file was held, there is an answer.
    const isKept = row !== undefined && row['status'] !== null
    expect(isKept).toBe(one.write > WRITES_TO_KEEP[one.what as keyof typeof WORKS])
    if (!isKept) await expectFree(pair, key, one.by)
    holder.close()
    await impatient.close()
    await direct.close()
  })
})

describe('while PostgreSQL is cut off', () => {
  const cuts = (['before', 'after'] as const).flatMap((cut: Cut) =>
    (['same', 'other'] as const).map((by) => ({ cut, by })),
  )

  test.each(some(2, cuts))(
    '$cut any message: the key is free for the $by instance, and what was written is written once',
    { timeout: 120_000 },
    async ({ cut, by }) => {
      await using database = await postgresDatabase()
      const direct = await database.open()
      await using way = await cutPostgres(database.env['KPI_POSTGRES_URL'] ?? '')
      const db = await openPostgres({ url: way.url })
      const pair = await pairOf(db, direct)
      let cutOff = 0
      for (let message = 1, isOver = false; !isOver; message += 1) {
        const key = `${cut} ${by} ${message}`
        // An open connection, so that each round sends the same.
        await db.read((tx) => tx.all('select 1'))
        way.cutAt(message, cut)
        const ended = await pair.first(requestOf(key), making(key)).then(
          () => 'done',
          () => 'failed',
        )
        isOver = !way.isCut()
        way.restore()
        cutOff += isOver ? 0 : 1
        expect(isOver ? ended : 'done').toBe('done')
        await expectFree(pair, key, by)
      }
      expect(cutOff).toBeGreaterThan(5)
      await db.close()
      await direct.close()
    },
  )
})

describe('while the outcome of a claim is not decided', () => {
  const LOCK = 4711
  const POLL = { interval: 5, timeout: 20_000 }
  /** Makes a commit of a claim wait as long as the test holds a lock, as one waits for a standby. */
  const HOLDING = `create function hold() returns trigger language plpgsql as
    $$ begin if exists (select from idempotent_requests where owner = new.owner) then perform pg_advisory_xact_lock_shared(${LOCK}); end if; return null; end $$`
  const HELD = `create constraint trigger held after insert on idempotent_requests
    deferrable initially deferred for each row execute function hold()`
  /** Tells whether a session waits for what an event is of, in a statement like this. */
  const isWaiting = async (db: Db, event: string, statement: string): Promise<boolean> => {
    const sql = 'select pid from pg_stat_activity where wait_event = ? and query like ?'
    return (await db.read((tx) => tx.all(sql, [event, statement]))).length > 0
  }

  test.each(['same', 'other'] as const)('its request, cut off, frees the key for the %s instance', async (by) => {
    await using database = await emptyPostgresDatabase()
    const [direct, holder] = [await database.open(), await database.open()]
    await using way = await cutPostgres(database.env['KPI_POSTGRES_URL'] ?? '')
    const db = await openPostgres({ url: way.url })
    const pair = await pairOf(db, direct)
    for (const sql of [HOLDING, HELD]) await direct.write((tx) => tx.run(sql))
    const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = holder.selfLocking?.write(async (tx) => {
      await tx.all(`select pg_advisory_xact_lock(${LOCK})`)
      held.resolve()
      await letGo.promise
    })
    await held.promise
    const request = pair.first(requestOf('k'), making('k'))
    try {
      await expect.poll(() => isWaiting(direct, 'advisory', 'commit'), POLL).toBe(true)
      way.cut()
      await expect(request).rejects.toMatchObject({ code: 'unavailable' })
      way.restore()
      const isReleasing = async (): Promise<boolean> => {
        await pair.doLater()
        return isWaiting(direct, 'transactionid', '%idempotent_requests%')
      }
      await expect.poll(isReleasing, POLL).toBe(true)
    } finally {
      letGo.resolve()
    }
    await holding
    await expectFree(pair, 'k', by)
    for (const one of [db, direct, holder]) await one.close()
  })
})
