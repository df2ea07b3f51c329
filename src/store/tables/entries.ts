import type { Day, Instant } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { Entry } from '../../domain/resources/entry.ts'
import {
  type FilledColumn,
  filledColumns,
  type Reader,
  type SqlInput,
  type SqlNumbers,
  type SqlOutput,
  type SqlRow,
  type Writer,
} from '../db.ts'
import { IN_LIST, listOf } from './id-list.ts'

/**
 * Describes an entry as it is stored: it belongs to an item, which may stand for a user. Its target is stored even
 * while its KPI has none, and hidden then.
 */
export type StoredEntry = Readonly<
  Omit<Entry, 'user_id' | 'source_id'> & {
    item_id: number
    /** Holds the id of the set of group items that the entry carries, if any. */
    item_set: number | null
    /** Holds the revision of the batch of a run that wrote it last; 0 if something else did. */
    revision: number
  }
>

/** Names an entry within its account by its natural key. */
export type StoredEntryKey = Pick<StoredEntry, 'item_id' | 'kpi_id' | 'entry_date'>

const integer = <Name extends string>(name: Name) => ({ name, type: 'integer' }) as const

const KEY = [integer('item_id'), integer('kpi_id'), integer('entry_date')] as const
const VALUES = [integer('actual'), integer('target'), { name: 'notes', type: 'text' }] as const
const KEY_AND_VALUES = [...KEY, integer('id'), ...VALUES] as const
const UPDATED = [...VALUES, integer('updated_at'), integer('revision')]
const COLUMNS = [...KEY_AND_VALUES.map(({ name }) => name), 'created_at', 'updated_at', 'item_set', 'revision'].join(
  ', ',
)

type ColumnValues = readonly SqlInput[] | Float64Array

/** Holds new entries as columns; all of them are made at one moment. */
export type NewEntries = { readonly [Name in (typeof KEY_AND_VALUES)[number]['name']]: ColumnValues } & {
  readonly count: number
  readonly at: Instant
  /** Holds the set of group items of each entry; undefined if none has any. */
  readonly item_set: ColumnValues | undefined
  /** Holds the revision of the batch of a run that makes them; 0 if none does. */
  readonly revision: number
}

const decimal = (value: SqlOutput | undefined): Decimal | null => (typeof value === 'bigint' ? value : null)
const text = (value: SqlOutput | undefined): string | null => (typeof value === 'string' ? value : null)

/** Sets how many bits of a decimal stand in the lower of its two numbers, each of which a double holds exactly. */
const LOWER_BITS = 20
const LOWER = 2 ** LOWER_BITS
const inHalves = (name: string): string =>
  `${name} >> ${LOWER_BITS} as ${name}_upper, ${name} & ${LOWER - 1} as ${name}_lower`

/** Sets where the numbers of the actual and the target stand in a row of a series. */
const [ACTUAL_AT, TARGET_AT] = [4, 6]

/** Holds an entry as `ofSeries` returns it: fast to read where nothing becomes of it. */
export type StoredRow = SqlNumbers

const numberIn = (row: StoredRow, at: number): number => Number(row[at])

/** Returns ten-thousandths of a decimal; null if there is none, NaN if a double would not hold it exactly. */
const unitsIn = (row: StoredRow, at: number): number | null => {
  const [upper, lower] = [row[at], row[at + 1]]
  if (typeof upper !== 'number' || typeof lower !== 'number') return null
  const units = upper * LOWER + lower
  return Number.isSafeInteger(units) ? units : NaN
}

const decimalIn = (row: StoredRow, at: number): Decimal | null =>
  typeof row[at] === 'number' ? BigInt(numberIn(row, at)) * BigInt(LOWER) + BigInt(numberIn(row, at + 1)) : null

/** Reads rows of series. */
export const storedRow = {
  /** Compares keys: item, KPI and day. */
  compareKey: (row: StoredRow, item: number, kpi: number, day: number): number =>
    numberIn(row, 0) - item || numberIn(row, 1) - kpi || numberIn(row, 2) - day,
  compare: (left: StoredRow, right: StoredRow): number =>
    storedRow.compareKey(left, numberIn(right, 0), numberIn(right, 1), numberIn(right, 2)),
  id: (row: StoredRow): number => numberIn(row, 3),
  revision: (row: StoredRow): number => numberIn(row, 12),
  /** Returns the ten-thousandths of the actual; NaN if a double would not hold them exactly. */
  actual: (row: StoredRow): number | null => unitsIn(row, ACTUAL_AT),
  /** Returns all of it. */
  entry: (row: StoredRow): StoredEntry => ({
    item_id: numberIn(row, 0),
    kpi_id: numberIn(row, 1),
    entry_date: numberIn(row, 2),
    id: numberIn(row, 3),
    actual: decimalIn(row, ACTUAL_AT),
    target: decimalIn(row, TARGET_AT),
    notes: typeof row[8] === 'string' ? row[8] : null,
    created_at: numberIn(row, 9),
    updated_at: numberIn(row, 10),
    item_set: typeof row[11] === 'number' ? row[11] : null,
    revision: numberIn(row, 12),
  }),
}

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
  revision: Number(row['revision']),
})

const OF_SERIES = `select item_id, kpi_id, entry_date, id, ${inHalves('actual')}, ${inHalves('target')}, notes, created_at,
    updated_at, item_set, revision from entries
  where account_id = ? and item_id = ? and kpi_id = ? and entry_date between ? and ?`

const FIRST_DAY = `select * from (select item_id, entry_date from entries
  where account_id = ? and item_id = ? and kpi_id = ? order by entry_date limit 1) one`
