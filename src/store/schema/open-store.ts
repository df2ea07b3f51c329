import { KpiError } from '../../domain/errors.ts'
import { FileFault, fileErrorReason } from '../../files/file-error.ts'
import { prepareSqliteFile } from '../../files/sqlite-file.ts'
import type { Db, Reader, Writer } from '../db.ts'
import { sqliteDialect } from '../dialect.ts'
import { sqliteDb, type SqliteOptions } from '../sqlite/sqlite-db.ts'
import { isOutOfSpace, notKpiStoreError, notOwnFileError } from '../sqlite/sqlite-errors.ts'
import { CURRENT_SCHEMA } from './current-schema.ts'
import type { Step } from './migrations.ts'
import { type FileSchema, requireSchema, SCHEMA_QUERY } from './require-schema.ts'

/** Sets the version of the store that this program reads and writes; `migrations.ts` migrates older ones to it. */
export const STORE_VERSION = 8

/** Describes a kind of SQLite file that this program keeps. */
export type FileKind = FileSchema & {
  /** Marks a file as one of this kind; SQLite keeps it as the application id. */
  readonly applicationId: number
}

/** Marks a file as a store: "kpi", as an application id. */
export const APPLICATION_ID = 0x6b7069

export const STORE: FileKind = {
  applicationId: APPLICATION_ID,
  version: STORE_VERSION,
  current: CURRENT_SCHEMA,
  steps: async () => {
    const { migrations } = await import('./migrations.ts')
    return migrations(sqliteDialect)
  },
}

/** Returns the version of a file; refuses one that this program does not know. */
export const requireKnownVersion = (version: number, path: string, kind = STORE): number => {
  if (version <= kind.version) return version
  throw new KpiError('unusable', `${path} was written by a newer kpi; update this one`)
}

const numberIn = async (tx: Reader, pragma: 'application_id' | 'user_version'): Promise<number> => {
  const [row] = await tx.all(`pragma ${pragma}`)
  return Number(row?.[pragma])
}

const isEmpty = async (tx: Reader): Promise<boolean> =>
  (await tx.all('select name from sqlite_schema limit 1')).length === 0

/**
 * Returns the version of a file, 0 if it is new. Checks the application id too, as other programs also set versions, and
 * that it holds nothing but what this program has created: a trigger or a view would act in what is done with it.
 */
export const versionOf = async (tx: Reader, path: string, kind = STORE): Promise<number> => {
  const version = await numberIn(tx, 'user_version')
  const isKpiStore = version === 0 ? await isEmpty(tx) : (await numberIn(tx, 'application_id')) === kind.applicationId
  if (!isKpiStore) throw notKpiStoreError(path)
  requireKnownVersion(version, path, kind)
  if (version > 0) await requireSchema(await tx.all(SCHEMA_QUERY), kind, version, path)
  return version
}

/** Runs one step of a migration. */
export const runStep = async (tx: Writer, step: Step): Promise<void> => {
  if (typeof step === 'string') await tx.run(step)
  else await step(tx)
}

const migrate = async (db: Db, path: string, kind: FileKind): Promise<void> => {
  const steps = await kind.steps()
  await db.write(async (tx) => {
    for (let version = await versionOf(tx, path, kind); version < kind.version; version += 1) {
      for (const step of steps[version] ?? []) await runStep(tx, step)
      await tx.run(`pragma user_version = ${version + 1}`)
    }
    await tx.run(`pragma application_id = ${kind.applicationId}`)
  })
}

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'a folder is in its place',
  ENOENT: 'no file can be made there',
}

/** Returns the error for a file that the operating system does not let us write. */
export const cannotWrite = (path: string, cause: unknown): KpiError => {
  if (cause instanceof FileFault) return notOwnFileError(path, cause)
  return new KpiError('unusable', `${path} cannot be written (${fileErrorReason(cause, REASONS)}); check its folder`, {
    cause,
  })
}

/** Creates the file, readable by its owner only, before SQLite writes to it. */
export const prepareFile = (path: string): void => {
  try {
    prepareSqliteFile(path)
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

/** Tells whether a file uses a WAL, as all do except backups. */
const usesWal = async (tx: Reader): Promise<boolean> =>
  (await tx.all('pragma journal_mode'))[0]?.['journal_mode'] === 'wal'

/**
 * Switches a copied backup to WAL, which a restore needs to detect that it is open. Skipped on a full disk, which has
 * no room for a restore either.
 */
const switchToWal = async (db: Db): Promise<void> => {
  try {
    await db.write(() => Promise.resolve())
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
  }
}

/** Opens a file of a kind in an existing folder; creates it or migrates it as needed. */
export const openFile = async (path: string, kind: FileKind, open: (path: string) => Db): Promise<Db> => {
  prepareFile(path)
  const db = open(path)
  try {
    if ((await db.read((tx) => versionOf(tx, path, kind))) < kind.version) await migrate(db, path, kind)
    if (!(await db.read(usesWal))) await switchToWal(db)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Opens the SQLite store in an existing folder; creates it or migrates it as needed. */
export const openStore = (path: string, options?: Pick<SqliteOptions, 'apart'>): Promise<Db> =>
  openFile(path, STORE, (at) => sqliteDb(at, options))
