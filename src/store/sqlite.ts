import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import type { Column, Db, SqlInput, SqlList, SqlRow, Writer } from './db.ts'
import { createQueue } from './queue.ts'
import { isBusy, sqliteError } from './sqlite-errors.ts'
import { createTurnReader, type TurnReader } from './turn-reader.ts'

/** SQLite waits this long by itself, blocking the process; beyond it the wait is ours and lets other work go on. */
const BLOCKING_WAIT_MS = 50
const RETRY_PAUSE_MS = 5
const BLOCKING_WAIT = `pragma busy_timeout = ${BLOCKING_WAIT_MS}`

const READER_SETTINGS = 'pragma busy_timeout = 5000'
/**
 * What becomes of what a commit has acknowledged when the power is lost: `full` keeps it. `off` may lose the file, costs
 * no wait for the disk, and keeps everything when only the process ends.
 */
export type Durability = 'full' | 'off'

/**
 * Readers go on beside the writer. What was written waits in the log for 32 MB of it, as pages that are written again
 * and again in the meantime are then copied once.
 */
const writerSettings = (durability: Durability): string => `
  ${BLOCKING_WAIT};
  pragma journal_mode = wal;
  pragma wal_autocheckpoint = 8000;
  pragma synchronous = ${durability}`

/** How long a write waits for another process to end its own. */
export const WRITE_PATIENCE_MS = 30_000

/** After so many rows others get their turn. */
const ROWS_A_TURN = 2000
/** So many connections read at most. */
const READERS = 4
/** So many rows a statement are written fastest. */
const ROWS_A_STATEMENT = 100

type Rows = readonly (readonly SqlInput[])[]

const isSameInAll = (at: number, rows: Rows, first: SqlInput | undefined): boolean => {
  for (const row of rows) if (row[at] !== first) return false
  return true
}

/** Of each column whether all rows hold the same in it: that is bound once a statement. */
const sameInAll = (columns: readonly Column[], rows: Rows): boolean[] =>
  columns.map((_, at) => isSameInAll(at, rows, rows[0]?.[at]))

/** What is bound once, by the names of the columns. */
const sharedValues = (columns: readonly Column[], [first = []]: Rows, isSame: readonly boolean[]) =>
  Object.fromEntries(columns.flatMap(({ name }, at) => (isSame[at] ? [[name, first[at] ?? null]] : [])))

const sqlToInsert = (
  table: string,
  columns: readonly Column[],
  rows: number,
  isSame: readonly boolean[] = [],
): string => {
  const marks = `(${columns.map(({ name }, at) => (isSame[at] ? `:${name}` : '?')).join(', ')})`
  return `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) values ${Array(rows).fill(marks).join(', ')}`
}

/** The values of some rows, one after the other. Of a million rows all that is done here counts. */
const valuesOf = (rows: Rows, start: number, end: number, isSame: readonly boolean[] = []): SqlInput[] => {
  const values: SqlInput[] = []
  for (let at = start; at < end; at += 1) {
    const row = rows[at] as readonly SqlInput[]
    for (let column = 0; column < row.length; column += 1) if (!isSame[column]) values.push(row[column] ?? null)
  }
  return values
}

const equal = ({ name }: Column): string => `${name} = ?`

type Connection = Writer & {
  readonly begin: () => void
  readonly beginWriting: () => void
  /** Begins at once or not at all. */
  readonly tryWriting: () => void
  readonly commit: () => void
  readonly end: () => void
  /** Changes when another connection has written. */
  readonly version: () => number
  readonly close: () => void
}

/** Prepares a statement once. */
const createCache = (prepare: (sql: string) => StatementSync): ((sql: string) => StatementSync) => {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    const known = statements.get(sql)
    if (known) return known
    const statement = prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}

