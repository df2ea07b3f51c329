import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { openSqlite } from '../../files/sqlite-file.ts'
import type { Column, FilledColumn, SqlInput, SqlList, SqlNumbers, SqlRow, Writer } from '../db.ts'

/** Sets how many rows one insert statement may hold, the most first: few sizes, as each is prepared once and kept. */
const INSERT_SIZES = [500, 50, 5, 1]
const [MOST_ROWS = 1] = INSERT_SIZES

/** Sets how many times one statement runs a query, each for other values, the most first. */
const UNION_SIZES = [50, 5, 1]

/** Tells whether a column has one value in all rows; it is then bound once per statement. */
const isShared = (column: FilledColumn): boolean => {
  if ('value' in column) return true
  const [first] = column.values
  for (const value of column.values) if (value !== first) return false
  return true
}

const valueAt = (column: FilledColumn, at: number): SqlInput =>
  'value' in column ? column.value : (column.values[at] ?? null)

/** Returns a statement that inserts rows; values that all of them share are bound by name, the others by position. */
const sqlToInsert = (table: string, rows: number, shared: readonly string[], own: readonly string[]): string => {
  const marks = [...shared.map((name) => `:${name}`), ...own.map(() => '?')].join(', ')
  return `insert into ${table} (${[...shared, ...own].join(', ')}) values ${Array(rows).fill(`(${marks})`).join(', ')}`
}

/** Runs a statement; shared values are bound by name, the others by position. */
type RunStatement = (
  sql: string,
  shared: Readonly<Record<string, SqlInput>>,
  values: readonly SqlInput[],
) => Promise<unknown>

const nameOf = ({ name }: Column): string => name

/** Inserts many rows per statement, and binds a value that all rows share once per statement. */
const insertRows = async (
  run: RunStatement,
  table: string,
  count: number,
  columns: readonly FilledColumn[],
): Promise<void> => {
  const own = columns.filter((one) => !('value' in one) && !(count >= MOST_ROWS && isShared(one)))
  const fixed = columns.filter((one) => !own.includes(one))
  const shared = Object.fromEntries(fixed.map((one) => [one.name, valueAt(one, 0)]))
  let start = 0
  for (const size of INSERT_SIZES) {
    if (count - start < size) continue
    const sql = sqlToInsert(table, size, fixed.map(nameOf), own.map(nameOf))
    for (; count - start >= size; start += size) {
      const values: SqlInput[] = []
      for (let at = start; at < start + size; at += 1) for (const column of own) values.push(valueAt(column, at))
      await run(sql, shared, values)
    }
  }
}

/** Sets SQLite's own busy timeout, which blocks the process; after it the caller retries without blocking. */
export const BLOCKING_WAIT_MS = 50
export const BLOCKING_WAIT = `pragma busy_timeout = ${BLOCKING_WAIT_MS}`

/** Sets after how many rows, about a millisecond's work, or how many statements other requests run. */
const ROWS_PER_TURN = 500
const STATEMENTS_PER_TURN = 100
const STATEMENT_COST_IN_ROWS = ROWS_PER_TURN / STATEMENTS_PER_TURN

/** Bounds the keys of a query to what takes a few milliseconds. */
export const KEYS_PER_QUERY = 2000

/** Counts the work of a transaction; `spend` returns a promise when other requests should run. */
type Turns = { readonly begin: () => void; readonly spend: (rows: number) => Promise<void> | undefined }

const createTurns = (): Turns => {
  let spent = 0
  return {
    begin: () => {
      spent = 0
    },
    spend: (rows) => {
      spent += rows + STATEMENT_COST_IN_ROWS
      if (spent < ROWS_PER_TURN) return undefined
      spent = 0
      return setImmediate()
    },
  }
}

const equal = ({ name }: Column): string => `${name} = ?`

/**
 * Describes a connection to a SQLite file. Its calls of SQLite are synchronous; its promises match `Writer` and let
 * other requests run.
 */
export type Connection = Writer & {
  readonly begin: () => void
  readonly beginWriting: () => void
  /** Begins a write without waiting; throws if another process writes. */
  readonly tryWriting: () => void
  readonly commit: () => void
  readonly end: () => void
  /** Returns a number that changes when another connection writes. */
  readonly version: () => number
  readonly close: () => void
}

/** Caches prepared statements by their SQL. */
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

type Open = (path: string, options: DatabaseSyncOptions) => DatabaseSync

/** Opens a connection, which caches its prepared statements. */
export const connect = (
  path: string,
  pragmas: string,
  checksReferences = true,
  open: Open = openSqlite,
): Connection => {
  const database = open(path, { readBigInts: true, enableForeignKeyConstraints: checksReferences })
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
  const prepareNumbers = createCache((sql) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(false)
    return statement
  })
  const turns = createTurns()
  const runs = async (sql: string, values: readonly SqlInput[], shared = {}): Promise<number> => {
    const { changes } = prepare(sql).run(shared, ...values)
    await turns.spend(Number(changes))
    return Number(changes)
  }
  return {
    keysPerQuery: KEYS_PER_QUERY,
    all: async (sql: string, values: readonly SqlInput[] = []) => {
      const rows = prepare(sql).all(...values) as SqlRow[]
      await turns.spend(rows.length)
      return rows
    },
    each: async (sql, values, visit) => {
      let visited = 0
      for (const row of prepareLists(sql).iterate(...values)) {
        const visiting = visit(row as unknown as SqlList)
        if (visiting) await visiting
        if ((visited += 1) % ROWS_PER_TURN === 0) await setImmediate()
      }
    },
    run: async (sql: string, values: readonly SqlInput[] = []) => runs(sql, values),
    allOfEach: async (sql, account, lists) => {
      const found: SqlNumbers[] = []
      let start = 0
      for (const size of UNION_SIZES) {
        if (lists.length - start < size) continue
        const statement = prepareNumbers(Array(size).fill(sql).join(' union all '))
        for (; lists.length - start >= size; start += size) {
          const values = lists.slice(start, start + size).flatMap((list) => [account, ...list])
          const rows = statement.all(...values) as unknown as SqlNumbers[]
          for (const row of rows) found.push(row)
          await turns.spend(rows.length)
        }
      }
      return found
    },
    insertMany: (table, count, columns, account) => {
      const ofAccount = { name: 'account_id', type: 'integer', value: account ?? null } as const
      const all = account === undefined ? columns : [ofAccount, ...columns]
      return insertRows((sql, shared, values) => runs(sql, values, shared), table, count, all)
    },
    updateMany: async (table, account, key, columns, rows) => {
      const [sets, where] = [columns.map(equal).join(', '), key.map(equal).join(' and ')]
      const statement = prepare(`update ${table} set ${sets} where account_id = ? and ${where}`)
      for (const row of rows) {
        statement.run(...row.slice(key.length), account, ...row.slice(0, key.length))
        await turns.spend(0)
      }
    },
    begin: () => {
      turns.begin()
      prepare('begin').run()
    },
    beginWriting: () => {
      turns.begin()
      prepare('begin immediate').run()
    },
    tryWriting: () => {
      database.exec('pragma busy_timeout = 0')
      try {
        prepare('begin immediate').run()
      } finally {
        database.exec(BLOCKING_WAIT)
      }
    },
    commit: () => void prepare('commit').run(),
    // After some failures, such as a full disk, SQLite has already rolled back.
    end: () => {
      if (database.isTransaction) prepare('rollback').run()
    },
    version: () => Number(prepare('pragma data_version').get()?.['data_version']),
    close: () => {
      if (database.isOpen) database.close()
    },
  }
}
