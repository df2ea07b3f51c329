import { KpiError } from '../../domain/errors.ts'
import type { Db, Reader, Writer } from '../db.ts'
import { postgresDialect } from '../dialect.ts'
import { migrations } from '../schema/migrations.ts'
import { runStep, STORE_VERSION } from '../schema/open-store.ts'
import { parseConnectionUrl, type Settings } from './connection-url.ts'
import { postgresDb, type PostgresPlace } from './postgres-db.ts'
import { isRefusedLogin, isUnknownSetting } from './postgres-errors.ts'
import { PLANNING } from './postgres-pool.ts'

/** Returns how messages name a PostgreSQL database: by host and database, without the password. */
export const nameOf = (url: string): string => parseConnectionUrl(url).name

/** Tells whether the schema of the store has one; refuses a schema that the database does not have. */
const hasStore = async (tx: Reader, { url }: PostgresPlace): Promise<boolean> => {
  const { schema, name } = parseConnectionUrl(url)
  const [row] = await tx.all(
    `select current_schema() = ? as found, to_regclass(quote_ident(current_schema()) || '.kpi_store') is not null as there`,
    [schema],
  )
  if (row?.['found'] === 1n) return row['there'] === 1n
  throw new KpiError(
    'unusable',
    `PostgreSQL at ${name} does not have the schema ${schema}, or gives the user no right to use it; create it, or name another one in KPI_POSTGRES_URL`,
  )
}

const versionOf = async (tx: Reader): Promise<number> => {
  const [row] = await tx.all('select version from kpi_store')
  return Number(row?.['version'] ?? 0)
}

/** Creates the table that holds the version of the store. Writes to the whole store lock its row. */
const makeVersionTable = async (tx: Writer, place: PostgresPlace): Promise<void> => {
  if (await hasStore(tx, place)) return
  await tx.run('create table kpi_store (version bigint not null)')
  await tx.run('insert into kpi_store values (0)')
}

const migrate = async (tx: Writer, where: string): Promise<void> => {
  const version = await versionOf(tx)
  if (version > STORE_VERSION) {
    throw new KpiError('unusable', `PostgreSQL at ${where} was written by a newer kpi; update this one`)
  }
  for (const step of migrations(postgresDialect).slice(version).flat()) await runStep(tx, step)
  if (version < STORE_VERSION) await tx.run('update kpi_store set version = ?', [STORE_VERSION])
}

/** Tries with the settings of the planner, and without them where a database that only speaks PostgreSQL's language has none of them. */
const withPlanning = async <T>(attempt: (planning: Settings) => Promise<T>): Promise<T> => {
  try {
    return await attempt(PLANNING)
  } catch (error) {
    if (!isUnknownSetting(error)) throw error
  }
  return attempt(new Map())
}

/** Tells whether a PostgreSQL database has a store, without creating one. */
export const hasPostgresStore = (place: PostgresPlace): Promise<boolean> =>
  withPlanning(async (planning) => {
    const db = postgresDb(place, nameOf(place.url), planning)
    try {
      return await db.read((tx) => hasStore(tx, place))
    } finally {
      await db.close()
    }
  })

const openWith = async (place: PostgresPlace, where: string, planning: Settings): Promise<Db> => {
  const db = postgresDb(place, where, planning)
  try {
    // If another instance creates the table now, the second attempt finds it.
    const makeTable = (): Promise<void> => db.selfLocking.write((tx) => makeVersionTable(tx, place))
    await makeTable().catch(makeTable)
    await db.write((tx) => migrate(tx, where))
    return db
  } catch (error) {
    await db.close()
    // Only here: once requests are served, a refused login is no fault of theirs.
    throw isRefusedLogin(error) ? new KpiError('unauthorized', error.message, { cause: error.cause }) : error
  }
}

/** Opens the store in a PostgreSQL database; creates it or migrates it as needed. One instance at a time migrates. */
export const openPostgres = (place: PostgresPlace): Promise<Db> =>
  withPlanning((planning) => openWith(place, nameOf(place.url), planning))
