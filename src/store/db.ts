/** A value as SQL takes it; whole numbers may also be given as numbers. */
export type SqlInput = string | number | bigint | null
/** A value as SQL gives it: whole numbers always come as bigint, so that none loses digits. */
export type SqlOutput = string | bigint | null
export type SqlRow = Readonly<Record<string, SqlOutput>>
export type SqlList = readonly SqlOutput[]

/** Takes a row; answers a promise where that takes long. */
export type Visit = (row: SqlList) => void | Promise<void>

/** What may be asked within a transaction. Values are bound to `?`, never written into the text. */
export type Reader = {
  /** So many keys at most should a long read look up in one query: nobody else has a turn until it finds a row. */
  readonly keysAQuery: number
  readonly all: (sql: string, values?: readonly SqlInput[]) => Promise<SqlRow[]>
  /**
   * Visits the rows one by one, without holding them all; each as a list of its values, in the order of the columns.
   * Where a visit takes long it answers a promise, which is waited for. Others have their turn every few hundred rows.
   */
  readonly each: (sql: string, values: readonly SqlInput[], visit: Visit) => Promise<void>
  /** Runs one query for each list of whole numbers, and answers the rows of all of them. */
  readonly allOfEach: (sql: string, lists: readonly (readonly number[])[]) => Promise<SqlRow[]>
}

/** A column of a table and what it holds. */
export type Column = { readonly name: string; readonly type: 'integer' | 'text' }

export type Writer = Reader & {
  /** Runs one statement; answers how many rows it changed. */
  readonly run: (sql: string, values?: readonly SqlInput[]) => Promise<number>
  /** Adds rows; each is a list of values in the order of the columns. */
  readonly insertMany: (
    table: string,
    columns: readonly Column[],
    rows: readonly (readonly SqlInput[])[],
  ) => Promise<void>
  /** Sets columns of rows that are found by their keys; each is a list of the values of its key, then of the columns. */
  readonly updateMany: (
    table: string,
    key: readonly Column[],
    columns: readonly Column[],
    rows: readonly (readonly SqlInput[])[],
  ) => Promise<void>
}

/**
 * The seam between the store's SQL and a database. A transaction sees one state of the data. A write transaction is
 * alone, and when it ends it is on the disk, or, when `work` throws, undone as a whole. `work` may be run again where
 * the database gave a transaction up for another: what it does outside of the transaction it must bear to do twice.
 */
export type Db = {
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** Reads what takes many turns of the event loop, in such a way that nobody else's short reads wait for it. */
  readonly readLong: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  readonly write: <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
  /** The same for work on one account only, whose writes need to be alone among those of that account. */
  readonly ofAccount: (account: number) => Db
  /**
   * A number that stays the same as long as nobody has written: what was read before still holds. Undefined where that
   * cannot be told without asking the database, as others do.
   */
  readonly stamp: () => number | undefined
  /**
   * The same for work that itself locks the rows on which it decides, so that it waits for nobody else's writes. Not
   * there where a database has one writer at a time.
   */
  readonly selfLocking?: Db
  /**
   * The same for what may be left out: a write that finds another process writing fails at once, as waiting for that
   * process would hold up this one. Not there where no write does.
   */
  readonly inPassing?: Db
  /**
   * The same for work that has seen in its own transaction that all is there that its new rows name: the database does
   * not look for it once more, row by row. Nothing may be removed in it. Not there where none is looked for anyway.
   */
  readonly trusting?: Db
  /**
   * The same for work whose statements may take long by themselves, such as one that counts or removes any number of rows:
   * it is done where it holds up nobody else in this process. Not there where no statement does, nor where nobody waits.
   */
  readonly apart?: Db
  readonly close: () => Promise<void>
}

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
