import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { KpiError } from '../../domain/errors.ts'
import type { Db, Reader, SqlInput, SqlOutput, SqlRow, Visit, Writer } from '../db.ts'
import { createKeyedSemaphore } from '../queue.ts'
import { parseConnectionUrl } from './connection-url.ts'
import { isConflict, isTimeout, postgresError } from './postgres-errors.ts'
import { type Begin, beginSql, createPool, numberTypes, PLANNING, types } from './postgres-pool.ts'
import { arrayOf, arraysOf, sqlOfEach, sqlOfInsert, sqlOfUpdate, toPostgres } from './postgres-sql.ts'

/** Describes how to reach a PostgreSQL database. */
export type PostgresPlace = {
  readonly url: string
  /** Bounds the connections of one instance. */
  readonly connections?: number
  /** Sets the client's timeout for a statement; longer than the server's own, whose error says more. */
  readonly patienceMs?: number
  /** Ends all connections when it is aborted, and with them what waits for the database. */
  readonly signal?: AbortSignal
}

const CONNECTIONS = 10
const PATIENCE_MS = 35_000
/** Sets how often a transaction is tried that the database aborts because of a conflict. */
const ATTEMPTS = 10
const RETRY_PAUSE_MS = 5

/** Sets how many rows are fetched at a time, and after how many rows other requests run. */
const ROWS_PER_FETCH = 2000
const ROWS_PER_TURN = 500

/**
 * Visits the rows of a query through a cursor. It fetches the next batch only after it has visited the last one, so
 * that it never holds more than one, however long a visit takes.
 */
const visitRows = async (client: pg.ClientBase, sql: string, values: unknown[], visit: Visit): Promise<void> => {
  await client.query(`declare long_read no scroll cursor for ${sql}`, values)
  const fetch: pg.QueryArrayConfig = { text: `fetch ${ROWS_PER_FETCH} from long_read`, rowMode: 'array', types }
  for (let isOver = false; !isOver;) {
    const { rows } = await client.query<SqlOutput[]>(fetch)
    for (const [at, row] of rows.entries()) {
      const visiting = visit(row)
      if (visiting) await visiting
      if ((at + 1) % ROWS_PER_TURN === 0) await setImmediate()
    }
    isOver = rows.length < ROWS_PER_FETCH
  }
  await client.query('close long_read')
}

/** Returns a `Writer` on one connection. */
const createWriter = (client: pg.ClientBase): Writer => {
  const query = (text: string, values: readonly unknown[]): Promise<pg.QueryResult<SqlRow>> =>
    client.query<SqlRow>(text, [...values])
  return {
    // The database process looks keys up, so nothing here is blocked.
    keysPerQuery: Infinity,
    all: async (sql: string, values: readonly SqlInput[] = []) => (await query(toPostgres(sql), values)).rows,
    each: (sql, values, visit) => visitRows(client, toPostgres(sql), [...values], visit),
    allOfEach: async (sql, account, lists) => {
      const [first] = lists
      if (!first) return []
      const integers = first.map((_, at) => ({ name: `p${at}`, type: 'integer' }) as const)
      const values = [account, ...arraysOf(integers, lists)]
      const asked = { text: sqlOfEach(sql, first.length), values, rowMode: 'array' as const, types: numberTypes }
      return (await client.query<(string | number | null)[]>(asked)).rows
    },
    run: async (sql: string, values: readonly SqlInput[] = []) => (await query(toPostgres(sql), values)).rowCount ?? 0,
    insertMany: async (table, count, columns, account) => {
      if (count === 0) return
      const arrays = columns.map((column) => arrayOf(column, count))
      const hasAccount = account !== undefined
      await query(sqlOfInsert(table, columns, hasAccount), hasAccount ? [account, ...arrays] : arrays)
    },
    updateMany: async (table, account, key, columns, rows) => {
      if (rows.length === 0) return
      await query(sqlOfUpdate(table, key, columns), [account, ...arraysOf([...key, ...columns], rows)])
    },
  }
}

const commit = async (client: pg.ClientBase): Promise<void> => {
  const { command } = await client.query('commit')
  if (command !== 'COMMIT') throw new KpiError('internal', 'a transaction was rolled back instead of committed')
}

/** Rolls back; returns whether that failed, so that the connection must be closed. */
const rollbackFails = (client: pg.ClientBase): Promise<boolean> =>
  client.query('rollback').then(
    () => false,
    () => true,
  )

