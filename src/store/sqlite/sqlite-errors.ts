import { KpiError } from '../../domain/errors.ts'

// SQLite's primary result codes; the extended ones carry them in their low byte.
const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26

/** Holds an extended code: the files that SQLite keeps beside a store found no room. */
const NO_ROOM_BESIDE = IO_ERROR | (19 << 8)

/** Returns SQLite's primary result code; undefined where the error is not SQLite's. */
export const resultCodeOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode === NO_ROOM_BESIDE ? FULL : error.errcode & 0xff
}

/** Makes an error anew that comes from another thread, which keeps nothing but its text and its code. */
export const errorWithCode = (message: string, code: number | undefined): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { errcode: code })

/** Tells whether another connection holds the lock that was wanted. */
export const isBusy = (error: unknown): boolean => resultCodeOf(error) === BUSY || resultCodeOf(error) === LOCKED

/**
 * Tells whether there was no room to write, by SQLite or by one of our errors; a file system may call that a failure.
 */
export const isOutOfSpace = (error: unknown): boolean =>
  [FULL, IO_ERROR].some((code) => resultCodeOf(error) === code) ||
  (error instanceof Error && error.cause !== undefined && isOutOfSpace(error.cause))

/** Returns the error for a file that is a database, but damaged. */
const damaged = (path: string, cause?: unknown): KpiError =>
  new KpiError('unusable', `${path} is damaged; restore it from a backup`, { cause })

/** Tells whether a database is too damaged to be read, by SQLite or by one of our errors. */
export const isDamaged = (error: unknown): boolean =>
  resultCodeOf(error) === CORRUPT || (error instanceof Error && error.cause !== undefined && isDamaged(error.cause))

class NotOurs extends KpiError {}

/** Tells whether a file is no store, by SQLite or by one of our errors. */
export const isNotOurs = (error: unknown): boolean => error instanceof NotOurs || resultCodeOf(error) === NOT_A_DATABASE

/** Returns the error for a file that is no store. */
export const notOurs = (path: string, cause?: unknown): KpiError =>
  new NotOurs('unusable', `${path} is not a kpi database; move it away, or choose another data directory`, { cause })

/** Converts an error from SQLite to one of ours; any other passes through. */
export const sqliteError = (error: unknown, path: string): unknown => {
  const cause = error
  switch (resultCodeOf(error)) {
    case undefined:
      return error
    case BUSY:
    case LOCKED:
      return new KpiError('unavailable', `${path} is in use by another process; try again`, { retryAfter: 1, cause })
    case FULL:
      return new KpiError('unavailable', `the disk of ${path} is full; nothing of this request was stored`, { cause })
    case READONLY:
    case CANNOT_OPEN:
      return new KpiError('unusable', `${path} cannot be opened for writing; check the permissions of its directory`, {
        cause,
      })
    case NOT_A_DATABASE:
      return notOurs(path, cause)
    case CORRUPT:
      return damaged(path, cause)
    case IO_ERROR:
      return new KpiError('unavailable', `the disk of ${path} cannot be read or written`, { cause })
    default:
      return new KpiError('internal', 'the database refused a statement', { cause })
  }
}
