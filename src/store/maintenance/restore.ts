import { existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KpiError } from '../../domain/errors.ts'
import { moveFile } from '../../files/move-file.ts'
import { openImmutable, openSqlite } from '../../files/sqlite-file.ts'
import { prepareFile, versionOf } from '../schema/open-store.ts'
import { isForeignSchema } from '../schema/require-schema.ts'
import { sqliteDb } from '../sqlite/sqlite-db.ts'
import { isDamaged, isNotKpiStore, sqliteError } from '../sqlite/sqlite-errors.ts'
import { copyDatabase, damageIn, requireStore } from './backup.ts'
import { isOpenElsewhere } from './sqlite-file.ts'
import { countAll, isFresh } from './status.ts'

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Refuses a file with a journal beside it: it is a store that is open, or was not closed. */
const requireStandalone = (file: string): void => {
  const there = statSync(file, { throwIfNoEntry: false })
  if (!there) throw new KpiError('not_found', `there is no file ${file}`)
  if (!there.isFile()) throw new KpiError('unusable', `${file} is not a file`)
  const beside = [`${file}-wal`, `${file}-journal`].find((path) => sizeOf(path) > 0)
  if (beside === undefined) return
  throw new KpiError(
    'unusable',
    `${file} is a store in use, with changes in ${beside}; make a backup of it with kpi service backup, and restore that`,
  )
}

/** Opens a backup as immutable: nobody writes to it, and SQLite creates no files beside it. */
const openBackup = async (file: string): Promise<DatabaseSync> => {
  const database = openImmutable(file)
  try {
    await requireStore(database, file)
    const damage = damageIn(database)
    if (damage === undefined) return database
    throw new KpiError('unusable', `${file} is damaged: ${damage}; nothing was restored, take another backup`)
  } catch (error) {
    database.close()
    if (!isNotKpiStore(error)) throw sqliteError(error, file)
    const message = `${file} is not a backup of a kpi store; name a file that kpi service backup has written`
    throw new KpiError('unusable', message, { cause: error })
  }
}

/** Refuses a store that another process has open; returns whether it is intact, or too damaged to be overwritten. */
const requireClosedStore = (path: string): 'intact' | 'damaged' => {
  try {
    if (!isOpenElsewhere(path)) return 'intact'
  } catch (error) {
    if (isDamaged(error)) return 'damaged'
    throw error
  }
  throw new KpiError('conflict', `${path} is in use by another process, such as kpi serve; stop it, and restore then`)
}

/** Tells whether a path holds no data: no file, or a new store. Refuses a file that is not a store. */
const holdsNoData = async (path: string): Promise<boolean> => {
  if (sizeOf(path) === 0) return true
  const db = sqliteDb(path)
  try {
    return await db.read(async (tx) => (await versionOf(tx, path)) === 0 || isFresh(await countAll(tx)))
  } catch (error) {
    // Data that cannot be read may be worth keeping.
    if (isDamaged(error) || isForeignSchema(error)) return false
    throw error
  } finally {
    await db.close()
  }
}

const rejectSameFile = (file: string, path: string): void => {
  const [one, other] = [statSync(file), statSync(path, { throwIfNoEntry: false })]
  if (one.ino !== other?.ino || one.dev !== other.dev) return
  throw new KpiError('conflict', `${file} is the store itself; name a backup of it`)
}

/** Moves a store and its files into a new folder beside it; returns that folder. */
const moveAside = (path: string, name: string): string => {
  const folder = join(dirname(path), name)
  mkdirSync(folder, { mode: 0o700 })
  for (const one of [`${path}-wal`, `${path}-shm`, path]) {
    if (existsSync(one)) moveFile(one, join(folder, basename(one)))
  }
  return folder
}

/** Copies a backup over a store; rolls back a partial copy at once. */
const copyOver = async (source: DatabaseSync, path: string, signal: AbortSignal): Promise<void> => {
  try {
    await copyDatabase(source, path, signal)
  } catch (error) {
    // Opening the file rolls back what the copy has left.
    isOpenElsewhere(path)
    throw sqliteError(error, path)
  }
}

/** Switches a file to WAL, so that readers go on beside a writer, and others can detect who has the store open. */
const switchToWal = (path: string): void => {
  const database = openSqlite(path, { timeout: 5000 })
  try {
    database.exec('pragma journal_mode = wal')
  } finally {
    database.close()
  }
}

/** Describes how to restore a store: whether to overwrite data, and where to move an unusable store. */
type Restoring = {
  readonly force: boolean
  readonly asideName: string
  readonly signal: AbortSignal
  /** Creates the folder of the store, once the backup is found to be good. */
  readonly makeFolder: () => void
}

/**
 * Replaces a store by a backup. That is one transaction on the file of the store: a stop at any moment leaves either
 * the old or the new one, and a process that opens the store meanwhile sees one of the two. Only a store that is too
 * damaged for that is moved aside; then the folder is returned.
 */
export const restoreStore = async (
  file: string,
  path: string,
  { force, asideName, signal, makeFolder }: Restoring,
): Promise<string | undefined> => {
  requireStandalone(file)
  rejectSameFile(file, path)
  if (!(await holdsNoData(path)) && !force) {
    throw new KpiError(
      'conflict',
      `${path} holds data; keep it with kpi service backup, then overwrite it with --force`,
    )
  }
  const source = await openBackup(file)
  try {
    makeFolder()
    const aside = requireClosedStore(path) === 'damaged' ? moveAside(path, asideName) : undefined
    prepareFile(path)
    await copyOver(source, path, signal)
    switchToWal(path)
    return aside
  } finally {
    source.close()
  }
}
