import type { DatabaseSync } from 'node:sqlite'
import type { JournalHead } from './journal.ts'
import { lockJournal, journalInMemory, removeLocked, withPathInErrors } from './lock.ts'

/** Describes the file of a journal, which this process has locked. */
export type JournalFile = {
  readonly database: DatabaseSync
  /** Runs a write in a transaction; with `isSynced`, the data is on the disk afterwards. */
  readonly write: <T>(isSynced: boolean, work: () => T) => T
  /** Unlocks the file and removes it. */
  readonly remove: () => void
  /** Unlocks the file. */
  readonly close: () => void
}

const IN_MEMORY = 'in memory'

const fileOf = (path: string | undefined, database: DatabaseSync): JournalFile => {
  const name = path ?? IN_MEMORY
  let isSyncing = true
  const sync = (isAsked: boolean): void => {
    if (isAsked !== isSyncing) database.exec(`pragma synchronous = ${isAsked ? 'full' : 'normal'}`)
    isSyncing = isAsked
  }
  return {
    database,
    write: (isSynced, work) =>
      withPathInErrors(name, () => {
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
      if (path === undefined) database.close()
      else removeLocked(database, path)
    },
    close: () => database.close(),
  }
}

/** Opens the journal at a path, creating it with a head if there is none; throws `locked` if another process has it. */
export const openJournalFile = (path: string | undefined, head: JournalHead): JournalFile =>
  fileOf(
    path,
    withPathInErrors(path ?? IN_MEMORY, () => (path === undefined ? journalInMemory(head) : lockJournal(path, head))),
  )

/** Opens an existing journal; throws if there is none. */
export const findJournalFile = (path: string): JournalFile =>
  fileOf(
    path,
    withPathInErrors(path, () => lockJournal(path, undefined)),
  )