/** Runs `work` with a connection. Rolls back and releases it if `work` throws; otherwise `work` must release it. */
const withClient = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  try {
    return await work(client)
  } catch (error) {
    client.release(isTimeout(error) || (await rollbackFails(client)))
    throw error
  }
}

/** Describes a query that locks a row until the transaction ends. */
type Lock = { readonly sql: string; readonly values: readonly number[] }

/** Describes where transactions run, and the statements that begin them. */
type Sessions = { readonly pool: pg.Pool; readonly begin: Begin }

/** Runs `work` in a write transaction that first locks a row, if a lock is given. */
const writeTransaction = <T>(
  { pool, begin }: Sessions,
  lock: Lock | undefined,
  work: (tx: Writer) => Promise<T>,
): Promise<T> =>
  withClient(pool, async (client) => {
    const begun = client.query(begin.write)
    await Promise.all([begun, lock && client.query(toPostgres(lock.sql), [...lock.values])])
    const result = await work(createWriter(client))
    await commit(client)
    client.release()
    return result
  })

/**
 * Runs `work` in a read transaction. `begin` is pipelined with the first statement; `commit` is not awaited, since it
 * cannot change what was read.
 */
const readTransaction = <T>({ pool, begin }: Sessions, work: (tx: Reader) => Promise<T>): Promise<T> =>
  withClient(pool, async (client) => {
    const begun = client.query(begin.read)
    // Awaited below; this only avoids an unhandled rejection.
    begun.catch(() => undefined)
    let result: T
    try {
      result = await work(createWriter(client))
    } finally {
      // Why a transaction does not begin says more than the errors of its statements.
      await begun
    }
    client.query('commit').then(
      () => client.release(),
      () => client.release(true),
    )
    return result
  })

/** Runs a transaction again that the database aborts because of a conflict. */
const retryConflicts = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConflict(error) || attempts >= ATTEMPTS) throw error
    }
    await wait(RETRY_PAUSE_MS * 2 ** attempts)
  }
}

/** Locks one row, of the store or of an account, so that its writers exclude each other. */
const LOCK_STORE = 'select version from kpi_store for update'
const LOCK_ACCOUNT = 'select id from accounts where id = ? for update'

/** Describes a `Db` on PostgreSQL. `selfLocking` is always set: it writes before the rows to lock exist. */
type PostgresDb = Db & { readonly selfLocking: Db }

/** Creates a `Db` on PostgreSQL; `where` names it in errors, `planning` is set in every transaction. */
export const postgresDb = (place: PostgresPlace, where: string, planning = PLANNING): PostgresDb => {
  const { connections = CONNECTIONS, patienceMs = PATIENCE_MS, signal } = place
  const to = parseConnectionUrl(place.url)
  const pool = createPool(to, connections, patienceMs, signal)
  const sessions = { pool, begin: beginSql(to, planning) }
  const convertErrors = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await retryConflicts(task)
    } catch (error) {
      throw postgresError(error, where)
    }
  }
  const read = <T>(work: (tx: Reader) => Promise<T>): Promise<T> => convertErrors(() => readTransaction(sessions, work))
  const writeAfter = <T>(work: (tx: Writer) => Promise<T>, lock: string, ...values: number[]): Promise<T> =>
    convertErrors(() => writeTransaction(sessions, { sql: lock, values }, work))
  // Writers of an account exclude each other anyway; those that wait must not hold connections that others need.
  const writeSlots = createKeyedSemaphore(1)
  const readsPerAccount = Math.ceil(connections / 3)
  // Long reads have a semaphore of their own, so that short reads of the same account do not wait behind them.
  const [readSlots, longReadSlots] = [createKeyedSemaphore(readsPerAccount), createKeyedSemaphore(readsPerAccount)]
  const selfLocking: Db = {
    read,
    readLong: read,
    write: (work) => convertErrors(() => writeTransaction(sessions, undefined, work)),
    ofAccount: () => selfLocking,
    stamp: () => undefined,
    close: () => pool.end(),
  }
  return {
    ...selfLocking,
    write: (work) => writeAfter(work, LOCK_STORE),
    ofAccount: (account) => ({
      ...selfLocking,
      read: (work) => readSlots(account, () => read(work)),
      readLong: (work) => longReadSlots(account, () => read(work)),
      write: (work) => writeSlots(account, () => writeAfter(work, LOCK_ACCOUNT, account)),
    }),
    selfLocking,
  }
}
