import { fstatSync, writeSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { FileFault } from '../../files/file-error.ts'
import { openForeign } from '../../files/sqlite-file.ts'
import { LONGEST_CELL, LONGEST_ROW } from '../source/limits.ts'
import { plainNumberText } from '../cells/cell-text.ts'
import { rowLine } from '../cells/row-line.ts'

/** Describes a query, and what it may take. */
export type QueryCall = {
  readonly path: string
  readonly sql: string
  /** Bounds the temporary files that SQLite makes for it. */
  readonly temporaryBytes: number
}

/** Describes how a query ended, once all of its rows were written: undefined if it has given all of them. */
export type QueryResult = { readonly fault: string | undefined }

/** Sets how long the database is waited for while another program writes it. */
const BUSY_MS = 5000
/** Sets how many characters of rows are written at a time. */
const BLOCK_LENGTH = 1 << 16
const STANDARD_OUTPUT = 1
/** Sets how long a full pipe is left alone where writing to it does not wait. */
const FULL_PIPE_MS = 5
/** Holds SQLite's code for a value that is longer than it may be. */
const TOO_BIG = 18
/**
 * Bounds the memory of the thread, and of the process, beside which the importing one runs. SQLite holds the values of a
 * row as long as they are, and has no bound of its own in Node.js, so that it is looked at often.
 */
const THREAD_MIB = 160
const PROCESS_MIB = 320
const MIB = 1024 ** 2
const WATCH_MS = 20
/** Sets below which number the files of this process are looked for. */
const MOST_FILES = 64

/** Reports why a query has no result, in words for its user. */
class QueryFault extends Error {}

const reasonOf = (error: unknown): string => {
  if (error instanceof QueryFault || error instanceof FileFault) return error.message
  if (error instanceof Error && 'errcode' in error && error.errcode === TOO_BIG)
    return 'a value is longer than 16 MiB; leave it out of --sql, or cut it: substr(COLUMN, 1, 1000)'
  return `${error instanceof Error ? error.message : String(error)} (--sql)`
}

const openDatabase = (path: string): ReturnType<typeof openForeign> => {
  try {
    return openForeign(path, { timeout: BUSY_MS, limits: { length: LONGEST_ROW, attach: 0 } })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new QueryFault(`it cannot be opened as an SQLite database: ${why}`)
  }
}

const prepare = (database: DatabaseSync, sql: string): StatementSync => {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement
}

/** Returns a value as a cell; undefined if it is bytes. */
const cellOf = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' ? plainNumberText(String(value)) : undefined
}

const cellFault = (row: number, column: string, what: string): QueryFault =>
  new QueryFault(`the column ${column} of row ${row} of the result ${what}`)

/** Writes bytes, and waits while the pipe is full: so rows are read no faster than they are taken. */
const writeAll = (bytes: Uint8Array): void => {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(STANDARD_OUTPUT, bytes, done)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      Atomics.wait(pause, 0, 0, FULL_PIPE_MS)
    }
  }
}

/** Returns the cells of a row of the result, counted from 1. */
const cellsOf = (values: readonly unknown[], row: number, columns: readonly string[]): readonly string[] => {
  let length = 0
  const cells = values.map((value, at) => {
    const [cell, column = ''] = [cellOf(value), columns[at]]
    if (cell === undefined)
      throw cellFault(
        row,
        column,
        `is a BLOB, which is no text; leave it out of --sql, or cast it: CAST(${column} AS TEXT)`,
      )
    if (cell.length > LONGEST_CELL)
      throw cellFault(
        row,
        column,
        `has more than ${LONGEST_CELL} characters; leave it out of --sql, or cut it: substr(${column}, 1, 1000)`,
      )
    length += cell.length
    return cell
  })
  if (length <= LONGEST_ROW) return cells
  throw new QueryFault(`row ${row} of the result is longer than 16 MiB; select fewer columns`)
}

/** Writes the rows of a query as a file of rows has them, after the names of the columns, which are on line 1. */
const writeRows = (statement: StatementSync): void => {
  const columns = statement.columns().map(({ name }) => name)
  let [block, row] = [rowLine(1, columns), 0]
  const flush = (): void => {
    writeAll(Buffer.from(block))
    block = ''
  }
  const rows: Iterable<unknown> = statement.iterate()
  for (const values of rows) {
    row += 1
    const list: readonly unknown[] = Array.isArray(values) ? values : []
    const numbers = list.map((value) => (typeof value === 'number' ? '' : undefined))
    block += rowLine(row + 1, cellsOf(list, row, columns), numbers)
    if (block.length > BLOCK_LENGTH) flush()
  }
  flush()
}

/** Runs a query in this thread, which nothing can stop while SQLite works. */
const runInThisThread = ({ path, sql }: QueryCall): QueryResult => {
  try {
    const { database, requireUnchanged } = openDatabase(path)
    database.exec('pragma temp_store = file')
    writeRows(prepare(database, sql))
    database.close()
    requireUnchanged()
    return { fault: undefined }
  } catch (error) {
    return { fault: reasonOf(error) }
  }
}

/** Returns how much is in the open files of this process that have no name any more, as those of SQLite. */
const openTemporaryBytes = (): number => {
  let sum = 0
  for (let file = STANDARD_OUTPUT + 1; file < MOST_FILES; file += 1) {
    try {
      const found = fstatSync(file)
      if (found.isFile() && found.nlink === 0) sum += found.size
    } catch {
      // No file is open under this number.
    }
  }
  return sum
}

/** Ends this process at once: `process.exit` would wait for the thread, and that for SQLite. */
const endNow = (): void => {
  process.kill(process.pid, 'SIGKILL')
}

const answer = (result: QueryResult): void => {
  process.send?.(result, undefined, undefined, endNow)
}

/** Runs the query in a thread, while this one sees to it that it takes no more than it may. */
const runInThread = (call: QueryCall): void => {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: call,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MIB },
  })
  thread.once('message', answer)
  thread.once('error', ({ message }) => answer({ fault: message }))
  setInterval(() => {
    if (openTemporaryBytes() > call.temporaryBytes) {
      const most = Math.round(call.temporaryBytes / MIB)
      answer({ fault: `its query needs more than ${most} MiB of temporary files; import it in parts (--sql)` })
    } else if (process.memoryUsage.rss() > PROCESS_MIB * MIB) {
      answer({
        fault: `its query needs more than ${PROCESS_MIB} MiB of memory; select fewer columns, or cut long texts: substr(COLUMN, 1, 1000)`,
      })
    }
  }, WATCH_MS)
}

if (isMainThread) {
  // Whoever asked is gone, perhaps killed.
  process.once('disconnect', endNow)
  process.once('message', (call: QueryCall) => runInThread(call))
} else {
  const called: QueryCall = workerData
  parentPort?.postMessage(runInThisThread(called))
}
