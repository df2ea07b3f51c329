import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KpiError } from '../../domain/errors.ts'
import { makeMissing } from './private-folder.ts'

/** The file of a journal, held by this process alone. */
export type JournalFile = {
  readonly database: DatabaseSync
  /** Runs what writes to it; it is on the disk afterwards where it was asked to be. */
  readonly write: <T>(isSynced: boolean, work: () => T) => T
  /** Lets go of it and removes it. */
  readonly remove: () => void
  /** Lets go of it. */
  readonly close: () => void
}

/** What keeps a journal from being written: nothing may be sent that is not written down. */
export class JournalFault extends KpiError {}

const VERSION = 2
const SCHEMA = `
create table meta (name text primary key, value text not null) without rowid;
create table intervals (
  id integer primary key,
  first_owner integer not null, first_kpi integer not null, first_day integer not null,
  last_owner integer not null, last_kpi integer not null, last_day integer not null,
  count integer not null, digest text not null, way text not null, places text, stage text not null,
  sent_at integer not null, run text not null, outcome text
);
create table marks (interval integer primary key, marks blob not null);
create index intervals_by_key on intervals (first_owner, first_kpi, first_day);
create table ones (
  interval integer not null, owner integer not null, kpi integer not null, day integer not null,
  digest text not null, known integer, sent_at integer not null, outcome text,
  primary key (interval, owner, kpi, day)
) without rowid;
pragma user_version = ${VERSION}`

// SQLite's primary result codes.
const REASONS: Readonly<Record<number, string>> = {
  8: 'it may not be written',
  10: 'the disk cannot be read or written',
  13: 'the disk is full',
  14: 'it cannot be opened; check the permissions of its folder',
}
const BUSY: ReadonlySet<number> = new Set([5, 6])
const DAMAGED: ReadonlySet<number> = new Set([11, 26])

const resultCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

const unreadable = (path: string, what: string, cause?: unknown): JournalFault =>
  new JournalFault(
    'unusable',
    `the journal ${path} ${what}; remove it to begin anew: what was stored already is found there, but with --on-conflict add it would be added again`,
    { cause },
  )

const faultOf = (error: unknown, path: string): unknown => {
  if (error instanceof KpiError) return error
  const code = resultCode(error)
  if (BUSY.has(code))
    return new KpiError('locked', 'the same import is running already; wait until it has ended, or stop it')
  if (DAMAGED.has(code)) return unreadable(path, 'is damaged', error)
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error))
  return new JournalFault('unusable', `cannot write the journal ${path}: ${reason}`, { cause: error })
}

const told = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw faultOf(error, path)
  }
}

/** Takes the lock, which lasts until the file is closed, and makes the tables where there are none. */
const takeHold = (database: DatabaseSync, path: string): void => {
  database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; begin immediate')
  const version = Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (version === 0) database.exec(SCHEMA)
  else if (version !== VERSION) throw unreadable(path, `is of another version of kpi (${version})`)
  database.exec('commit')
}

/** Makes the file where there is none, for its owner alone, and says which one it is. */
const makeFile = (path: string): number => {
  makeMissing(dirname(path))
  const file = openSync(path, 'a', 0o600)
  try {
    return fstatSync(file).ino
  } finally {
    closeSync(file)
  }
}

/** Opens a file and holds it; undefined where it was removed at that moment, by a process that had finished. */
const tryOpen = (path: string): DatabaseSync | undefined => {
  const made = makeFile(path)
  const database = new DatabaseSync(path)
  try {
    takeHold(database, path)
  } catch (error) {
    database.close()
    throw error
  }
  if (statSync(path, { throwIfNoEntry: false })?.ino === made) return database
  database.close()
  return undefined
}

const openHeld = (path: string): DatabaseSync => {
  for (;;) {
    const database = tryOpen(path)
    if (database) return database
  }
}

const openInMemory = (): DatabaseSync => {
  const database = new DatabaseSync(':memory:')
  database.exec(SCHEMA)
  return database
}

/** Opens the journal at a path, in memory where there is none; throws `locked` where another process has it. */
export const openJournalFile = (path: string | undefined): JournalFile => {
  const name = path ?? 'in memory'
  const database = told(name, () => (path === undefined ? openInMemory() : openHeld(path)))
  let isSyncing = true
  const sync = (isAsked: boolean): void => {
    if (isAsked !== isSyncing) database.exec(`pragma synchronous = ${isAsked ? 'full' : 'normal'}`)
    isSyncing = isAsked
  }
  return {
    database,
    write: (isSynced, work) =>
      told(name, () => {
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
    remove: () => {
      // Its log goes first and all happens while it is held, so that nobody else's file is met under its name.
      if (path !== undefined) database.exec('pragma journal_mode = memory')
      if (path !== undefined) rmSync(path, { force: true })
      database.close()
    },
    close: () => database.close(),
  }
}
