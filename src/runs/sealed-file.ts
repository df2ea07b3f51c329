import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { KpiError } from '../domain/errors.ts'
import { isBusy, isBrokenFile, resultCodeOf, SQLITE } from '../domain/sqlite-result.ts'
import { openSqlite, prepareSqliteFile } from '../files/sqlite-file.ts'
import { makePrivateFolder } from './private-folder.ts'
import { isSealed, keepSeal, type Sealed, sealSchema } from './seal.ts'

/** Describes what a file holds: its tables, and the words of messages about it. */
export type FileFormat = Sealed & {
  readonly version: number
  /** Creates its tables, all of which are sealed; the table of the head belongs to every file, and is not among them. */
  readonly schema: string
  /** Names it: `journal`. */
  readonly noun: string
  /** Says what to do when another process has it open. */
  readonly whenBusy: string
  /** Says what deleting it means, behind a semicolon, when it is damaged. */
  readonly whenDamaged: string
}

/** Describes a file that this process has locked. */
export type SealedFile = {
  readonly database: DatabaseSync
  /** Runs a write in a transaction; with `isSynced`, the data is on the disk afterwards. */
  readonly write: <T>(isSynced: boolean, work: () => T) => T
  /** Unlocks the file and removes it. */
  readonly remove: () => void
  /** Unlocks the file. */
  readonly close: () => void
}

/** Reports that the file of a run cannot be used; what cannot be written down must not be sent. */
export class RunFileFault extends KpiError {}

/** Reports that the file of a run cannot be written, whatever it holds. */
export class UnwritableRunFile extends RunFileFault {}

/** Names a file, what it holds, and the head to create it with; without a head it must exist. */
type Wanted = { readonly path: string; readonly format: FileFormat; readonly head?: object }

/** Says why a file cannot be written, by SQLite's result code. */
const REASONS: Readonly<Record<number, string>> = {
  [SQLITE.readOnly]: 'it may not be written',
  [SQLITE.ioError]: 'the disk cannot be read or written',
  [SQLITE.full]: 'the disk is full',
  [SQLITE.cannotOpen]: 'it cannot be opened; check the permissions of its folder',
}

/** Returns the error for a file that cannot be continued. */
const unreadable = ({ path, format }: Wanted, what: string, cause?: unknown): RunFileFault =>
  new RunFileFault('unusable', `the ${format.noun} ${path} ${what}; ${format.whenDamaged}`, { cause })

const faultOf = (error: unknown, wanted: Wanted): unknown => {
  if (error instanceof KpiError) return error
  if (isBusy(error)) return new KpiError('locked', wanted.format.whenBusy)
  if (isBrokenFile(error)) return unreadable(wanted, 'is damaged', error)
  const reason = REASONS[resultCodeOf(error) ?? 0] ?? (error instanceof Error ? error.message : String(error))
  return new UnwritableRunFile('unusable', `cannot write the ${wanted.format.noun} ${wanted.path}: ${reason}`, {
    cause: error,
  })
}

/** Runs an operation on a file; errors name its path. */
const withPathInErrors = <T>(wanted: Wanted, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw faultOf(error, wanted)
  }
}

/**
 * Sets how often a run tries to lock its own file, and the pause in between. Other runs lock it for some
 * milliseconds while they look for unfinished ones. SQLite's busy timeout does not cover every lock.
 */
const [TRIES, PAUSE_MS] = [100, 30]

const nobody = new Int32Array(new SharedArrayBuffer(4))

/** Retries an operation while the file is locked, for some seconds. */
const patiently = <T>(work: () => T): T => {
  for (let tried = 1; ; tried += 1) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || tried === TRIES) throw error
      Atomics.wait(nobody, 0, 0, PAUSE_MS)
    }
  }
}

/**
 * Returns the path of the marker file, which stands beside a file until it is complete: an empty file without a marker has
 * lost its content.
 */
const markOf = (path: string): string => `${path}-new`

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Creates the file if there is none, and returns its inode; undefined if it is gone by then. */
const findOrMake = (path: string): number | undefined => {
  makePrivateFolder(dirname(path))
  if (!existsSync(path)) prepareSqliteFile(markOf(path))
  if (existsSync(markOf(path))) prepareSqliteFile(path)
  return inodeOf(path)
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('pragma user_version').get()?.['user_version'])

/** Returns what is sealed in a file of a format: its tables, and that of the head. */
const sealedIn = (format: FileFormat): Sealed => ({ ...format, tables: { meta: ['name', 'value'], ...format.tables } })

