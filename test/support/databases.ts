import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { Db } from '../../src/store/db.ts'
import { distributeTables, hasCitus } from '../../src/store/postgres/citus.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { postgresDb } from '../../src/store/postgres/postgres-db.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { temporaryFolder } from './folder.ts'
import { putNewStore } from './new-store.ts'
import { type Pooler, startPooler } from './pooler.ts'

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

/** A new store in a file. */
export const sqliteDatabase = async (): Promise<Database> => {
  const database = await emptySqliteDatabase()
  await putNewStore(`${database.dataDir}/kpi.db`)
  return database
}

const NOBODY_THERE = 'postgres://kpi@127.0.0.1:1/kpi'

/** A place for a file of a test's own, without a store. */
const emptySqliteDatabase = async (): Promise<Database> => {
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

/** Returns a connection to a server that all tests of a file share. */
const clientOf = (url: string): Promise<Client> => {
  const client = clients.get(url) ?? connected(url)
  clients.set(url, client)
  return client
}

const runOn = async (url: string, sql: string): Promise<void> => {
  await (await clientOf(url)).query(sql)
}

/** A schema of a PostgreSQL, as a place for a store. */
const placeIn = (server: string, schema: string, leave: () => Promise<void>): Database => {
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
      await leave()
    },
  }
}

/** What the names of schemas of this run begin with. A soak is a run without a runner. */
const SCHEMAS = process.env['VITEST'] === undefined ? 'test_' : inject('postgresSchemas')

const createSchema = async (server: string): Promise<string> => {
  const schema = `${SCHEMAS}${randomUUID().replaceAll('-', '')}`
  await runOn(server, `create schema ${schema}`)
  return schema
}

/** An empty schema of a test's own in a PostgreSQL, without a store: that of the tests where no other is named. */
export const emptyPostgresDatabase = async (server = inject('postgresUrl')): Promise<Database> => {
  const schema = await createSchema(server)
  return placeIn(server, schema, () => runOn(server, `drop schema ${schema} cascade`))
}

/** A schema with a new store, and what that looks like: to be used by one test after another. */
type StoreSchema = { readonly name: string; readonly structure: string; readonly emptying: string }

/** The columns, constraints and indexes of a schema, as one text. */
const structureOf = async (client: Client, schema: string): Promise<string> => {
  const { rows } = await client.query<{ text: string }>(
    `select string_agg(line, E'\n' order by line) as text from (
      select format('%s.%s %s %s %s', c.relname, a.attname, a.atttypid, a.attnotnull, a.attcollation) as line
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = $1::text::regnamespace and a.attnum > 0
      union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        from pg_constraint where connamespace = $1::text::regnamespace
      union all select indexdef from pg_indexes where schemaname = $1::text) as lines`,
    [schema],
  )
  return rows[0]?.text ?? ''
}

/** Returns the statements that bring the tables of a schema back to the rows that they have now. */
const emptyingOf = async (client: Client, schema: string): Promise<string> => {
  const tables = await client.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    schema,
  ])
  const names = tables.rows.map(({ name }) => `${schema}.${name}`)
  const refills: string[] = []
  for (const table of names) {
    const { rows } = await client.query<{ all: string | null }>(`select jsonb_agg(t)::text as all from ${table} t`)
    const all = rows[0]?.all ?? undefined
    const refill = `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $rows$${all}$rows$)`
    if (all !== undefined) refills.push(refill)
  }
  return [`truncate ${names.join(', ')} restart identity`, ...refills].join(';')
}

const createStoreSchema = async (server: string): Promise<StoreSchema> => {
  const [client, name] = [await clientOf(server), await createSchema(server)]
  const { open, ...place } = placeIn(server, name, () => Promise.resolve())
  const db = await open()
  // Where the server is a coordinator of Citus, everything is tried on a distributed store.
  if (await db.read(hasCitus)) await db.write((tx) => distributeTables(tx, name))
  await db.close()
  await place[Symbol.asyncDispose]()
  return { name, structure: await structureOf(client, name), emptying: await emptyingOf(client, name) }
}

/** Schemas that no test uses now, by their servers. */
const unused = new Map<string, StoreSchema[]>()

/** Keeps a schema for the next test with its store as new, unless the test has changed its tables. */
const giveBack = async (server: string, schema: StoreSchema): Promise<void> => {
  const client = await clientOf(server)
  if ((await structureOf(client, schema.name)) === schema.structure) {
    await client.query(schema.emptying)
    unused.set(server, [...(unused.get(server) ?? []), schema])
  } else {
    await client.query(`drop schema ${schema.name} cascade`)
  }
}

const takeSchema = async (server: string): Promise<StoreSchema> =>
  unused.get(server)?.pop() ?? (await createStoreSchema(server))

/**
 * A new store in a PostgreSQL: that of the tests where no other is named. PostgreSQL takes three times as long to make one
 * as to empty one, so tests use the same one after another.
 */
export const postgresDatabase = async (server = inject('postgresUrl')): Promise<Database> => {
  const schema = await takeSchema(server)
  return placeIn(server, schema.name, () => giveBack(server, schema))
}

const poolers = new Map<string, Promise<Pooler>>()

/** Returns the pooler before a server that all tests of a file share. */
const poolerOf = (server: string): Promise<Pooler> => {
  const pooler = poolers.get(server) ?? startPooler(server)
  poolers.set(server, pooler)
  return pooler
}

/** A new store in a PostgreSQL, reached through a pooler that gives each transaction another session. */
export const pooledDatabase = async (server = inject('postgresUrl')): Promise<Database> => {
  const schema = await takeSchema(server)
  return placeIn((await poolerOf(server)).url, schema.name, () => giveBack(server, schema))
}

/** Ends the connections that tests share, and removes what was kept for more tests, which the runner does at its own end. */
export const endConnections = async (): Promise<void> => {
  for (const [server, schemas] of unused) {
    for (const { name } of schemas) await runOn(server, `drop schema ${name} cascade`)
  }
  unused.clear()
  for (const pooler of poolers.values()) await (await pooler)[Symbol.asyncDispose]()
  poolers.clear()
  for (const client of clients.values()) await (await client).end()
  clients.clear()
}

/** Every database that a store can be in, by name. What holds on one must hold on all. */
export const databases: readonly (readonly [name: string, make: () => Promise<Database>])[] = [
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', postgresDatabase],
]

/** The same, without a store. */
export const emptyDatabases: typeof databases = [
  ['SQLite', emptySqliteDatabase],
  ['PostgreSQL', emptyPostgresDatabase],
]
