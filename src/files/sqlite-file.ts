import { accessSync, closeSync, constants, lstatSync, openSync, statSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { requireOneName } from './appended-file.ts'
import { systemCode } from './file-error.ts'
import { requirePlainPlace } from './place.ts'
import { requireRegular } from './read-file.ts'
import { FRESH, OWNER } from './replace-file.ts'

const IN_MEMORY = ':memory:'

/**
 * Refuses what SQLite must not write to: it would follow a link, and wait for a pipe. The file is looked at and not
 * opened, as closing it would take away the locks that this process has on it.
 */
const requireOwnFile = (path: string): void => {
  requirePlainPlace(path)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found) requireOneName(found)
}

/** Creates a file for SQLite if there is none, readable by its owner only; SQLite would let everybody read it. */
export const prepareSqliteFile = (path: string): void => {
  try {
    closeSync(openSync(path, FRESH, OWNER))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    requireOwnFile(path)
    accessSync(path, constants.W_OK)
  }
}

/** Opens a file with SQLite, or a database in memory. Only to read it, it may be named by a link. */
export const openSqlite = (path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync => {
  if (path === IN_MEMORY) return new DatabaseSync(path, options)
  const name = typeof path === 'string' ? path : fileURLToPath(path)
  if (options.readOnly === true) requireRegular(statSync(name))
  else requireOwnFile(name)
  return new DatabaseSync(path, options)
}
