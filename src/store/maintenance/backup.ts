import { existsSync, lstatSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { KpiError } from '../../domain/errors.ts'
import { moveInPlace } from '../../files/move-file.ts'
import { openSqlite } from '../../files/sqlite-file.ts'
import { makeFreshFolder } from '../../files/scratch-file.ts'
import { requirePlace } from '../../files/write-file.ts'
import { APPLICATION_ID, cannotWrite, prepareFile, requireKnownVersion, STORE } from '../schema/open-store.ts'
import { requireSchema, SCHEMA_QUERY } from '../schema/require-schema.ts'
import { sqliteDb } from '../sqlite/sqlite-db.ts'
import { notKpiStoreError, sqliteError } from '../sqlite/sqlite-errors.ts'
import { countAll, type StoreCounts } from './status.ts'

/** Sets how many pages are copied at a time; between two steps the copy can be stopped. */
const PAGES_PER_STEP = 2000

/**
 * Copies an open database into a file: its state at the moment the copy begins. Other processes may write meanwhile. If
 * the copy fails or is stopped, the target is unchanged.
 */
export const copyDatabase = async (from: DatabaseSync, to: string, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted()
  // Without this transaction, every write of another process would restart the copy.
  from.exec('begin; select 1 from sqlite_schema limit 1')
  try {
    await backup(from, to, { rate: PAGES_PER_STEP, progress: () => signal.throwIfAborted() })
  } finally {
    from.exec('rollback')
  }
}

/** Opens a store to count what it holds. */
const countIn = async (path: string): Promise<StoreCounts> => {
  const db = sqliteDb(path)
  try {
    return await db.read(countAll)
  } finally {
    await db.close()
  }
}

const numberIn = (database: DatabaseSync, pragma: 'application_id' | 'user_version'): number =>
  Number(database.prepare(`pragma ${pragma}`).get()?.[pragma])

/**
 * Refuses a file that is not a store, one of a newer program, and one with objects that no kpi has created. Nothing else
 * is done with a file before, not even a check for damage: a view, or an expression in a table, would act in it.
 */
export const requireStore = async (database: DatabaseSync, path: string): Promise<void> => {
  const version = numberIn(database, 'user_version')
  if (version === 0 || numberIn(database, 'application_id') !== APPLICATION_ID) throw notKpiStoreError(path)
  await requireSchema(database.prepare(SCHEMA_QUERY).all(), STORE, requireKnownVersion(version, path), path)
}

/** Returns the first damage in a store, if any. */
export const damageIn = (database: DatabaseSync): string | undefined => {
  const found = String(database.prepare('pragma integrity_check(1)').get()?.['integrity_check'])
  if (found !== 'ok') return found.split('\n').at(-1)
  const stray = database.prepare('pragma foreign_key_check').get()
  return stray && `a row of ${String(stray['table'])} names one of ${String(stray['parent'])} that is not there`
}

/** Turns a copy into a file without a WAL, and verifies that it is undamaged. */
const finishCopy = async (copy: string, path: string): Promise<StoreCounts> => {
  const database = openSqlite(copy)
  try {
    database.exec('pragma journal_mode = delete')
    await requireStore(database, path)
    const damage = damageIn(database)
    if (damage === undefined) return await countIn(copy)
    throw new KpiError('unusable', `${path} is damaged, and so would its backup be: ${damage}; restore an earlier one`)
  } finally {
    database.close()
  }
}

const copyTo = async (path: string, copy: string, signal: AbortSignal): Promise<StoreCounts> => {
  prepareFile(copy)
  const source = openSqlite(path, { timeout: 5000 })
  try {
    await copyDatabase(source, copy, signal)
  } finally {
    source.close()
  }
  return finishCopy(copy, path)
}

/**
 * Returns the path to write to. Refuses the store itself, anything that is not a file and, without `force`, existing
 * files.
 */
const placeFor = (path: string, file: string, force: boolean): string => {
  const there = lstatSync(file, { throwIfNoEntry: false })
  if (!there) return file
  if (!force)
    throw new KpiError('conflict', `${file} is there already; choose another name, or overwrite it with --force`)
  if (!there.isFile() && !there.isSymbolicLink())
    throw new KpiError('conflict', `${file} is not a file; choose another name`)
  const [place, store] = [existsSync(file) ? realpathSync(file) : file, realpathSync(path)]
  if ([store, `${store}-wal`, `${store}-shm`].includes(place))
    throw new KpiError('conflict', `${file} is the store itself; choose another name`)
  requirePlace(file)
  return file
}

/**
 * Writes a backup of a store into a file that only its owner can read, while others may read and write the store;
 * returns how much it holds. The file appears only when it is complete and checked; after a failure there is none, and
 * an existing one stays.
 */
export const backUpStore = async (
  path: string,
  file: string,
  force: boolean,
  signal: AbortSignal,
): Promise<StoreCounts> => {
  const place = placeFor(path, file, force)
  let folder: string | undefined
  try {
    folder = makeFreshFolder(join(dirname(place), '.kpi-backup-'))
    const copy = join(folder, 'kpi.db')
    const counts = await copyTo(path, copy, signal)
    moveInPlace(copy, placeFor(path, file, force))
    return counts
  } catch (error) {
    if (error instanceof KpiError) throw error
    const converted = sqliteError(error, file)
    throw converted instanceof KpiError || signal.aborted ? converted : cannotWrite(file, error)
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
