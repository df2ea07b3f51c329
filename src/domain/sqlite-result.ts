/**
 * Lists SQLite's primary result codes, as far as they are told apart. The store, the journal of an import and the state
 * of a rate limit are each a SQLite file, and this is the one folder that all three may import.
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

/** Holds an extended code: the files that SQLite keeps beside a database found no room. */
const NO_ROOM_BESIDE = SQLITE.ioError | (19 << 8)

/** Returns SQLite's primary result code; undefined where the error is not SQLite's. */
export const resultCodeOf = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  // Extended codes carry the primary one in their low byte.
  return error.errcode === NO_ROOM_BESIDE ? SQLITE.full : error.errcode & 0xff
}

/** Tells whether another connection holds the lock that was wanted. */
export const isBusy = (error: unknown): boolean => {
  const code = resultCodeOf(error)
  return code === SQLITE.busy || code === SQLITE.locked
}

/** Tells whether the file itself is at fault: it is damaged, or no database. */
export const isBrokenFile = (error: unknown): boolean => {
  const code = resultCodeOf(error)
  return code === SQLITE.corrupt || code === SQLITE.notADatabase
}
