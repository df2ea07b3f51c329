import { KpiError } from '../../domain/errors.ts'
import { type Stats, statSync } from 'node:fs'
import { cellsFormat, cellsTable, createRowSpill } from '../cells/cells-table.ts'
import { fileError } from '../../files/file-error.ts'
import { fileSource } from '../source/files.ts'
import type { HeaderFinder, Table } from '../source/table.ts'
import { type DatabaseQuery, runQuery } from './run-query.ts'

/** Lists how texts, names and comments of SQL begin, and how each ends; within them nothing has a meaning. */
const QUOTES: readonly (readonly [begin: string, end: string])[] = [
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  ['[', ']'],
  ['--', '\n'],
  ['/*', '*/'],
]

/** Returns a query without its comments, and with blanks instead of the texts and names in quotes. */
const withoutQuoted = (sql: string): string => {
  let [plain, at] = ['', 0]
  while (at < sql.length) {
    const quote = QUOTES.find(([begin]) => sql.startsWith(begin, at))
    if (quote) {
      const end = sql.indexOf(quote[1], at + quote[0].length)
      plain += ' '
      at = end < 0 ? sql.length : end + quote[1].length
    } else plain += sql[at++]
  }
  return plain
}

/** Refuses what is not one statement that only reads. */
const requireOneSelect = (sql: string): void => {
  const [first = '', ...others] = withoutQuoted(sql).split(';')
  if (!/^\s*(?:select|with)\b/i.test(first)) {
    throw new KpiError('malformed', '--sql has to begin with SELECT or WITH: it only reads')
  }
  if (others.some((other) => other.trim() !== '')) {
    throw new KpiError('malformed', '--sql has several statements; give one SELECT')
  }
}

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
