import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { postgresDb } from '../../src/store/postgres/postgres-db.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { temporaryFolder } from './folder.ts'

/** A place for a store of a test's own, gone with it. */
export type Database = {
  /** A data directory; the store is in it, where it is a file. */
  readonly dataDir: string
  /** The environment in which the command line finds the store, and the flags that tell it so. */
  readonly env: Readonly<Record<string, string>>
  readonly flags: readonly string[]
  /** Opens the store: made when it is opened first. To be closed before the place is gone. */
  readonly open: () => Promise<Db>
  /** Opens the store while nothing can be written to it, as long as that is open. */
  readonly openUnavailable: () => Promise<Db>
  /** A statement after which a transaction may break references until its end. */
  readonly settingReferencesAside: string
} & AsyncDisposable

/** A store that another connection holds for itself. */
const heldBy = (path: string): Db => {
  const holder = new DatabaseSync(path)
  holder.exec('begin immediate')
  const db = sqliteDb(path, { patienceMs: 0 })
  return {
    ...db,
    close: async () => {
      holder.close()
      await db.close()
    },
  }
}

const NOBODY_THERE = 'postgres://kpi@127.0.0.1:1/kpi'

export const sqliteDatabase = async (): Promise<Database> => {
  const folder = temporaryFolder()
  const dataDir = folder.in('data')
  mkdirSync(dataDir)
  return {
    dataDir,
    env: {},
    flags: ['--data-dir', dataDir],
    open: () => openStore(`${dataDir}/kpi.db`),
    openUnavailable: async () => heldBy(`${dataDir}/kpi.db`),
    settingReferencesAside: 'pragma defer_foreign_keys = on',
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}

const connected = async (url: string): Promise<Client> => {
  const client = new Client(url)
  await client.connect()
  // A runner whose tests are over does not wait for it.
  client.on('error', () => undefined)
  return client
}

const clients = new Map<string, Promise<Client>>()

/** Runs a statement over a connection to a server that all tests of a file share. */
const runOn = async (url: string, sql: string): Promise<void> => {
  const client = clients.get(url) ?? connected(url)
  clients.set(url, client)
  await (await client).query(sql)
}

/** Ends the connections that tests share: a program that is no test run does not end before. */
export const endConnections = async (): Promise<void> => {
  for (const client of clients.values()) await (await client).end()
  clients.clear()
}

/** A schema of its own in a PostgreSQL: that of the tests where no other is named. */
export const postgresDatabase = async (server = inject('postgresUrl')): Promise<Database> => {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  await runOn(server, `create schema ${schema}`)
  const folder = temporaryFolder()
  const url = new URL(server)
  url.searchParams.set('options', `-c search_path=${schema}`)
  return {
    dataDir: folder.path,
    env: { KPI_POSTGRES_URL: url.href },
    flags: ['--store', 'postgres'],
    open: () => openPostgres({ url: url.href }),
    openUnavailable: async () => postgresDb({ url: NOBODY_THERE }, 'nowhere'),
    settingReferencesAside: 'set local session_replication_role = replica',
    [Symbol.asyncDispose]: async () => {
      folder[Symbol.dispose]()
      await runOn(server, `drop schema ${schema} cascade`)
    },
  }
}

/** Every database that a store can be in, by name. What holds on one must hold on all. */
export const databases: readonly (readonly [name: string, make: () => Promise<Database>])[] = [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
]
