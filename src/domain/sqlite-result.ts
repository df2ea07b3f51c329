/**
 * Lists the primary result codes of SQLite that are handled. The store, the journal of an import and the state of a
 * rate limit are SQLite files, and this is the only folder that all three may import.
 */
export const SQLITE = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

/** Holds an extended code: there was no room for the files that SQLite creates beside a database. */
const NO_ROOM_BESIDE = SQLITE.ioError | (19 << 8)

/** Returns SQLite's primary result code; undefined if the error is not from SQLite. */
export const resultCodeOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  // The low byte of an extended code is the primary one.
  return error.errcode === NO_ROOM_BESIDE ? SQLITE.full : error.errcode & 0xff
}

/** Tells whether another connection holds the lock. */
export const isBusy = (error: unknown): boolean => {
  const code = resultCodeOf(error)
  return code === SQLITE.busy || code === SQLITE.locked
}

/** Tells whether the file itself is at fault: it is damaged, or not a database. */
export const isBrokenFile = (error: unknown): boolean => {
  const code = resultCodeOf(error)
  return code === SQLITE.corrupt || code === SQLITE.notADatabase
}
