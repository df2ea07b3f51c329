import type { Db, Writer } from './db.ts'

/**
 * An open transaction as a `Db`: all that is read and written through it is part of that one, and is kept or undone with
 * it as a whole.
 */
export const within = (tx: Writer): Db => {
  const db: Db = {
    read: (work) => work(tx),
    readLong: (work) => work(tx),
    write: (work) => work(tx),
    ofAccount: () => db,
    stamp: () => undefined,
    close: () => Promise.resolve(),
  }
  return db
}
