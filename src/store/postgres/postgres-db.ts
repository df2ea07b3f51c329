import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { KpiError } from '../../domain/errors.ts'
import type { Db, Reader, SqlInput, SqlOutput, SqlRow, Visit, Writer } from '../db.ts'
import { createKeyedSemaphore } from '../queue.ts'
import { isGivenUp, isUnanswered, postgresError } from './postgres-errors.ts'
import { arraysOf, sqlOfEach, sqlOfInsert, sqlOfUpdate, toPostgres } from './postgres-sql.ts'

/** Describes how a PostgreSQL is reached. */
export type PostgresPlace = {
  readonly url: string
  /** Bounds the connections of one instance. */
  readonly connections?: number
  /** Sets how long a statement is waited for: longer than the database itself takes to give one up. */
  readonly patienceMs?: number
}

const SETTINGS = {
  application_name: 'kpi',
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  // The last one stays: it answers at once, and shows that somebody uses the store.
  min: 1,
  // Statements are sent without waiting for the answers to those before them: each wait is a turn of a busy process.
  pipeline: true,
  statement_timeout: 30_000,
  lock_timeout: 20_000,
  idle_in_transaction_session_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}
const CONNECTIONS = 10
const PATIENCE_MS = 35_000
/** Sets how often a transaction is run that the database gives up for others. */
const ATTEMPTS = 10
const RETRY_PAUSE_MS = 5

const { BOOL, INT2, INT4, INT8, NUMERIC } = pg.types.builtins
const readNumber = (text: string): SqlOutput => (text.includes('.') ? text : BigInt(text))
const READERS: ReadonlyMap<number, (text: string) => SqlOutput> = new Map([
  [BOOL, (text: string) => (text === 't' ? 1n : 0n)],
  ...[INT2, INT4, INT8, NUMERIC].map((type) => [type, readNumber] as const),
])
const asText = (text: string): SqlOutput => text
const types: pg.CustomTypesConfig = { getTypeParser: (type: number) => READERS.get(type) ?? asText }

/** Sets how many rows come at a time, after which others have their turn. */
const ROWS_A_FETCH = 2000
const ROWS_A_TURN = 500

/**
 * Visits the rows of a query through a cursor: the next batch is fetched when the last has been visited, so that no
 * more than one is held, however long a visit takes.
 */
const visitRows = async (client: pg.ClientBase, sql: string, values: unknown[], visit: Visit): Promise<void> => {
  // All rows are going to be read: a plan that gives the first ones early would take longer.
  const setting = client.query('set local cursor_tuple_fraction = 1')
  await Promise.all([setting, client.query(`declare long_read no scroll cursor for ${sql}`, values)])
  const fetch: pg.QueryArrayConfig = { text: `fetch ${ROWS_A_FETCH} from long_read`, rowMode: 'array', types }
  for (let isOver = false; !isOver;) {
    const { rows } = await client.query<SqlOutput[]>(fetch)
    for (const [at, row] of rows.entries()) {
      const visiting = visit(row)
      if (visiting) await visiting
      if ((at + 1) % ROWS_A_TURN === 0) await setImmediate()
    }
    isOver = rows.length < ROWS_A_FETCH
  }
  await client.query('close long_read')
}

/** Returns a reader on one connection. */
const asking = (client: pg.ClientBase): Writer => {
  const ask = (text: string, values: readonly unknown[]): Promise<pg.QueryResult<SqlRow>> =>
    client.query<SqlRow>(text, [...values])
  return {
    // It looks them up elsewhere.
    keysAQuery: Infinity,
    all: async (sql: string, values: readonly SqlInput[] = []) => (await ask(toPostgres(sql), values)).rows,
    each: (sql, values, visit) => visitRows(client, toPostgres(sql), [...values], visit),
    allOfEach: async (sql, lists) => {
      const [first] = lists
      if (!first) return []
      const integers = first.map(() => 'integer' as const)
      return (await ask(sqlOfEach(sql, first.length), arraysOf(integers, lists))).rows
    },
    run: async (sql: string, values: readonly SqlInput[] = []) => (await ask(toPostgres(sql), values)).rowCount ?? 0,
    insertMany: async (table, columns, rows) => {
      const kinds = columns.map(({ type }) => type)
      if (rows.length > 0) await ask(sqlOfInsert(table, columns), arraysOf(kinds, rows))
    },
    updateMany: async (table, key, columns, rows) => {
      const kinds = [...key, ...columns].map(({ type }) => type)
      if (rows.length > 0) await ask(sqlOfUpdate(table, key, columns), arraysOf(kinds, rows))
    },
  }
}

const commit = async (client: pg.ClientBase): Promise<void> => {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') throw new KpiError('internal', 'a transaction was undone in place of being committed')
}

/** Tells whether the transaction of a connection cannot be ended. */
const isStuck = (client: pg.ClientBase): Promise<boolean> =>
  client.query('rollback').then(
    () => false,
    () => true,
  )

