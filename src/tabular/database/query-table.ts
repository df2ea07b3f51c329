import { type Stats, statSync } from 'node:fs'
import { KpiError } from '../../domain/errors.ts'
import { cellsFormat, cellsTable } from '../cells/cells-table.ts'
import { createRowSpill } from '../cells/row-spill.ts'
import { fileError } from '../../files/file-error.ts'
import { fileSource } from '../source/files.ts'
import type { HeaderFinder, Table } from '../source/table.ts'
import { requireOneSelect } from './one-select.ts'
import { type DatabaseQuery, runQuery } from './run-query.ts'

const SHOWN_SQL = 200
/** Bounds the result of a query by the size of the database, as a view may give rows without end. */
const LEAST_BOUND = 512 * 1024 ** 2
const BOUND_PER_BYTE = 20

/** Returns what the system knows of the database; throws if it is no file, or cannot be read. */
const statOf = ({ path, name }: DatabaseQuery): Stats => {
  try {
    const found = statSync(path)
    // To open a pipe would wait for whoever writes to it.
    if (!found.isFile() && !found.isDirectory())
      throw new KpiError('malformed', `cannot read ${name}: it is not a file; name an SQLite database`)
    fileSource(path, name)
    return found
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}

/** Runs a query that only reads, and returns its result as a table. It is read once, so that it stays as it was. */
export const queryTable = async (
  query: DatabaseQuery,
  header: HeaderFinder,
  folder: string,
  signal?: AbortSignal,
): Promise<Table> => {
  const { name, sql } = query
  const { mode, size } = statOf(query)
  requireOneSelect(sql)
  const spill = createRowSpill(folder, name)
  try {
    const bytes = Math.max(LEAST_BOUND, BOUND_PER_BYTE * size)
    for await (const lines of runQuery(query, { folder, bytes, signal })) spill.append(lines)
    const text = sql.trim().replaceAll(/\s+/g, ' ')
    const shown = text.length > SHOWN_SQL ? `${text.slice(0, SHOWN_SQL)}…` : text
    const reading = cellsFormat('query', [{ topic: 'database', found: name, evidence: `--sql ${shown}` }])
    return await cellsTable({ name, reading, spill, sum: spill.sum(), mode, rows: spill.rows }, header)
  } catch (error) {
    spill.close()
    throw error
  }
}