const LAST_DAY = FIRST_DAY.replace('limit', 'desc limit')

/** Selects the entries of one item and KPI within a range of days. */
export type SeriesRange = { readonly item: number; readonly kpi: number; readonly from: Day; to: Day }

/** Sets the distance up to which to read days of a series as one range, so that the days asked for bound what is read. */
const MAX_GAP_DAYS = 8

/** Adds a day of a series to ranges that cover such days, and few others; days come in the order of items, KPIs and days. */
export const addToRanges = (ranges: SeriesRange[], item: number, kpi: number, day: Day): void => {
  const last = ranges.at(-1)
  if (last?.item === item && last.kpi === kpi && day - last.to <= MAX_GAP_DAYS) last.to = day
  else ranges.push({ item, kpi, from: day, to: day })
}

/** Reads and writes the values of KPIs, clustered on (account, item, KPI, day). */
export const entries = {
  find: async (tx: Reader, account: number, id: number): Promise<StoredEntry | undefined> => {
    const [row] = await tx.all(`select ${COLUMNS} from entries where account_id = ? and id = ?`, [account, id])
    return row && read(row)
  },
  /** Returns the entries of items and KPIs, each within a range of days; those of one range follow each other. */
  ofSeries: (tx: Reader, account: number, ranges: readonly SeriesRange[]): Promise<StoredRow[]> => {
    const lists = ranges.map(({ item, kpi, from, to }) => [item, kpi, from, to])
    return tx.allOfEach(OF_SERIES, account, lists)
  },
  /** Returns the range of days in which each of some items has entries of a KPI, without those that have none. */
  daysOf: async (tx: Reader, account: number, kpi: number, items: readonly number[]): Promise<SeriesRange[]> => {
    const lists = items.map((item) => [item, kpi])
    const first = await tx.allOfEach(FIRST_DAY, account, lists)
    const last = new Map((await tx.allOfEach(LAST_DAY, account, lists)).map(([item, day]) => [item, day]))
    return first.map((row) => ({ item: numberIn(row, 0), kpi, from: numberIn(row, 1), to: Number(last.get(row[0])) }))
  },
  /** Returns entries by their ids, in that order. */
  withIds: async (tx: Reader, account: number, ids: Iterable<number>): Promise<StoredEntry[]> =>
    (
      await tx.all(`select ${COLUMNS} from entries where account_id = ? and id ${IN_LIST} order by id`, [
        account,
        listOf(ids),
      ])
    ).map(read),
  /** Returns them as records. */
  within: async (tx: Reader, account: number, ranges: readonly SeriesRange[]): Promise<StoredEntry[]> =>
    (await entries.ofSeries(tx, account, ranges)).map(storedRow.entry),
  /** Adds entries; that is fastest in the order of their keys. */
  insert: (tx: Writer, account: number, added: NewEntries): Promise<void> => {
    const { count, at, item_set, revision, ...columns } = added
    const filled: readonly FilledColumn[] = [
      ...KEY_AND_VALUES.map((column) => ({ ...column, values: columns[column.name] })),
      { ...integer('created_at'), value: at },
      { ...integer('updated_at'), value: at },
      item_set ? { ...integer('item_set'), values: item_set } : { ...integer('item_set'), value: null },
      { ...integer('revision'), value: revision },
    ]
    return tx.insertMany('entries', count, filled, account)
  },
  /** Writes the values of entries whose keys do not change. */
  update: (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> =>
    tx.updateMany(
      'entries',
      account,
      KEY,
      UPDATED,
      rows.map(({ item_id, kpi_id, entry_date, actual, target, notes, updated_at, revision }) => {
        return [item_id, kpi_id, entry_date, actual, target, notes, updated_at, revision]
      }),
    ),
  /** Writes all columns of an entry, found by its id; its key may change. */
  move: async (tx: Writer, account: number, row: StoredEntry): Promise<void> => {
    await tx.run(
      `update entries set item_id = ?, kpi_id = ?, entry_date = ?, actual = ?, target = ?, notes = ?, updated_at = ?,
         item_set = ?, revision = ?
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
        row.revision,
        account,
        row.id,
      ],
    )
  },
  /** Adds entries as they were stored, with their ids and times. */
  putBack: (tx: Writer, account: number, rows: readonly StoredEntry[]): Promise<void> => {
    const columns = [
      ...KEY_AND_VALUES,
      integer('created_at'),
      integer('updated_at'),
      integer('item_set'),
      integer('revision'),
    ]
    const lists = rows.map((row) => columns.map(({ name }) => row[name]))
    return tx.insertMany('entries', rows.length, filledColumns(columns, lists), account)
  },
  /** Writes the sets of group items of entries. */
  setItems: (
    tx: Writer,
    account: number,
    rows: readonly Pick<StoredEntry, keyof StoredEntryKey | 'item_set'>[],
  ): Promise<void> =>
    tx.updateMany(
      'entries',
      account,
      KEY,
      [integer('item_set')],
      rows.map(({ item_id, kpi_id, entry_date, item_set }) => [item_id, kpi_id, entry_date, item_set]),
    ),
  /** Removes entries by their ids. */
  removeMany: async (tx: Writer, account: number, ids: Iterable<number>): Promise<void> => {
    await tx.run(`delete from entries where account_id = ? and id ${IN_LIST}`, [account, listOf(ids)])
  },
  remove: async (tx: Writer, account: number, id: number): Promise<boolean> =>
    (await tx.run('delete from entries where account_id = ? and id = ?', [account, id])) > 0,
}
