import { KpiError } from '../../domain/errors.ts'
import { FileFault } from '../../files/file-error.ts'
import { resultCodeOf, SQLITE } from '../../domain/sqlite-result.ts'

/** Recreates an error of another thread, which sends only its message and code. */
export const errorWithCode = (message: string, code: number | undefined): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { errcode: code })

/**
 * Tells whether there was no room to write, by a SQLite error or the cause of one of ours. Some file systems report a
 * full disk as an I/O error.
 */
export const isOutOfSpace = (error: unknown): boolean =>
  [SQLITE.full, SQLITE.ioError].some((code) => resultCodeOf(error) === code) ||
  (error instanceof Error && error.cause !== undefined && isOutOfSpace(error.cause))

/** Returns the error for a database that is damaged. */
const damagedError = (path: string, cause?: unknown): KpiError =>
  new KpiError('unusable', `${path} is damaged; restore it from a backup`, { cause })

/** Tells whether a database is too damaged to be read, by a SQLite error or the cause of one of ours. */
export const isDamaged = (error: unknown): boolean =>
  resultCodeOf(error) === SQLITE.corrupt ||
  (error instanceof Error && error.cause !== undefined && isDamaged(error.cause))

class NotKpiStore extends KpiError {}

/** Tells whether a file is not a kpi store, by a SQLite error or one of ours. */
export const isNotKpiStore = (error: unknown): boolean =>
  error instanceof NotKpiStore || resultCodeOf(error) === SQLITE.notADatabase

/** Returns the error for a file that is not a kpi store. */
export const notKpiStoreError = (path: string, cause?: unknown): KpiError =>
  new NotKpiStore('unusable', `${path} is not a kpi database; move it away, or choose another data directory`, {
    cause,
  })

/** Returns the error for a file that is not what SQLite may use, or beside which such a thing stands. */
export const notOwnFileError = (path: string, cause: FileFault): KpiError =>
  new KpiError('unusable', `${path} cannot be used: ${cause.message}`, { cause })

/** Converts an error from SQLite to one of ours; any other passes through. */
export const sqliteError = (error: unknown, path: string): unknown => {
  const cause = error
  if (error instanceof FileFault) return notOwnFileError(path, error)
  switch (resultCodeOf(error)) {
    case undefined:
      return error
    case SQLITE.busy:
    case SQLITE.locked:
      return new KpiError('unavailable', `${path} is in use by another process; try again`, { retryAfter: 1, cause })
    case SQLITE.full:
      return new KpiError('unavailable', `the disk of ${path} is full; nothing of this request was stored`, { cause })
    case SQLITE.readOnly:
    case SQLITE.cannotOpen:
      return new KpiError('unusable', `${path} cannot be opened for writing; check the permissions of its directory`, {
        cause,
      })
    case SQLITE.notADatabase:
      return notKpiStoreError(path, cause)
    case SQLITE.corrupt:
      return damagedError(path, cause)
    case SQLITE.ioError:
      return new KpiError('unavailable', `the disk of ${path} cannot be read or written`, { cause })
    default:
      return new KpiError('internal', 'the database refused a statement', { cause })
  }
}
