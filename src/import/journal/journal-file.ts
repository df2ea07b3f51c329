import type { DatabaseSync } from 'node:sqlite'
import type { JournalHead } from './journal.ts'
import { lockJournal, journalInMemory, removeLocked, withPathInErrors } from './lock.ts'

/** Describes the file of a journal, held by this process alone. */
export type JournalFile = {
  readonly database: DatabaseSync
  /** Runs what writes to it; it is on the disk afterwards where it was asked to be. */
  readonly write: <T>(isSynced: boolean, work: () => T) => T
  /** Lets go of it and removes it. */
  readonly remove: () => void
  /** Lets go of it. */
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

/** Opens the journal at a path, begun with a head where there is none; throws `locked` where another process has it. */
export const openJournalFile = (path: string | undefined, head: JournalHead): JournalFile =>
  fileOf(
    path,
    withPathInErrors(path ?? IN_MEMORY, () => (path === undefined ? journalInMemory(head) : lockJournal(path, head))),
  )

/** Opens an existing journal; throws if there is none, or if another process holds it. */
export const findJournalFile = (path: string): JournalFile =>
  fileOf(
    path,
    withPathInErrors(path, () => lockJournal(path, undefined)),
  )
