import type { Decimal } from '../../domain/decimal.ts'
import type { DayRange } from '../../domain/period.ts'
import type { Entry } from '../../domain/resources/entry.ts'
import type { Column, Reader, SqlOutput, SqlRow, Writer } from '../db.ts'

/**
 * Describes an entry as it is stored: it belongs to an item, which may stand for a user. Its target is stored even
 * while its KPI has none, and hidden then.
 */
export type StoredEntry = Readonly<
  Omit<Entry, 'user_id' | 'source_id'> & {
    item_id: number
    /** Holds the id of the set of group items that the entry carries, if any. */
    item_set: number | null
  }
>

/** Names an entry within its account by its natural key. */
export type StoredEntryKey = Pick<StoredEntry, 'item_id' | 'kpi_id' | 'entry_date'>

const integer = (name: string): Column => ({ name, type: 'integer' })

const KEY: readonly Column[] = ['item_id', 'kpi_id', 'entry_date'].map(integer)
const VALUES: readonly Column[] = [integer('actual'), integer('target'), { name: 'notes', type: 'text' }]
const INSERTED = [...KEY, integer('id'), ...VALUES, integer('created_at'), integer('updated_at'), integer('item_set')]
const UPDATED = [...VALUES, integer('updated_at')]
const COLUMNS = INSERTED.map(({ name }) => name).join(', ')

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
  item_set: typeof row['item_set'] === 'bigint' ? Number(row['item_set']) : null,
})

const OF_SERIES = `select ${COLUMNS} from entries
  where account_id = ? and item_id = ? and kpi_id = ? and entry_date between ? and ?`

/** Selects the entries of one item and KPI within a range of days. */
export type SeriesRange = DayRange & { readonly item: number; readonly kpi: number }

/** Reads and writes the values of KPIs, clustered on (account, item, KPI, day). */
export const entries = {
  find: async (tx: Reader, account: number, id: number): Promise<StoredEntry | undefined> => {
    const [row] = await tx.all(`select ${COLUMNS} from entries where account_id = ? and id = ?`, [account, id])
    return row && read(row)
  },
  /** Returns the entries of items and KPIs, each within a range of days; those of one range follow each other. */
  within: async (tx: Reader, account: number, ranges: readonly SeriesRange[]): Promise<StoredEntry[]> => {
    const lists = ranges.map(({ item, kpi, from, to }) => [item, kpi, from, to])
    return (await tx.allOfEach(OF_SERIES, account, lists)).map(read)
  },
  /** Adds entries; that is fastest in the order of their keys. */
  insert: (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> =>
    tx.insertMany(
      'entries',
      INSERTED,
      rows.map((row) => {
        const { item_id, kpi_id, entry_date, id, actual, target, notes, created_at, updated_at, item_set } = row
        return [item_id, kpi_id, entry_date, id, actual, target, notes, created_at, updated_at, item_set]
      }),
      account,
    ),
  /** Writes the values of entries whose keys do not change. */
  update: (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> =>
    tx.updateMany(
      'entries',
      account,
      KEY,
      UPDATED,
      rows.map(({ item_id, kpi_id, entry_date, actual, target, notes, updated_at }) => {
        return [item_id, kpi_id, entry_date, actual, target, notes, updated_at]
      }),
    ),
  /** Writes all columns of an entry, found by its id; its key may change. */
  move: async (tx: Writer, account: number, row: StoredEntry): Promise<void> => {
    await tx.run(
      `update entries set item_id = ?, kpi_id = ?, entry_date = ?, actual = ?, target = ?, notes = ?, updated_at = ?,
         item_set = ?
       where account_id = ? and id = ?`,
      [
        row.item_id,
        row.kpi_id,
        row.entry_date,
        row.actual,
        row.target,
        row.notes,
        row.updated_at,
        row.item_set,
        account,
        row.id,
      ],
    )
  },
  remove: async (tx: Writer, account: number, id: number): Promise<boolean> =>
    (await tx.run('delete from entries where account_id = ? and id = ?', [account, id])) > 0,
}
