import { existsSync } from 'node:fs'
import { hash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KpiError } from '../../../domain/errors.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { isBusy } from '../../../domain/sqlite-result.ts'
import { openSqlite, prepareSqliteFile } from '../../../files/sqlite-file.ts'
import type { Io } from '../../io.ts'
import { makeFolder, stateFolder } from '../../target/folders.ts'
import { KIND_NAMES, type KindName, sectionOf } from './planning/kinds.ts'
import { labelOf, type Thing, type Things } from './planning/things.ts'

/** Names something that an apply created: its kind, its id, and of what belongs to a user, the user. */
type Made = { readonly kind: KindName; readonly id: number; readonly user: number; readonly at: number }

/** Keeps what the applies of one file to one account created, so that `--prune` deletes nothing else. */
export type ApplyRecord = {
  readonly made: () => readonly Made[]
  readonly add: (thing: Thing, record: AnyRecord) => void
  readonly remove: (thing: Thing) => void
  readonly close: () => void
}

const NAME_LENGTH = 32

/** Returns the path of the record of a file, for a service and an account. */
export const recordPath = (io: Io, service: string, account: string, file: string): string => {
  const name = hash('sha256', JSON.stringify([service, account, resolve(io.cwd, file)]), 'hex').slice(0, NAME_LENGTH)
  return join(stateFolder(io), 'applied', `${name}.db`)
}

const SCHEMA = `create table if not exists made (
  kind text not null, id integer not null, user integer not null, at integer not null, name text not null,
  primary key (kind, id, user)
) without rowid`

const userOf = ({ above }: Thing): number => above['user']?.id ?? 0

/** Opens a file of SQLite that only its owner can read, and locks it for as long as it is open. */
const openLocked = (path: string): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    prepareSqliteFile(path)
    database = openSqlite(path)
    database.exec(`pragma locking_mode = exclusive; begin immediate; ${SCHEMA}; commit`)
    return database
  } catch (error) {
    database?.close()
    if (isBusy(error)) throw new KpiError('locked', 'this file is being applied already; wait until that has ended')
    const reason = error instanceof Error ? error.message : String(error)
    throw new KpiError('unusable', `cannot use ${path}, the record of what applies created: ${reason}; move it away`, {
      cause: error,
    })
  }
}

/** Opens the record at a path, creating it if there is none; another process cannot open it meanwhile. */
export const openRecord = (path: string): ApplyRecord => {
  makeFolder(join(path, '..'), 'state folder')
  const database = openLocked(path)
  const insert = database.prepare('insert or replace into made values (?, ?, ?, ?, ?)')
  const remove = database.prepare('delete from made where kind = ? and id = ? and user = ?')
  return {
    made: () =>
      database
        .prepare('select kind, id, user, at from made')
        .all()
        .flatMap((row) => {
          const kind = KIND_NAMES.find((one) => sectionOf(one) === row['kind'])
          return kind ? [{ kind, id: Number(row['id']), user: Number(row['user']), at: Number(row['at']) }] : []
        }),
    add: (thing, { created_at: at }) =>
      void insert.run(sectionOf(thing.kind.name), thing.id ?? 0, userOf(thing), Number(at ?? 0), labelOf(thing)),
    remove: (thing) => void remove.run(sectionOf(thing.kind.name), thing.id ?? 0, userOf(thing)),
    close: () => database.close(),
  }
}

/** Returns what the record at a path says; nothing if there is none. */
export const readMade = (path: string): readonly Made[] => {
  if (!existsSync(path)) return []
  const record = openRecord(path)
  try {
    return record.made()
  } finally {
    record.close()
  }
}

/** Returns the things of a record that are still there; an id that was given anew is another thing. */
export const thingsMade = (things: Things, made: readonly Made[]): Thing[] => {
  const keyOf = (kind: string, id: number, user: number): string => `${kind} ${id} ${user}`
  const known = new Map(made.map(({ kind, id, user, at }) => [keyOf(kind, id, user), at]))
  return [...new Set(made.map(({ kind }) => kind))].flatMap((kind) =>
    things.ofKind(kind).filter((thing) => {
      const at = known.get(keyOf(kind, thing.id ?? 0, userOf(thing)))
      return at === 0 || at === Number(thing.record?.['created_at'] ?? 0)
    }),
  )
}
