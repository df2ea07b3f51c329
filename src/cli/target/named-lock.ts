import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KpiError } from '../../domain/errors.ts'
import { isBrokenFile, isBusy, resultCodeOf, SQLITE } from '../../domain/sqlite-result.ts'
import { systemCode } from '../../files/file-error.ts'
import { openSqlite, prepareSqliteFile } from '../../files/sqlite-file.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { makeFolder, stateFolder } from './folders.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/

/** Tells whether an error says that there is no room for a file. */
const hasNoRoom = (error: unknown): boolean => {
  const code = resultCodeOf(error)
  return code === SQLITE.full || code === SQLITE.ioError || ['ENOSPC', 'EDQUOT'].includes(systemCode(error))
}

/** Returns the error of a lock that could not be taken, in words: another command holds it, or its file is at fault. */
const failureOf = (error: unknown, path: string, name: string): KpiError => {
  if (isBusy(error))
    return new KpiError('locked', `another command holds the lock ${name}; wait until it has ended, or stop it`)
  const why = hasNoRoom(error)
    ? 'cannot be written, as the disk is full; make room there, then run the same command again'
    : isBrokenFile(error)
      ? 'is no lock; delete it'
      : 'cannot be opened for writing; give yourself the rights to it and its folder, or delete it'
  return new KpiError('unusable', `cannot take the lock ${name}: ${path} ${why}`, { cause: error })
}

/** Takes a lock that the system gives back when the process ends, however it ends. */
const takeLock = (path: string, name: string): DatabaseSync => {
  let file: DatabaseSync | undefined
  try {
    prepareSqliteFile(path)
    file = openSqlite(path, { timeout: 0 })
    file.exec('begin exclusive')
    return file
  } catch (error) {
    file?.close()
    throw failureOf(error, path, name)
  }
}

/** Refuses a text that cannot be the name of a lock. */
export const requireLockName = (name: string): void => {
  if (NAME.test(name)) return
  throw new UsageError(`--lock ${name}: a name has letters, digits, dots and dashes, as in nightly`)
}

/** Does work while no other command of this user runs with the lock of a name; refuses to begin where one does. */
export const withNamedLock = async <T>(io: Io, name: string, work: () => Promise<T>): Promise<T> => {
  requireLockName(name)
  const folder = join(stateFolder(io), 'locks')
  makeFolder(folder, 'state folder')
  const file = takeLock(join(folder, `${name}.lock`), name)
  try {
    return await work()
  } finally {
    file.close()
  }
}
