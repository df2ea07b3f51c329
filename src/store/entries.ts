import type { Decimal } from '../domain/decimal.ts'
import type { DayRange } from '../domain/period.ts'
import type { Entry } from '../domain/resources/entry.ts'
import type { Reader, SqlInput, SqlOutput, SqlRow, Writer } from './db.ts'

/** An entry as it is kept: of an item, which may be a user. Its target may be hidden, where its KPI has none. */
export type StoredEntry = Readonly<Omit<Entry, 'user_id'> & { item_id: number }>

const COLUMNS = 'item_id, kpi_id, entry_date, id, actual, target, notes, created_at, updated_at'
/** So many rows a statement are written fastest. */
const ROWS_A_STATEMENT = 50

const decimal = (value: SqlOutput | undefined): Decimal | null => (typeof value === 'bigint' ? value : null)
const text = (value: SqlOutput | undefined): string | null => (typeof value === 'string' ? value : null)

const read = (row: SqlRow): StoredEntry => ({
  id: Number(row['id']),
  item_id: Number(row['item_id']),
  kpi_id: Number(row['kpi_id']),
  entry_date: Number(row['entry_date']),
  actual: decimal(row['actual']),
  target: decimal(row['target']),
  notes: text(row['notes']),
  created_at: Number(row['created_at']),
  updated_at: Number(row['updated_at']),
})

const sqlToInsert = (rows: number): string =>
  `insert into entries (account_id, ${COLUMNS}) values ${Array(rows).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`

const INSERT = sqlToInsert(ROWS_A_STATEMENT)
const UPDATE = `update entries set actual = ?, target = ?, notes = ?, updated_at = ?
                where account_id = ? and item_id = ? and kpi_id = ? and entry_date = ?`

const valuesOf = (rows: readonly StoredEntry[], account: number): SqlInput[] => {
  const values: SqlInput[] = []
  for (const row of rows) {
    values.push(account, row.item_id, row.kpi_id, row.entry_date, row.id, row.actual, row.target, row.notes)
    values.push(row.created_at, row.updated_at)
  }
  return values
}

function* parts(rows: readonly StoredEntry[], size: number, account: number): Generator<SqlInput[]> {
  for (let start = 0; start < rows.length; start += size) yield valuesOf(rows.slice(start, start + size), account)
}

/** The values of KPIs, clustered on (account, item, KPI, day). */
export const entries = {
  find: async (tx: Reader, account: number, id: number): Promise<StoredEntry | undefined> => {
    const [row] = await tx.all(`select ${COLUMNS} from entries where account_id = ? and id = ?`, [account, id])
    return row && read(row)
  },
  /** The entries of one item and KPI within a range of days, by day. */
  ofSeries: async (tx: Reader, account: number, item: number, kpi: number, days: DayRange): Promise<StoredEntry[]> => {
    const sql = `select ${COLUMNS} from entries
                 where account_id = ? and item_id = ? and kpi_id = ? and entry_date between ? and ?`
    return (await tx.all(sql, [account, item, kpi, days.from, days.to])).map(read)
  },
  /** Adds entries; fastest in the order of their keys. */
  insert: async (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> => {
    const whole = rows.length - (rows.length % ROWS_A_STATEMENT)
    await tx.runEach(INSERT, parts(rows.slice(0, whole), ROWS_A_STATEMENT, account))
    const rest = rows.slice(whole)
    if (rest.length > 0) await tx.run(sqlToInsert(rest.length), valuesOf(rest, account))
  },
  /** Writes the values of entries whose keys stay. */
  update: (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> =>
    tx.runEach(
      UPDATE,
      rows.map(({ item_id, kpi_id, entry_date, actual, target, notes, updated_at }) => {
        return [actual, target, notes, updated_at, account, item_id, kpi_id, entry_date]
      }),
    ),
  /** Writes all of an entry, found by its id: also one that changes its key. */
  move: async (tx: Writer, account: number, row: StoredEntry): Promise<void> => {
    await tx.run(
      `update entries set item_id = ?, kpi_id = ?, entry_date = ?, actual = ?, target = ?, notes = ?, updated_at = ?
       where account_id = ? and id = ?`,
      [row.item_id, row.kpi_id, row.entry_date, row.actual, row.target, row.notes, row.updated_at, account, row.id],
    )
  },
  remove: async (tx: Writer, account: number, id: number): Promise<boolean> =>
    (await tx.run('delete from entries where account_id = ? and id = ?', [account, id])) > 0,
}
