import type { Column, SqlInput } from './db.ts'

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

/** Runs a statement, as often as it takes, with the values bound by name that are the same in all rows. */
type Run = (sql: string, shared: Readonly<Record<string, SqlInput>>, values: readonly SqlInput[]) => Promise<unknown>

/** Writes rows with few statements: many rows each, and bound once what is the same in all. */
export const insertRows = async (run: Run, table: string, columns: readonly Column[], rows: Rows): Promise<void> => {
  const whole = rows.length - (rows.length % ROWS_A_STATEMENT)
  if (whole > 0) {
    const isSame = sameInAll(columns, rows)
    const shared = sharedValues(columns, rows, isSame)
    const sql = sqlToInsert(table, columns, ROWS_A_STATEMENT, isSame)
    for (let start = 0; start < whole; start += ROWS_A_STATEMENT) {
      await run(sql, shared, valuesOf(rows, start, start + ROWS_A_STATEMENT, isSame))
    }
  }
  const rest = rows.length - whole
  if (rest > 0) await run(sqlToInsert(table, columns, rest), {}, valuesOf(rows, whole, rows.length))
}
