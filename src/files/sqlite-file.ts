import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { requireOneName } from './appended-file.ts'
import { FileFault, fileErrorReason, systemCode } from './file-error.ts'
import { requirePlainPlace } from './place.ts'
import { readHead, requireRegular } from './read-file.ts'
import { FRESH, OWNER } from './replace-file.ts'

const IN_MEMORY = ':memory:'

/** Ends the names of the files that SQLite keeps beside a database, and opens by itself. */
const COMPANIONS = ['-journal', '-wal', '-shm'] as const

/** Switches off what the schema of a file could otherwise call and change. */
const UNTRUSTING: DatabaseSyncOptions = { defensive: true }
const UNTRUSTED_SCHEMA = 'pragma trusted_schema = off'

/**
 * Refuses what SQLite must not write to: it would follow a link, and wait for a pipe. The file is looked at and not
 * opened, as closing it would take away the locks that this process has on it.
 */
const requireOwnFile = (path: string): void => {
  requirePlainPlace(path)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found) requireOneName(found)
}

/** Refuses a database beside which something else stands where SQLite keeps a file of its own. */
const requireOwnCompanions = (path: string): void => {
  for (const ending of COMPANIONS) {
    try {
      requireOwnFile(path + ending)
    } catch (error) {
      if (!(error instanceof FileFault) && systemCode(error) !== 'EISDIR') throw error
      throw new FileFault(`${path}${ending} is in its way: ${fileErrorReason(error)}`, { cause: error })
    }
  }
}

/** Creates a file for SQLite if there is none, readable by its owner only; SQLite would let everybody read it. */
export const prepareSqliteFile = (path: string): void => {
  requireOwnCompanions(path)
  try {
    closeSync(openSync(path, FRESH, OWNER))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
    requireOwnFile(path)
    accessSync(path, constants.W_OK)
  }
}

const open = (path: string | URL, options: DatabaseSyncOptions): DatabaseSync => {
  const database = new DatabaseSync(path, { ...UNTRUSTING, ...options })
  database.exec(UNTRUSTED_SCHEMA)
  return database
}

/** Opens a file with SQLite, or a database in memory. Only to read it, it may be named by a link. */
export const openSqlite = (path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync => {
  if (path === IN_MEMORY) return open(path, options)
  const name = typeof path === 'string' ? path : fileURLToPath(path)
  if (options.readOnly === true) requireRegular(statSync(name))
  else requireOwnFile(name)
  // SQLite keeps its files beside the database itself, and not beside a link to it.
  requireOwnCompanions(options.readOnly === true ? realpathSync(name) : name)
  return open(path, options)
}

/** Returns a fingerprint of a file: its size and time; empty for an empty or missing file. */
export const fingerprintOf = (path: string): string => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined || found.size === 0n ? '' : `${found.size} ${found.mtimeNs}`
}

/** Holds how many bytes a database begins with until the two that say whether it has a log (WAL), and their value. */
const [LOG_AT, HAS_LOG] = [18, 2]

/**
 * Tells whether nobody has a database with a log open: SQLite would create files beside it, and leave them there if it
 * only reads.
 */
const isIdleWithLog = (path: string): boolean => {
  if (readHead(path, LOG_AT + 2)[LOG_AT] !== HAS_LOG) return false
  const isOpen = existsSync(`${path}-wal`) && existsSync(`${path}-shm`)
  return !isOpen && fingerprintOf(`${path}-wal`) === '' && fingerprintOf(`${path}-journal`) === ''
}

/**
 * Opens a database of somebody else, only to read it, and leaves no file beside it. `requireUnchanged` is called once all
 * is read: where SQLite may create no file that would hold up others, they may have written meanwhile.
 */
export const openForeign = (
  given: string,
  options: DatabaseSyncOptions,
): { readonly database: DatabaseSync; readonly requireUnchanged: () => void } => {
  const path = realpathSync(given)
  requireOwnCompanions(path)
  if (!isIdleWithLog(path))
    return { database: openSqlite(path, { ...options, readOnly: true }), requireUnchanged: () => undefined }
  const before = fingerprintOf(path)
  return {
    database: openImmutable(path, options),
    requireUnchanged: () => {
      if (fingerprintOf(path) !== before) throw new FileFault('it was changed while it was read; try again')
    },
  }
}

/**
 * Opens a file that nobody may be writing, only to read it: SQLite takes no lock, and neither creates nor opens a file
 * beside it.
 */
export const openImmutable = (path: string, options: DatabaseSyncOptions = {}): DatabaseSync => {
  requireRegular(statSync(path))
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return open(url, { ...options, readOnly: true })
}
