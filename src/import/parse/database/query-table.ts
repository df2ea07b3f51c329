import { statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Aborted } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import { plainNumberText } from '../cells/cell-text.ts'
import { cellsFormat, cellsTable } from '../cells/cells-table.ts'
import { createRowSpill, type RowSpill } from '../cells/row-spill.ts'
import { fileError } from '../../../files/file-error.ts'
import { fileSource } from '../files.ts'
import type { RequestedFormat, Table } from '../table.ts'
import { nextTurn } from '../turns.ts'
import { requireOneSelect } from './one-select.ts'

/** Describes a query whose result is imported. */
type DatabaseQuery = {
  /** Holds the path of the database, and its name for messages. */
  readonly path: string
  readonly name: string
  readonly sql: string
}

/** Sets how long the database is waited for while another program writes it. */
const BUSY_MS = 5000
/** Sets after how many rows signals and timers may run. */
const ROWS_PER_TURN = 1000
const SHOWN_SQL = 200

const unreadable = (name: string, why: string, cause?: unknown): KpiError =>
  new KpiError('malformed', `cannot read ${name}: ${why}`, { cause })

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const openDatabase = ({ path, name }: DatabaseQuery): DatabaseSync => {
  fileSource(path, name)
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS })
  } catch (error) {
    throw unreadable(name, `it cannot be opened as an SQLite database: ${reasonOf(error)}`, error)
  }
}

const prepare = (database: DatabaseSync, { name, sql }: DatabaseQuery): StatementSync => {
  requireOneSelect(sql)
  try {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return statement
  } catch (error) {
    throw unreadable(name, `${reasonOf(error)} (--sql)`, error)
  }
}

/** Returns a value as a cell; undefined if it is bytes. */
const cellOf = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' ? plainNumberText(String(value)) : undefined
}

const blobError = ({ name }: DatabaseQuery, row: number, column: string): KpiError =>
  unreadable(
    name,
    `the column ${column} of row ${row} of the result is a BLOB, which is no text; leave it out of --sql, or cast it: CAST(${column} AS TEXT)`,
  )

/** Copies the rows of a result to a temporary file: the header is on line 1. */
const copyRows = async (
  statement: StatementSync,
  query: DatabaseQuery,
  spill: RowSpill,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const columns = statement.columns().map(({ name }) => name)
  spill.add(1, columns)
  let row = 0
  const rows: Iterable<unknown> = statement.iterate()
  for (const values of rows) {
    row += 1
    const cells = (Array.isArray(values) ? values : []).map((value: unknown, at) => {
      const cell = cellOf(value)
      if (cell === undefined) throw blobError(query, row, columns[at] ?? '')
      return cell
    })
    const numbers = Array.isArray(values) ? values.map((value) => (typeof value === 'number' ? '' : undefined)) : []
    spill.add(row + 1, cells, numbers)
    if (row % ROWS_PER_TURN > 0) continue
    await nextTurn(signal)
  }
}

const runQuery = async (query: DatabaseQuery, spill: RowSpill, signal: AbortSignal | undefined): Promise<void> => {
  const database = openDatabase(query)
  try {
    await copyRows(prepare(database, query), query, spill, signal)
  } catch (error) {
    if (error instanceof KpiError || error instanceof Aborted) throw error
    throw unreadable(query.name, `${reasonOf(error)} (--sql)`, error)
  } finally {
    database.close()
  }
}

const modeOf = ({ path, name }: DatabaseQuery): number => {
  try {
    return statSync(path).mode
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}

/** Runs a query that only reads, and returns its result as a table. It is read once, so that it stays as it was. */
export const openQuery = async (
  query: DatabaseQuery,
  asked: RequestedFormat,
  folder: string,
  signal?: AbortSignal,
): Promise<Table> => {
  const { name, sql } = query
  const mode = modeOf(query)
  const spill = createRowSpill(folder, name)
  try {
    await runQuery(query, spill, signal)
    const text = sql.trim().replaceAll(/\s+/g, ' ')
    const shown = text.length > SHOWN_SQL ? `${text.slice(0, SHOWN_SQL)}…` : text
    const reading = cellsFormat('query', [{ topic: 'database', found: name, evidence: `--sql ${shown}` }])
    return await cellsTable(
      { name, reading, spill, sum: spill.sum(), mode, rows: spill.rows },
      { ...asked, skipLines: 0 },
    )
  } catch (error) {
    spill.close()
    throw error
  }
}
