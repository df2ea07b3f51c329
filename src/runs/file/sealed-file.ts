import { hash } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { KpiError } from '../../domain/errors.ts'
import { isBusy, isBrokenFile, resultCodeOf, SQLITE } from '../../domain/sqlite-result.ts'
import { openSqlite, prepareSqliteFile } from '../../files/sqlite-file.ts'
import { makePrivateFolder } from '../../files/place.ts'

/*
 * A file is trusted only if none of its rows is missing or changed. Beside the rows it keeps a seal: the number of
 * rows, and the sum of their hashes. Triggers update the seal in the transaction of each change, and opening the
 * file computes it again from the rows. If rows, or bytes of them, were lost, the two differ.
 */

/** Lists the sealed tables, and the columns of each that are hashed, in this order; `bytes` names those of bytes. */
type Sealed = {
  readonly tables: Readonly<Record<string, readonly string[]>>
  readonly bytes?: ReadonlySet<string>
}

const EMPTY = '0'
const MODULUS = 1n << 128n
const HASH_LETTERS = 32

const numberIn = (hex: string): bigint => BigInt(`0x${hex}`)
const hashOf = (row: string): bigint => numberIn(hash('sha256', row, 'hex').slice(0, HASH_LETTERS))

const withRow = (sum: string, row: string): string => ((numberIn(sum) + hashOf(row)) % MODULUS).toString(16)
const withoutRow = (sum: string, row: string): string =>
  ((numberIn(sum) + MODULUS - hashOf(row)) % MODULUS).toString(16)

/**
 * Returns the SQL for a row as text: its table, and each of its values. `of` is the row's name in SQL, such as `new.`.
 */
const rowText = ({ tables, bytes }: Sealed, table: string, of: string): string => {
  // JSON cannot hold bytes.
  const columns = (tables[table] ?? []).map((name) => (bytes?.has(name) ? `hex(${of}${name})` : of + name))
  return `json_array('${table}', ${columns.join(', ')})`
}

const triggersOf = (sealed: Sealed, table: string): string => {
  const [fresh, old] = [rowText(sealed, table, 'new.'), rowText(sealed, table, 'old.')]
  const update = (event: string, set: string): string =>
    `create trigger ${table}_${event} after ${event} on ${table} begin update seal set ${set}; end;`
  return [
    update('insert', `rows = rows + 1, sum = seal_with(sum, ${fresh})`),
    update('delete', `rows = rows - 1, sum = seal_without(sum, ${old})`),
    update('update', `sum = seal_with(seal_without(sum, ${old}), ${fresh})`),
  ].join('\n')
}

/** Returns the SQL that creates the seal and its triggers in a file whose other tables exist and are empty. */
const sealSchema = (sealed: Sealed): string =>
  [
    'create table seal (rows integer not null, sum text not null);',
    `insert into seal values (0, '${EMPTY}');`,
    ...Object.keys(sealed.tables).map((table) => triggersOf(sealed, table)),
  ].join('\n')

/** Prepares a connection to keep the seal; call it before anything is written. */
const keepSeal = (database: DatabaseSync): void => {
  // Allow the triggers to call the two functions: SQLite lets no untrusted schema call any.
  database.exec('pragma trusted_schema = on')
  database.function('seal_with', { deterministic: true }, (sum, row) => withRow(String(sum), String(row)))
  database.function('seal_without', { deterministic: true }, (sum, row) => withoutRow(String(sum), String(row)))
  // Rows that are replaced must leave the seal, too.
  database.exec('pragma recursive_triggers = on')
}

/** Tells whether all rows are as they were written, and can be found. */
const isSealed = (database: DatabaseSync, sealed: Sealed): boolean => {
  if (database.prepare('pragma integrity_check(1)').get()?.['integrity_check'] !== 'ok') return false
  let [rows, sum] = [0, EMPTY]
  for (const table of Object.keys(sealed.tables)) {
    for (const { row } of database.prepare(`select ${rowText(sealed, table, '')} as row from ${table}`).iterate()) {
      rows += 1
      sum = withRow(sum, String(row))
    }
  }
  const seal = database.prepare('select rows, sum from seal').get()
  return seal?.['rows'] === rows && seal['sum'] === sum
}

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
