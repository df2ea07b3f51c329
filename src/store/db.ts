/** Describes a value that SQL takes; whole numbers may also be given as numbers. */
export type SqlInput = string | number | bigint | null
/** Describes a value that SQL gives: whole numbers are always bigint, so that none loses digits. */
export type SqlOutput = string | bigint | null
export type SqlRow = Readonly<Record<string, SqlOutput>>
export type SqlList = readonly SqlOutput[]

/** Takes a row; answers a promise where that takes long. */
export type Visit = (row: SqlList) => void | Promise<void>

/** Reads within a transaction. Values are bound to `?`, never written into the text. */
export type Reader = {
  /** Sets how many keys a long read may look up in one query: nobody else has a turn until it finds a row. */
  readonly keysAQuery: number
  readonly all: (sql: string, values?: readonly SqlInput[]) => Promise<SqlRow[]>
  /**
   * Visits the rows one by one, without holding them all; each is a list of its values, in the order of the columns.
   * Where a visit takes long it returns a promise, which is awaited. Others have their turn every few hundred rows.
   */
  readonly each: (sql: string, values: readonly SqlInput[], visit: Visit) => Promise<void>
  /** Runs one query for each list of whole numbers, and answers the rows of all of them. */
  readonly allOfEach: (sql: string, lists: readonly (readonly number[])[]) => Promise<SqlRow[]>
}

/** Describes a column of a table and its type. */
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
 * Separates the store's SQL from a database. A transaction sees one snapshot of the data. A write transaction is alone,
 * and when it ends it is on disk, or, when `work` throws, rolled back as a whole. `work` may run again where the
 * database gave a transaction up for another: its effects outside of the transaction must bear that.
 */
export type Db = {
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** Reads what takes many turns of the event loop, in such a way that nobody else's short reads wait for it. */
  readonly readLong: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  readonly write: <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
  /** Returns the same for work on one account only, whose writes are alone among those of that account. */
  readonly ofAccount: (account: number) => Db
  /**
   * Returns a number that stays the same as long as nobody has written: what was read before still holds. Undefined
   * where that cannot be told without asking the database.
   */
  readonly stamp: () => number | undefined
  /**
   * Writes with locks of its own on the rows on which it decides, so that it waits for nobody else's writes. Undefined
   * where a database has one writer at a time.
   */
  readonly selfLocking?: Db
  /**
   * Writes what may be left out: a write that finds another process writing fails at once, as waiting would hold up
   * this process. Undefined where no write waits.
   */
  readonly inPassing?: Db
  /**
   * Writes without foreign key checks: the work has seen in its own transaction all that its new rows name. Nothing may
   * be removed in it. Undefined where nothing is checked anyway.
   */
  readonly trusting?: Db
  /**
   * Runs work whose statements may take long by themselves, such as counting or removing any number of rows, where it
   * holds up nobody else in this process. Undefined where no statement does, nor where nobody waits.
   */
  readonly apart?: Db
  readonly close: () => Promise<void>
}

/**
 * Returns an open transaction as a `Db`: all that is read and written through it is part of that one, and is committed
 * or rolled back with it.
 */
export const nestedTransaction = (tx: Writer): Db => {
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
