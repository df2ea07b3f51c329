import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isBusy } from '../../domain/sqlite-result.ts'
import { openSqlite } from '../../files/sqlite-file.ts'
import { sqliteError } from '../sqlite/sqlite-errors.ts'
import type { StoreFacts } from './status.ts'

/**
 * Tells whether anybody has a store open. Every connection holds a shared lock on the file, so an exclusive lock
 * succeeds only if there is no other connection; it is released at once.
 */
export const isOpenElsewhere = (path: string): boolean => {
  if (!existsSync(path)) return false
  const database = openSqlite(path)
  try {
    database.exec('pragma locking_mode = exclusive; begin exclusive; rollback')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw sqliteError(error, path)
  } finally {
    database.close()
  }
}

/** Returns the facts of a store's file and its disk. Call it while this process has not opened the store. */
export const fileFacts = (path: string): StoreFacts => {
  // The latest writes are in the WAL until a checkpoint.
  const written = [path, `${path}-wal`].flatMap((file) => statSync(file, { throwIfNoEntry: false }) ?? [])
  const { bavail, bsize } = statfsSync(dirname(path))
  return {
    in_use: isOpenElsewhere(path),
    bytes: written.reduce((sum, { size }) => sum + size, 0),
    free_bytes: bavail * bsize,
  }
}
