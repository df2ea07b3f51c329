/** Describes a value that is bound to a statement; a whole number may be a number or a bigint. */
export type SqlInput = string | number | bigint | null
/** Describes a value of a result row; whole numbers are always bigint, so that none loses digits. */
export type SqlOutput = string | bigint | null
export type SqlRow = Readonly<Record<string, SqlOutput>>
export type SqlList = readonly SqlOutput[]
/** Holds the values of a row whose whole numbers are exact doubles. */
export type SqlNumbers = readonly (string | number | null)[]

/** Processes a row; returns a promise if that takes long. */
export type Visit = (row: SqlList) => void | Promise<void>

/**
 * Reads within a transaction. Values are always bound to `?`, never written into the SQL; `?1` stands for the first value
 * once more. That is the account where a statement names several tables: each needs a condition on its own, so that a
 * database that spreads accounts over machines knows which one to ask.
 */
export type Reader = {
  /** Bounds the keys of one query of a long read: no other request runs until the query returns its first row. */
  readonly keysPerQuery: number
  readonly all: (sql: string, values?: readonly SqlInput[]) => Promise<SqlRow[]>
  /**
   * Visits the rows one by one, without holding them all. A row is the list of its values, in the order of the columns.
   * If `visit` returns a promise, it is awaited before the next row. Other requests run every few hundred rows.
   */
  readonly each: (sql: string, values: readonly SqlInput[], visit: Visit) => Promise<void>
  /**
   * Runs a query of an account, its first value, once for each list of whole numbers, the other values; returns the rows
   * of all runs, in the order of the lists. The query must give no whole number that a double does not hold exactly.
   */
  readonly allOfEach: (sql: string, account: number, lists: readonly (readonly number[])[]) => Promise<SqlNumbers[]>
}

/** Describes a column of a table and its type. */
export type Column = { readonly name: string; readonly type: 'integer' | 'text' }

/** Holds a column of new rows: a value for each, or one that all of them share. */
export type FilledColumn = Column &
  ({ readonly values: readonly SqlInput[] | Float64Array } | { readonly value: SqlInput })

/** Returns rows, each a list of values in the order of the columns, as filled columns. */
export const filledColumns = (columns: readonly Column[], rows: readonly (readonly SqlInput[])[]): FilledColumn[] =>
  columns.map((column, at) => ({ ...column, values: rows.map((row) => row[at] ?? null) }))

export type Writer = Reader & {
  /** Runs one statement; returns how many rows it changed. */
  readonly run: (sql: string, values?: readonly SqlInput[]) => Promise<number>
  /** Adds so many rows, to `account` if one is given. */
  readonly insertMany: (
    table: string,
    count: number,
    columns: readonly FilledColumn[],
    account?: number,
  ) => Promise<void>
  /** Updates rows of an account, found by their keys; each is a list of the values of its key, then of its columns. */
  readonly updateMany: (
    table: string,
    account: number,
    key: readonly Column[],
    columns: readonly Column[],
    rows: readonly (readonly SqlInput[])[],
  ) => Promise<void>
}

/**
 * Hides which database runs the store's SQL. A read sees one snapshot of the data. Writes to one account do not
 * overlap, nor do writes to the whole store. A write is on disk when its promise resolves, and rolled back if `work`
 * throws. `work` may run again after a conflict, so it must be safe to repeat.
 */
export type Db = {
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  /** Runs a long read on a connection of its own, so that short reads do not wait for it. */
  readonly readLong: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  readonly write: <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
  /**
   * Returns a `Db` for one account. If the database can lock rows, its writes exclude only writes of the same account.
   */
  readonly ofAccount: (account: number) => Db
  /**
   * Returns a number that changes with every write, so that cached data is valid as long as the number is the same.
   * Undefined if only a query could tell.
   */
  readonly stamp: () => number | undefined
  /**
   * Writes without the account lock; `work` locks the rows it needs. Undefined if the database has one writer at a
   * time.
   */
  readonly selfLocking?: Db
  /**
   * Writes something optional: fails at once, instead of waiting, while another process writes. Undefined if waiting
   * does not block this process.
   */
  readonly inPassing?: Db
  /**
   * Writes without foreign key checks. `work` must have read every row that its new rows refer to, and must not delete
   * anything. Undefined if there is no check to skip.
   */
  readonly trusting?: Db
  /**
   * Runs work with single slow statements, such as counting or deleting many rows, in a worker thread, so that this
   * process is not blocked. Undefined if no statement blocks it, or if no other request waits.
   */
  readonly apart?: Db
  readonly close: () => Promise<void>
}

/**
 * Wraps an open transaction as a `Db`: everything that is read and written through it belongs to that transaction, and
 * is committed or rolled back with it.
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
