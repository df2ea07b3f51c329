import type { Day } from '../domain/day.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { DayRange } from '../domain/period.ts'
import { type Entry, entry } from '../domain/resources/entry.ts'
import type { Reader, SqlInput } from './db.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { rowReader } from './table.ts'

const readEntry = rowReader(entry)

// A target is hidden while its KPI has none, and an item that is no person has no user (decisions, sections 3 and 6).
const SHOWN = `select e.id, u.id as user_id, e.kpi_id, e.entry_date, e.actual,
    case when k.target_default is null then null else e.target end as target, e.notes, e.created_at, e.updated_at
  from entries e
  join kpis k on k.account_id = e.account_id and k.id = e.kpi_id
  left join users u on u.account_id = e.account_id and u.id = e.item_id
  where e.account_id = ?`

export type EntryFilter = {
  readonly userId?: number | undefined
  readonly kpiId?: number | undefined
  readonly days: DayRange
  readonly limit: number
  readonly offset: number
}

/** What the report reads of an entry. */
export type ReportedEntry = {
  readonly itemId: number
  readonly kpiId: number
  readonly day: Day
  readonly actual: Decimal | null
  readonly target: Decimal | null
  readonly notes: string | null
}

/** Entries as the interface shows them. */
export const entryQueries = {
  find: async (tx: Reader, account: number, id: number): Promise<Entry | undefined> => {
    const [row] = await tx.all(`${SHOWN} and e.id = ?`, [account, id])
    return row && readEntry(row)
  },
  /** A page of entries, by day and id. */
  list: async (tx: Reader, account: number, filter: EntryFilter): Promise<Entry[]> => {
    const conditions = ['e.entry_date between ? and ?']
    const values: SqlInput[] = [account, filter.days.from, filter.days.to]
    const narrow = (column: string, table: string, id: number | undefined): void => {
      // Without a value of its own each part of the key is one of all there are, so that the key leads to the days.
      conditions.push(`${column} ${id === undefined ? `in (select id from ${table} where account_id = ?)` : '= ?'}`)
      values.push(id ?? account)
    }
    narrow('e.item_id', 'items', filter.userId)
    narrow('e.kpi_id', 'kpis', filter.kpiId)
    const sql = `${SHOWN} and ${conditions.join(' and ')} order by e.entry_date, e.id limit ? offset ?`
    return (await tx.all(sql, [...values, filter.limit, filter.offset])).map(readEntry)
  },
  /** Visits the entries of items and KPIs within a range of days: those of an item and KPI together, by day. */
  eachOf: async (
    tx: Reader,
    account: number,
    of: { readonly items: Iterable<number>; readonly kpis: Iterable<number>; readonly days: DayRange },
    visit: (entry: ReportedEntry) => void,
  ): Promise<void> => {
    const sql = `select item_id, kpi_id, entry_date, actual, target, notes from entries
                 where account_id = ? and item_id ${IN_LIST} and kpi_id ${IN_LIST} and entry_date between ? and ?
                 order by item_id, kpi_id, entry_date`
    const values = [account, listOf(of.items), listOf(of.kpis), of.days.from, of.days.to]
    await tx.each(sql, values, ([item, kpi, day, actual, target, notes]) => {
      visit({
        itemId: Number(item),
        kpiId: Number(kpi),
        day: Number(day),
        actual: actual as Decimal | null,
        target: target as Decimal | null,
        notes: notes as string | null,
      })
    })
  },
}
