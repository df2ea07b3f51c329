import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { KpiError } from '../../domain/errors.ts'
import { isBusy, isBrokenFile, resultCodeOf, SQLITE } from '../../domain/sqlite-result.ts'
import { openSqlite, prepareSqliteFile } from '../../files/sqlite-file.ts'
import type { JournalHead } from './journal.ts'
import { makePrivateFolder } from './private-folder.ts'
import { isSealed, keepSeal, SEAL_SCHEMA } from './seal.ts'

/** Reports that a journal cannot be used; what cannot be journaled must not be sent. */
export class JournalFault extends KpiError {}

/** Says why a journal cannot be written, by SQLite's result code. */
const REASONS: Readonly<Record<number, string>> = {
  [SQLITE.readOnly]: 'it may not be written',
  [SQLITE.ioError]: 'the disk cannot be read or written',
  [SQLITE.full]: 'the disk is full',
  [SQLITE.cannotOpen]: 'it cannot be opened; check the permissions of its folder',
}

/** Returns the error for a journal that cannot be continued. */
const unreadable = (path: string, what: string, cause?: unknown): JournalFault =>
  new JournalFault(
    'unusable',
    `the journal ${path} ${what}; delete it to start again: entries that are stored already are recognised, but with --on-conflict add they would be added again`,
    { cause },
  )

const faultOf = (error: unknown, path: string): unknown => {
  if (error instanceof KpiError) return error
  if (isBusy(error))
    return new KpiError('locked', 'the same import is running already; wait until it has ended, or stop it')
  if (isBrokenFile(error)) return unreadable(path, 'is damaged', error)
  const reason = REASONS[resultCodeOf(error) ?? 0] ?? (error instanceof Error ? error.message : String(error))
  return new JournalFault('unusable', `cannot write the journal ${path}: ${reason}`, { cause: error })
}

/** Runs an operation on a journal; errors name its path. */
export const withPathInErrors = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw faultOf(error, path)
  }
}

const VERSION = 5
const SCHEMA = `
create table meta (name text primary key, value text not null) without rowid;
create table intervals (
  id integer primary key,
  first_owner integer not null, first_kpi integer not null, first_day integer not null,
  last_owner integer not null, last_kpi integer not null, last_day integer not null,
  count integer not null, digest text not null, way text not null, places text, stage text not null,
  sent_at integer not null, run text not null, outcome text,
  created integer
);
create table marks (interval integer primary key, marks blob not null);
create index intervals_by_key on intervals (first_owner >= 0, abs(first_owner), first_kpi, first_day);
create table ones (
  interval integer not null, owner integer not null, kpi integer not null, day integer not null,
  digest text not null, known integer, sent_at integer not null, outcome text,
  primary key (interval, owner, kpi, day)
) without rowid;
pragma user_version = ${VERSION}`

/**
 * Sets how often a run tries to lock its own journal, and the pause in between. Imports of other files lock it for some
 * milliseconds while they look for unfinished runs. SQLite's busy timeout does not cover every lock.
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
 * Returns the path of the marker file, which stands beside a journal until it is complete: an empty journal without a
 * marker has lost its content.
 */
const markOf = (path: string): string => `${path}-new`

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/** Creates the journal's file if there is none, and returns its inode; undefined if it is gone by then. */
const findOrMake = (path: string): number | undefined => {
  makePrivateFolder(dirname(path))
  if (!existsSync(path)) prepareSqliteFile(markOf(path))
  if (existsSync(markOf(path))) prepareSqliteFile(path)
  return inodeOf(path)
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('pragma user_version').get()?.['user_version'])

const fill = (database: DatabaseSync, head: JournalHead): void => {
  keepSeal(database)
  database.exec(SCHEMA)
  database.exec(SEAL_SCHEMA)
  database.prepare("insert into meta values ('head', ?)").run(JSON.stringify(head))
}

const requireWholeJournal = (database: DatabaseSync, path: string): void => {
  const version = versionOf(database)
  if (version !== 0 && version !== VERSION) throw unreadable(path, `is of another version of kpi (${version})`)
  const hasHead = version === VERSION && database.prepare("select 1 from meta where name = 'head'").get()
  if (!hasHead || !isSealed(database)) throw unreadable(path, 'is damaged')
}

/**
 * Locks the file until it is closed, and sets up a new journal; returns false if another file is at the path now.
 * Rollback journaling keeps all data in one file: a write-ahead log, in a second file, could be lost unnoticed.
 */
const takeHold = (database: DatabaseSync, path: string, inode: number, head: JournalHead | undefined): boolean => {
  database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin immediate')
  keepSeal(database)
  if (inodeOf(path) !== inode) return false
  if (head && versionOf(database) === 0 && existsSync(markOf(path))) fill(database, head)
  requireWholeJournal(database, path)
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
const tryHold = (path: string, inode: number, head: JournalHead | undefined): DatabaseSync | undefined => {
  let database: DatabaseSync | undefined
  try {
    database = openThere(path)
    if (takeHold(database, path, inode, head)) return database
    database.close()
  } catch (error) {
    database?.close()
    if (inodeOf(path) === inode) throw error
  }
  return undefined
}

const hold = (path: string, head: JournalHead | undefined): DatabaseSync => {
  for (;;) {
    const inode = head ? findOrMake(path) : inodeOf(path)
    const database = inode === undefined ? undefined : tryHold(path, inode, head)
    if (database) return database
    if (!head && inode === undefined) throw unreadable(path, 'is not there')
  }
}

/**
 * Locks the journal at a path, creating it with a head if there is none. Without a head it must exist, and a lock of
 * another process is not waited for.
 */
export const lockJournal = (path: string, head: JournalHead | undefined): DatabaseSync =>
  head ? patiently(() => hold(path, head)) : hold(path, head)

/** Removes a journal and unlocks it. */
export const removeLocked = (database: DatabaseSync, path: string): void => {
  // Remove SQLite's log first, and all while the lock is held, so that no other process's file is removed under the
  // same name.
  database.exec('pragma journal_mode = memory')
  for (const one of [markOf(path), `${path}-journal`, path]) rmSync(one, { force: true })
  database.close()
}

/** Returns a journal in memory, for runs that cannot be continued. */
export const journalInMemory = (head: JournalHead): DatabaseSync => {
  const database = openSqlite(':memory:')
  fill(database, head)
  return database
}