/** Works with a connection, and gives it back where that fails; else `work` does. */
const withClient = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  try {
    return await work(client)
  } catch (error) {
    client.release(isUnanswered(error) || (await isStuck(client)))
    throw error
  }
}

const SNAPSHOT = 'begin transaction isolation level repeatable read read only'
const WRITE = 'begin transaction isolation level read committed'

/** Describes a row that is locked until the end of a transaction. */
type Lock = { readonly sql: string; readonly values: readonly number[] }

/** Writes in a transaction that has begun, and holds a row: nothing of it can be done outside of one. */
const writeOn = <T>(pool: pg.Pool, lock: Lock | undefined, work: (tx: Writer) => Promise<T>): Promise<T> =>
  withClient(pool, async (client) => {
    const begun = client.query(WRITE)
    await Promise.all([begun, lock && client.query(toPostgres(lock.sql), [...lock.values])])
    const result = await work(asking(client))
    await commit(client)
    client.release()
    return result
  })

/**
 * Reads in one transaction, whose begin goes out with the first statement, and whose end is not waited for, as it can
 * change nothing of what was read.
 */
const readOn = <T>(pool: pg.Pool, work: (tx: Reader) => Promise<T>): Promise<T> =>
  withClient(pool, async (client) => {
    const begun = client.query(SNAPSHOT)
    // Whether it failed is asked when nothing is under way any more on this connection.
    begun.catch(() => undefined)
    const result = await work(asking(client))
    await begun
    client.query('commit').then(
      () => client.release(),
      () => client.release(true),
    )
    return result
  })

/** Runs a transaction again that the database gave up for another one. */
const persistently = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isGivenUp(error) || attempts >= ATTEMPTS) throw error
    }
    await wait(RETRY_PAUSE_MS * 2 ** attempts)
  }
}

/** Locks the row of all accounts, or of one: nobody else writes to the same at that time. */
const LOCK_STORE = 'select version from kpi_store for update'
const LOCK_ACCOUNT = 'select id from accounts where id = ? for update'

/** Gives a statement one process of the database, so that the requests of one client do not take all of its processors. */
const ONE_PROCESS = '-c max_parallel_workers_per_gather=0'

/** Adds our settings of a session before those that a URL gives, which win. */
const withSettings = (url: string): string => {
  const whole = new URL(url)
  const given = whole.searchParams.get('options') ?? ''
  whole.searchParams.set('options', `${ONE_PROCESS} ${given}`.trim())
  return whole.href
}

const createPool = ({ url, connections = CONNECTIONS, patienceMs = PATIENCE_MS }: PostgresPlace): pg.Pool => {
  // A server that hangs or cannot be reached any more answers nothing, not even that it took too long.
  const limits = { ...SETTINGS, query_timeout: patienceMs }
  const pool = new pg.Pool({ ...limits, connectionString: withSettings(url), max: connections, types })
  // A connection that is lost while nobody uses it is replaced; while somebody does, their query fails and says so.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Describes a PostgreSQL as a `Db`; work without locks can write before there are rows to lock. */
type PostgresDb = Db & { readonly selfLocking: Db }

/** Creates a `Db` on PostgreSQL; `where` names it in errors. */
export const postgresDb = (place: PostgresPlace, where: string): PostgresDb => {
  const pool = createPool(place)
  const convertErrors = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await persistently(task)
    } catch (error) {
      throw postgresError(error, where)
    }
  }
  const read = <T>(work: (tx: Reader) => Promise<T>): Promise<T> => convertErrors(() => readOn(pool, work))
  const writeAfter = <T>(work: (tx: Writer) => Promise<T>, lock: string, ...values: number[]): Promise<T> =>
    convertErrors(() => writeOn(pool, { sql: lock, values }, work))
  // Writers of an account wait for each other anyway: those that do must not keep connections from other accounts.
  const writing = createKeyedSemaphore(1)
  const most = Math.ceil((place.connections ?? CONNECTIONS) / 3)
  // Long reads have a gate of their own, so that the short ones of the same account do not wait behind them.
  const [reading, readingLong] = [createKeyedSemaphore(most), createKeyedSemaphore(most)]
  const selfLocking: Db = {
    read,
    readLong: read,
    write: (work) => convertErrors(() => writeOn(pool, undefined, work)),
    ofAccount: () => selfLocking,
    stamp: () => undefined,
    close: () => pool.end(),
  }
  return {
    ...selfLocking,
    write: (work) => writeAfter(work, LOCK_STORE),
    ofAccount: (account) => ({
      ...selfLocking,
      read: (work) => reading(account, () => read(work)),
      readLong: (work) => readingLong(account, () => read(work)),
      write: (work) => writing(account, () => writeAfter(work, LOCK_ACCOUNT, account)),
    }),
    selfLocking,
  }
}