/** Creates the tables, the seal and the head in an empty file, and returns it. */
const fill = (database: DatabaseSync, format: FileFormat, head: object): DatabaseSync => {
  keepSeal(database)
  const meta = 'create table meta (name text primary key, value text not null) without rowid;'
  database.exec(`${meta}\n${format.schema}\n;pragma user_version = ${format.version}`)
  database.exec(sealSchema(sealedIn(format)))
  database.prepare("insert into meta values ('head', ?)").run(JSON.stringify(head))
  return database
}

const requireWhole = (database: DatabaseSync, wanted: Wanted): void => {
  const [version, { format }] = [versionOf(database), wanted]
  if (version !== 0 && version !== format.version) throw unreadable(wanted, `is of another version of kpi (${version})`)
  const hasHead = version === format.version && database.prepare("select 1 from meta where name = 'head'").get()
  if (!hasHead || !isSealed(database, sealedIn(format))) throw unreadable(wanted, 'is damaged')
}

/**
 * Locks the file until it is closed, and sets up a new one; returns false if another file is at the path now.
 * Rollback journaling keeps all data in one file: a write-ahead log, in a second file, could be lost unnoticed.
 */
const lock = (database: DatabaseSync, wanted: Wanted, inode: number): boolean => {
  const { path, format, head } = wanted
  database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin immediate')
  keepSeal(database)
  if (inodeOf(path) !== inode) return false
  if (head && versionOf(database) === 0 && existsSync(markOf(path))) fill(database, format, head)
  requireWhole(database, wanted)
  database.exec('commit')
  rmSync(markOf(path), { force: true })
  return true
}

/** Opens an existing file. SQLite must not create one, as it would have no marker. */
const openThere = (path: string): DatabaseSync => {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return openSqlite(url)
}

/** Opens and locks a file; returns undefined if a process that had finished removed it at that moment. */
const tryLock = (wanted: Wanted, inode: number): DatabaseSync | undefined => {
  let database: DatabaseSync | undefined
  try {
    database = openThere(wanted.path)
    if (lock(database, wanted, inode)) return database
    database.close()
  } catch (error) {
    database?.close()
    if (inodeOf(wanted.path) === inode) throw error
  }
  return undefined
}

const lockFile = (wanted: Wanted): DatabaseSync => {
  const { path, head } = wanted
  for (;;) {
    const inode = head ? findOrMake(path) : inodeOf(path)
    const database = inode === undefined ? undefined : tryLock(wanted, inode)
    if (database) return database
    if (!head && inode === undefined) throw unreadable(wanted, 'is not there')
  }
}

/** Removes a file and unlocks it. */
const removeLocked = (database: DatabaseSync, path: string): void => {
  // Remove SQLite's log first, and all while the lock is held, so that no other process's file is removed under the
  // same name.
  database.exec('pragma journal_mode = memory')
  for (const one of [markOf(path), `${path}-journal`, path]) rmSync(one, { force: true })
  database.close()
}

/** Opens a file, and returns what can be done with it; errors name its path. */
const fileOf = (wanted: Wanted, open: () => DatabaseSync): SealedFile => {
  const database = withPathInErrors(wanted, open)
  let isSyncing = true
  const sync = (isAsked: boolean): void => {
    if (isAsked !== isSyncing) database.exec(`pragma synchronous = ${isAsked ? 'full' : 'normal'}`)
    isSyncing = isAsked
  }
  return {
    database,
    write: (isSynced, work) =>
      withPathInErrors(wanted, () => {
        sync(isSynced)
        database.exec('begin immediate')
        try {
          const result = work()
          database.exec('commit')
          return result
        } catch (error) {
          if (database.isTransaction) database.exec('rollback')
          throw error
        }
      }),
    remove: () => removeLocked(database, wanted.path),
    close: () => database.close(),
  }
}

/**
 * Opens the file at a path, creating it with a head if there is none, or one in memory if there is no path, for runs that
 * cannot be continued. Throws `locked` if another process has it.
 */
export const openSealedFile = (path: string | undefined, format: FileFormat, head: object): SealedFile => {
  const wanted = { path: path ?? 'in memory', format, head }
  if (path !== undefined) return fileOf(wanted, () => patiently(() => lockFile(wanted)))
  const file = fileOf(wanted, () => fill(openSqlite(':memory:'), format, head))
  return { ...file, remove: file.close }
}

/** Opens an existing file; throws if there is none, and does not wait for a lock of another process. */
export const findSealedFile = (path: string, format: FileFormat): SealedFile =>
  fileOf({ path, format }, () => lockFile({ path, format }))

/** Returns the head of a file, as it was written. */
export const headIn = ({ database }: SealedFile): unknown =>
  JSON.parse(String(database.prepare("select value from meta where name = 'head'").get()?.['value']))

/** Replaces the head of a file; call it within a write. */
export const writeHead = ({ database }: SealedFile, head: object): void =>
  void database.prepare("update meta set value = ? where name = 'head'").run(JSON.stringify(head))