/** One connection with its prepared statements. Everything in it happens at once; the promises are the seam's. */
const connect = (path: string, pragmas: string, checksReferences = true): Connection => {
  const database = new DatabaseSync(path, { readBigInts: true, enableForeignKeyConstraints: checksReferences })
  try {
    database.exec(pragmas)
  } catch (error) {
    database.close()
    throw error
  }
  const prepare = createCache((sql) => database.prepare(sql))
  const prepareLists = createCache((sql) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  })
  return {
    all: async (sql: string, values: readonly SqlInput[] = []) => prepare(sql).all(...values) as SqlRow[],
    each: async (sql, values, visit) => {
      let visited = 0
      for (const row of prepareLists(sql).iterate(...values)) {
        visit(row as unknown as SqlList)
        if ((visited += 1) % ROWS_A_TURN === 0) await setImmediate()
      }
    },
    run: async (sql: string, values: readonly SqlInput[] = []) => Number(prepare(sql).run(...values).changes),
    allOfEach: async (sql, lists) => {
      const statement = prepare(sql)
      return lists.flatMap((values) => statement.all(...values) as SqlRow[])
    },
    insertMany: async (table, columns, rows) => {
      const whole = rows.length - (rows.length % ROWS_A_STATEMENT)
      if (whole > 0) {
        const isSame = sameInAll(columns, rows)
        const shared = sharedValues(columns, rows, isSame)
        const statement = prepare(sqlToInsert(table, columns, ROWS_A_STATEMENT, isSame))
        for (let start = 0; start < whole; start += ROWS_A_STATEMENT) {
          statement.run(shared, ...valuesOf(rows, start, start + ROWS_A_STATEMENT, isSame))
        }
      }
      const rest = rows.length - whole
      if (rest > 0) prepare(sqlToInsert(table, columns, rest)).run(...valuesOf(rows, whole, rows.length))
    },
    updateMany: async (table, key, columns, rows) => {
      const [sets, where] = [columns.map(equal).join(', '), key.map(equal).join(' and ')]
      const statement = prepare(`update ${table} set ${sets} where ${where}`)
      for (const row of rows) statement.run(...row.slice(key.length), ...row.slice(0, key.length))
    },
    begin: () => void prepare('begin').run(),
    beginWriting: () => void prepare('begin immediate').run(),
    tryWriting: () => {
      database.exec('pragma busy_timeout = 0')
      try {
        prepare('begin immediate').run()
      } finally {
        database.exec(BLOCKING_WAIT)
      }
    },
    commit: () => void prepare('commit').run(),
    // SQLite has already rolled back by itself after some failures, a full disk among them.
    end: () => {
      if (database.isTransaction) prepare('rollback').run()
    },
    version: () => Number(prepare('pragma data_version').get()?.['data_version']),
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}

/** Tries until no other process is in the way, without blocking this one. */
const patiently = async <T>(attempt: () => T, patienceMs: number): Promise<T> => {
  for (let waited = 0; ; waited += BLOCKING_WAIT_MS + RETRY_PAUSE_MS) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || waited >= patienceMs) throw error
    }
    await wait(RETRY_PAUSE_MS)
  }
}

/** Runs `work` between a begin that has happened and a commit, or a rollback where it throws. */
const finish = async <T>(connection: Connection, work: () => Promise<T>): Promise<T> => {
  try {
    const result = await work()
    connection.commit()
    return result
  } catch (error) {
    connection.end()
    throw error
  }
}

/**
 * A SQLite file as a `Db`. Readers and the writer have a connection each, opened when first used, so that a write that
 * waits for another process holds up no reader.
 */
export const sqliteDb = (path: string, patienceMs = WRITE_PATIENCE_MS, durability: Durability = 'full'): Db => {
  const readers = [createTurnReader(() => connect(path, READER_SETTINGS))]
  const [firstReader] = readers
  /** A reader that is free, or another one, so that nobody waits for somebody's long report. */
  const freeReader = (): TurnReader => {
    const free = readers.find((one) => !one.isBusy()) ?? readers[READERS - 1]
    // The stamp is the first one's: what others read must not be of a time before it.
    if (free && free !== firstReader) free.renew()
    if (free) return free
    const another = createTurnReader(() => connect(path, READER_SETTINGS))
    readers.push(another)
    return another
  }
  const renew = (): void => {
    for (const reader of readers) reader.renew()
  }
  const writers = new Map<boolean, Connection>()
  const writes = createQueue()
  const told = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task()
    } catch (error) {
      throw sqliteError(error, path)
    }
  }
  const openWriter = async (checksReferences = true): Promise<Connection> => {
    const known = writers.get(checksReferences)
    if (known) return known
    const opened = await patiently(() => connect(path, writerSettings(durability), checksReferences), patienceMs)
    writers.set(checksReferences, opened)
    return opened
  }
  const writeTransaction = async <T>(work: (tx: Writer) => Promise<T>, checksReferences?: boolean): Promise<T> => {
    const connection = await openWriter(checksReferences)
    await patiently(() => connection.beginWriting(), patienceMs)
    return finish(connection, () => work(connection))
  }
  const writeInPassing = async <T>(work: (tx: Writer) => Promise<T>): Promise<T> => {
    const connection = await openWriter()
    connection.tryWriting()
    return finish(connection, () => work(connection))
  }
  const queued = <T>(task: () => Promise<T>): Promise<T> => writes(() => told(task).finally(renew))
  const db: Db = {
    read: (work) => told(() => freeReader().read(work)),
    write: (work) => queued(() => writeTransaction(work)),
    // The one writer of a file is alone in all accounts.
    ofAccount: () => whole,
    // It changes for the reader with each commit of another connection, and the reader itself writes nothing.
    stamp: () => {
      try {
        return firstReader?.stamp()
      } catch (error) {
        throw sqliteError(error, path)
      }
    },
    close: async () => {
      for (const reader of readers) reader.close()
      for (const writer of writers.values()) writer.close()
    },
  }
  const whole: Db = {
    ...db,
    inPassing: { ...db, write: (work) => queued(() => writeInPassing(work)) },
    trusting: { ...db, write: (work) => queued(() => writeTransaction(work, false)) },
  }
  return whole
}
