/** A value as SQL takes it; whole numbers may also be given as numbers. */
export type SqlInput = string | number | bigint | null
/** A value as SQL gives it: whole numbers always come as bigint, so that none loses digits. */
export type SqlOutput = string | bigint | null
export type SqlRow = Readonly<Record<string, SqlOutput>>
export type SqlList = readonly SqlOutput[]

/** What may be asked within a transaction. Values are bound to `?`, never written into the text. */
export type Reader = {
  readonly all: (sql: string, values?: readonly SqlInput[]) => Promise<SqlRow[]>
  /** Visits the rows one by one, without holding them all; each as a list of its values, in the order of the columns. */
  readonly each: (sql: string, values: readonly SqlInput[], visit: (row: SqlList) => void) => Promise<void>
}

export type Writer = Reader & {
  /** Runs one statement; answers how many rows it changed. */
  readonly run: (sql: string, values?: readonly SqlInput[]) => Promise<number>
  /** Runs one statement for each list of values. */
  readonly runEach: (sql: string, lists: Iterable<readonly SqlInput[]>) => Promise<void>
}

/**
 * The seam between the store's SQL and a database. A transaction sees one state of the data. A write transaction is
 * alone, and when it ends it is on the disk, or, when `work` throws, undone as a whole.
 */
export type Db = {
  readonly read: <T>(work: (tx: Reader) => Promise<T>) => Promise<T>
  readonly write: <T>(work: (tx: Writer) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}
