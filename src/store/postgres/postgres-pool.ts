import pg from 'pg'
import type { SqlOutput } from '../db.ts'
import { type ConnectionUrl, setLocalSql, type Settings } from './connection-url.ts'

const LIMITS: Settings = new Map([
  ['statement_timeout', '30000'],
  ['lock_timeout', '20000'],
  ['idle_in_transaction_session_timeout', '60000'],
])

/**
 * Lists what makes plans better, and is set only where the database knows it.
 *
 * A statement runs in one process, so that one client cannot occupy all processors of the database. All rows of a
 * cursor are read, so a plan that returns the first ones early would take longer.
 */
export const PLANNING: Settings = new Map([
  ['max_parallel_workers_per_gather', '0'],
  ['cursor_tuple_fraction', '1'],
])

/** Holds the statements that begin transactions and set what holds in them: one text each, so one round trip. */
export type Begin = { readonly read: string; readonly write: string }

/**
 * Returns the statements that begin transactions; the settings of the URL override ours. A session may come from a pool,
 * with the schema and the access mode of another client, and with its temporary tables, which hide nothing behind ours.
 */
export const beginSql = ({ schema, settings: given }: ConnectionUrl, planning: Settings): Begin => {
  const path = `; set local search_path = ${pg.escapeIdentifier(schema)}, pg_temp`
  const settings = path + setLocalSql(new Map([...LIMITS, ...planning, ...given]))
  return {
    read: `begin transaction isolation level repeatable read read only${settings}`,
    write: `begin transaction isolation level read committed read write${settings}`,
  }
}

const CONNECTION = {
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  // Keep one connection open: it saves a connect, and shows that the store is in use.
  min: 1,
  // Send statements without waiting for the results of earlier ones: each wait is a turn of a busy event loop.
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}

const { BOOL, INT2, INT4, INT8, NUMERIC } = pg.types.builtins
const readNumber = (text: string): SqlOutput => (text.includes('.') ? text : BigInt(text))
const READERS: ReadonlyMap<number, (text: string) => SqlOutput> = new Map([
  [BOOL, (text: string) => (text === 't' ? 1n : 0n)],
  ...[INT2, INT4, INT8, NUMERIC].map((type) => [type, readNumber] as const),
])
const asText = (text: string): SqlOutput => text
/** Reads whole numbers that doubles hold exactly. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => ([INT2, INT4, INT8].includes(type) ? Number : asText),
}
export const types: pg.CustomTypesConfig = { getTypeParser: (type: number) => READERS.get(type) ?? asText }

/** Names our sessions to the database, by which it tells whether the store is in use. */
const APPLICATION_NAME = 'kpi'

/**
 * Returns a client that sends no setting when it connects: poolers refuse or ignore them, and give each transaction
 * another session. A pooler passes the application's name on.
 */
const clientOf = ({ applicationName = APPLICATION_NAME }: ConnectionUrl, signal?: AbortSignal): typeof pg.Client =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const cut = (): void => void this.connection.stream.destroy()
      // It connects as soon as it is created.
      if (signal?.aborted) queueMicrotask(cut)
      signal?.addEventListener('abort', cut, { once: true })
      this.once('end', () => signal?.removeEventListener('abort', cut))
    }

    getStartupConf(): Record<string, string | undefined> {
      return { user: this.user, database: this.database, application_name: applicationName }
    }
  }

/**
 * Creates a pool of connections; `patienceMs` bounds waiting for a server that hangs, and sends no error. `signal` ends all
 * connections, also those that are being opened.
 */
export const createPool = (
  to: ConnectionUrl,
  connections: number,
  patienceMs: number,
  signal?: AbortSignal,
): pg.Pool => {
  const pool = new pg.Pool({
    ...CONNECTION,
    Client: clientOf(to, signal),
    connectionString: to.url,
    enableChannelBinding: to.channelBinding,
    query_timeout: patienceMs,
    max: connections,
    types,
  })
  // The pool replaces a connection that is lost while idle; one that is lost in use fails its query, which reports it.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
