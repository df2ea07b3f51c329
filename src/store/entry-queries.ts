import type { Day } from '../domain/day.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { DayRange } from '../domain/period.ts'
import { type Entry, newerEntry } from '../domain/resources/entry.ts'
import type { Reader, SqlInput, SqlList } from './db.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { rowReader } from './table.ts'

const readEntry = rowReader(newerEntry)

// A target is hidden while its KPI has none, and an item that is no person has no user (decisions, sections 3 and 6).
const SHOWN = `select e.id, u.id as user_id, e.item_id as source_id, e.kpi_id, e.entry_date, e.actual,
    case when k.target_default is null then null else e.target end as target, e.notes, e.created_at, e.updated_at
  from entries e
  join kpis k on k.account_id = e.account_id and k.id = e.kpi_id
  left join users u on u.account_id = e.account_id and u.id = e.item_id
  where e.account_id = ?`

export type EntryFilter = {
  /** Of a person; who is none has no entries. */
  readonly userId?: number | undefined
  /** Of a breakdown item, a person's or another. */
  readonly sourceId?: number | undefined
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

/** Which entries belong to group items; `users` narrows them to those of some users. */
export type GroupFilter = {
  readonly groups: Iterable<number>
  readonly users?: Iterable<number> | undefined
  readonly kpis: Iterable<number>
  readonly days: DayRange
}

/** The orders in which the entries of a group item come: all of a KPI by day, or one member after the other. */
const GROUP_ORDERS = {
  byDay: 'group_item_id, kpi_id, entry_date, id',
  byMember: 'group_item_id, item_id, kpi_id, entry_date',
} as const

// Named, as SQLite would order by any column that is made alike.
const OF_ENTRY =
  'e.item_id as item_id, e.kpi_id as kpi_id, e.entry_date as entry_date, e.actual, e.target, e.notes, e.id as id'

/**
 * An entry belongs to a group item that its set holds, and to the item that it is of, once. Both are read by their keys and
 * nothing else, the sets first (SQLite keeps the order of a cross join), so that it takes no knowledge of how much there
 * is to read them well. `narrowed` is a condition more.
 */
const ofGroups = (narrowed: string): string => `
  select g.group_item_id as group_item_id, ${OF_ENTRY} from item_set_members g cross join entries e
  where e.account_id = g.account_id and e.item_set = g.set_id
    and g.account_id = ? and g.group_item_id ${IN_LIST} and e.kpi_id ${IN_LIST} and e.entry_date between ? and ?
    and g.group_item_id <> e.item_id${narrowed}
  union all
  select e.item_id as group_item_id, ${OF_ENTRY} from entries e
  where e.account_id = ? and e.item_id ${IN_LIST} and e.kpi_id ${IN_LIST} and e.entry_date between ? and ?${narrowed}`

const reported = ([item, kpi, day, actual, target, notes]: SqlList): ReportedEntry => ({
  itemId: Number(item),
  kpiId: Number(kpi),
  day: Number(day),
  actual: actual as Decimal | null,
  target: target as Decimal | null,
  notes: notes as string | null,
})

/** The condition on entries that a filter makes, within some days, and what is bound to it. */
const filtered = (account: number, filter: EntryFilter, days: DayRange): { where: string; values: SqlInput[] } => {
  const { userId, sourceId, kpiId } = filter
  const conditions = ['e.account_id = ?', 'e.entry_date between ? and ?']
  const values: SqlInput[] = [account, days.from, days.to]
  const narrow = (column: string, table: string, id: number | undefined): void => {
    // Without a value of its own each part of the key is one of all there are, so that the key leads to the days.
    conditions.push(`${column} ${id === undefined ? `in (select id from ${table} where account_id = ?)` : '= ?'}`)
    values.push(id ?? account)
  }
  narrow('e.item_id', 'items', sourceId ?? userId)
  narrow('e.kpi_id', 'kpis', kpiId)
  if (userId !== undefined) {
    conditions.push('e.item_id in (select id from users where account_id = ? and id = ?)')
    values.push(account, userId)
  }
  return { where: conditions.join(' and '), values }
}

/**
 * Finds the days in which a page lies, and how many entries of those come before it; undefined beyond the last one. What
 * comes before is counted day by day, not sorted.
 */
const placeOfPage = async (
  tx: Reader,
  account: number,
  filter: EntryFilter,
): Promise<Pick<EntryFilter, 'days' | 'offset'> | undefined> => {
  const { where, values } = filtered(account, filter, filter.days)
  const sql = `select e.entry_date, count(*) from entries e where ${where} group by e.entry_date order by e.entry_date`
  const end = filter.offset + filter.limit
  let before = 0
  let place: { days: { from: Day; to: Day }; offset: number } | undefined
  await tx.each(sql, values, ([day, count]) => {
    const upTo = before + Number(count)
    if (place && before < end) place.days.to = Number(day)
    else if (!place && upTo > filter.offset) {
      place = { days: { from: Number(day), to: Number(day) }, offset: filter.offset - before }
    }
    before = upTo
  })
  return place
}

/** Entries as the interface shows them. */
export const entryQueries = {
  find: async (tx: Reader, account: number, id: number): Promise<Entry | undefined> => {
    const [row] = await tx.all(`${SHOWN} and e.id = ?`, [account, id])
    return row && readEntry(row)
  },
  /** A page of entries, by day and id. */
  list: async (tx: Reader, account: number, filter: EntryFilter): Promise<Entry[]> => {
    const place = filter.offset === 0 ? filter : await placeOfPage(tx, account, filter)
    if (!place) return []
    const { where, values } = filtered(account, filter, place.days)
    // Only keys are sorted; of what is shown nothing is read but the page.
    const sql = `select e.item_id, e.kpi_id, e.entry_date from entries e where ${where}
      order by e.entry_date, e.id limit ? offset ?`
    const keys = await tx.all(sql, [...values, filter.limit, place.offset])
    const lists = keys.map((key) => [account, ...['item_id', 'kpi_id', 'entry_date'].map((name) => Number(key[name]))])
    const shown = await tx.allOfEach(`${SHOWN} and e.item_id = ? and e.kpi_id = ? and e.entry_date = ?`, lists)
    return shown.map(readEntry)
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
    await tx.each(sql, values, (row) => {
      visit(reported(row))
    })
  },
  /** Visits the entries of group items within a range of days, those of a group item together. */
  eachOfGroups: async (
    tx: Reader,
    account: number,
    of: GroupFilter,
    order: keyof typeof GROUP_ORDERS,
    visit: (group: number, entry: ReportedEntry) => void,
  ): Promise<void> => {
    const within = [account, listOf(of.groups), listOf(of.kpis), of.days.from, of.days.to]
    const values = of.users ? [...within, listOf(of.users)] : within
    const sql = `${ofGroups(of.users ? ` and e.item_id ${IN_LIST}` : '')} order by ${GROUP_ORDERS[order]}`
    await tx.each(sql, [...values, ...values], ([group, ...row]) => {
      visit(Number(group), reported(row))
    })
  },
}
