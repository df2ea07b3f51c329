import type { Day } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { DayRange } from '../../domain/period.ts'
import { type Entry, newerEntry } from '../../domain/resources/entry.ts'
import type { Reader, SqlInput, SqlList } from '../db.ts'
import { IN_LIST, partsOfPairs } from './id-list.ts'
import { rowReader } from './table.ts'

/** Sets how many pair look-ups cost as much as visiting one entry. */
const PAIRS_PER_ENTRY = 4
/** Bounds the pairs that need no check. */
const FEW_PAIRS = 100_000

/** Names the items, or group items, and the KPIs whose entries are read. */
type Pairs = { readonly items: readonly number[]; readonly kpis: readonly number[] }

/** Returns the highest id of an entry: there are no more entries than that. */
const mostEntries = async (tx: Reader, account: number): Promise<number> => {
  const [row] = await tx.all('select max(id) as last from entries where account_id = ?', [account])
  return Number(row?.['last'] ?? 0)
}

/**
 * Leaves out the items and KPIs without entries if there are far more pairs than entries. Otherwise one report of a
 * day, over 100,000 people and as many KPIs, would keep a processor busy for hours.
 */
const presentPairs = async (tx: Reader, account: number, { items, kpis }: Pairs): Promise<Pairs> => {
  const pairs = items.length * kpis.length
  if (pairs <= FEW_PAIRS || pairs <= PAIRS_PER_ENTRY * (await mostEntries(tx, account))) return { items, kpis }
  const [ofItems, ofKpis] = [new Set<number>(), new Set<number>()]
  await tx.each('select item_id, kpi_id from entries where account_id = ?', [account], ([item, kpi]) => {
    ofItems.add(Number(item))
    ofKpis.add(Number(kpi))
  })
  await tx.each('select distinct group_item_id from item_set_members where account_id = ?', [account], ([item]) => {
    ofItems.add(Number(item))
  })
  return { items: items.filter((id) => ofItems.has(id)), kpis: kpis.filter((id) => ofKpis.has(id)) }
}

const readEntry = rowReader(newerEntry)

// A target is hidden while its KPI has none. An item that does not stand for a person has no user.
const COLUMNS = `select e.id, u.id as user_id, e.item_id as source_id, e.kpi_id, e.entry_date, e.actual,
    case when k.target_default is null and k.targets is null then null else e.target end as target, e.notes, e.created_at, e.updated_at`
const JOINED = `join kpis k on k.account_id = ?1 and k.id = e.kpi_id
  left join users u on u.account_id = ?1 and u.id = e.item_id`
const SHOWN = `${COLUMNS} from entries e ${JOINED} where e.account_id = ?1`

/** Reads a row of these columns. */
const shownEntry = ([id, user, source, kpi, day, actual, target, notes, created, updated]: SqlList): Entry => ({
  id: Number(id),
  user_id: user === null ? null : Number(user),
  source_id: Number(source),
  kpi_id: Number(kpi),
  entry_date: Number(day),
  actual: actual as Decimal | null,
  target: target as Decimal | null,
  notes: notes as string | null,
  created_at: Number(created),
  updated_at: Number(updated),
})

export type EntryFilter = {
  /** Selects the entries of a user; of an item that is not a user, none. */
  readonly userId?: number | undefined
  /** Selects the entries of a breakdown item, also of a person. */
  readonly sourceId?: number | undefined
  readonly kpiId?: number | undefined
  readonly days: DayRange
  /** Leaves out the entries of the first day up to this id. */
  readonly after?: number | undefined
  readonly limit: number
  readonly offset: number
}

/** Describes what the report reads of an entry. */
export type ReportedEntry = {
  readonly itemId: number
  readonly kpiId: number
  readonly day: Day
  readonly actual: Decimal | null
  readonly target: Decimal | null
  readonly notes: string | null
}

/** Selects the entries of group items; `users` restricts them to some members. */
export type GroupFilter = {
  readonly groups: Iterable<number>
  readonly users?: Iterable<number> | undefined
  readonly kpis: Iterable<number>
  readonly days: DayRange
}

const OF_ENTRY = 'e.actual, e.target, e.notes, e.id as id'

/**
 * Selects the entries of group items: those whose set holds the group item, and its own, each once. SQLite reads a
 * cross join in its order, so both parts are read by their keys, and no statistics are needed. The result is sorted.
 */
const OF_GROUPS = `
  select g.group_item_id as group_item_id, e.item_id as item_id, e.kpi_id as kpi_id, e.entry_date as entry_date, ${OF_ENTRY}
  from item_set_members g cross join entries e
  where e.account_id = ?1 and e.item_set = g.set_id
    and g.account_id = ?1 and g.group_item_id ${IN_LIST} and e.kpi_id ${IN_LIST} and e.entry_date between ? and ?
    and g.group_item_id <> e.item_id
  union all
  select e.item_id as group_item_id, e.item_id as item_id, e.kpi_id as kpi_id, e.entry_date as entry_date, ${OF_ENTRY}
  from entries e
  where e.account_id = ?1 and e.item_id ${IN_LIST} and e.kpi_id ${IN_LIST} and e.entry_date between ? and ?
  order by group_item_id, kpi_id, entry_date`

/** Selects the items whose entries carry a group item; one may come more than once. */
const MEMBERS = `select e.item_id from item_set_members g cross join entries e
  where e.account_id = ?1 and e.item_set = g.set_id
    and g.account_id = ?1 and g.group_item_id = ? and e.kpi_id ${IN_LIST} and e.entry_date between ? and ?`

/** Selects the entries of items, and whether each belongs to a group item. */
const OF_MEMBERS = `select item_id, kpi_id, entry_date, actual, target, notes,
    case when exists (select 1 from item_set_members g
      where g.account_id = ?1 and g.group_item_id = ? and g.set_id = e.item_set) or e.item_id = ? then 1 else 0 end
  from entries e
  where account_id = ?1 and item_id ${IN_LIST} and kpi_id ${IN_LIST} and entry_date between ? and ?
  order by item_id, kpi_id, entry_date`

const OF_ITEMS = `select item_id, kpi_id, entry_date, actual, target, notes from entries
  where account_id = ? and item_id ${IN_LIST} and kpi_id ${IN_LIST} and entry_date between ? and ?
  order by item_id, kpi_id, entry_date`

/** Describes an entry by what tells whether it is selected, and what it adds to a sum. */
export type SelectedEntry = Pick<ReportedEntry, 'itemId' | 'kpiId' | 'day' | 'actual'> & {
  readonly id: number
  readonly itemSet: number | null
}

const SELECTED = `select item_id, kpi_id, entry_date, id, item_set, actual from entries
  where account_id = ? and item_id ${IN_LIST} and kpi_id ${IN_LIST} and entry_date between ? and ?
  order by item_id, kpi_id, entry_date`

const idsOf = async (tx: Reader, account: number, of: 'items' | 'kpis'): Promise<number[]> =>
  (await tx.all(`select id from ${of} where account_id = ?`, [account])).map(({ id }) => Number(id))

const reported = ([item, kpi, day, actual, target, notes]: SqlList): ReportedEntry => ({
  itemId: Number(item),
  kpiId: Number(kpi),
  day: Number(day),
  actual: actual as Decimal | null,
  target: target as Decimal | null,
  notes: notes as string | null,
})

/** Returns the condition of a filter on entries within some days, and its bound values. */
const filtered = (account: number, filter: EntryFilter, days: DayRange): { where: string; values: SqlInput[] } => {
  const { userId, sourceId, kpiId, after } = filter
  const conditions = ['e.account_id = ?1', 'e.entry_date between ? and ?']
  const values: SqlInput[] = [account, days.from, days.to]
  const narrow = (column: string, table: string, id: number | undefined): void => {
    // If no id is given, list all ids of that column, so that the clustered key still finds the days.
    conditions.push(`${column} ${id === undefined ? `in (select id from ${table} where account_id = ?1)` : '= ?'}`)
    if (id !== undefined) values.push(id)
  }
  narrow('e.item_id', 'items', sourceId ?? userId)
  narrow('e.kpi_id', 'kpis', kpiId)
  if (userId !== undefined) {
    conditions.push('e.item_id in (select id from users where account_id = ?1 and id = ?)')
    values.push(userId)
  }
  if (after !== undefined) {
    conditions.push('(e.entry_date > ? or e.id > ?)')
    values.push(filter.days.from, after)
  }
  return { where: conditions.join(' and '), values }
}

/**
 * Finds the days in which a page lies, and how many entries of those days come before it; undefined beyond the last
 * entry. It counts the entries before the page by day, instead of sorting them.
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

/** Sorts the entries of one group item, KPI and day by id. */
const inOrderOfIds = (visit: (group: number, entry: ReportedEntry) => void) => {
  type Held = { readonly group: number; readonly entry: ReportedEntry; readonly id: number }
  let held: Held[] = []
  const flush = (): void => {
    if (held.length > 1) held.sort((left, right) => left.id - right.id)
    for (const { group, entry } of held) visit(group, entry)
    held = []
  }
  const take = (group: number, entry: ReportedEntry, id: number): void => {
    const [last] = held
    const goesOn = last?.group === group && last.entry.kpiId === entry.kpiId && last.entry.day === entry.day
    if (!goesOn) flush()
    held.push({ group, entry, id })
  }
  return { take, flush }
}

/** Returns the items whose entries may belong to a group item: its members and itself, or only some users. */
const membersOf = async (tx: Reader, account: number, group: number, of: GroupFilter): Promise<Iterable<number>> => {
  if (of.users) return [...of.users]
  const members = new Set([group])
  for await (const [, kpis] of partsOfPairs(tx, [group], of.kpis)) {
    await tx.each(MEMBERS, [account, group, kpis, of.days.from, of.days.to], ([item]) => {
      members.add(Number(item))
    })
  }
  return members
}

/** Reads entries as the interface shows them. */
export const entryQueries = {
  find: async (tx: Reader, account: number, id: number): Promise<Entry | undefined> => {
    const [row] = await tx.all(`${SHOWN} and e.id = ?`, [account, id])
    return row && readEntry(row)
  },
  /** Returns a page of entries, by day and id. */
  list: async (tx: Reader, account: number, filter: EntryFilter): Promise<Entry[]> => {
    const place = filter.offset === 0 ? filter : await placeOfPage(tx, account, filter)
    if (!place) return []
    const { where, values } = filtered(account, filter, place.days)
    // First the page, then what belongs to its entries.
    const page = `select e.* from entries e where ${where} order by e.entry_date, e.id limit ? offset ?`
    const sql = `${COLUMNS} from (${page}) e ${JOINED} order by e.entry_date, e.id`
    const list: Entry[] = []
    await tx.each(sql, [...values, filter.limit, place.offset], (row) => {
      list.push(shownEntry(row))
    })
    return list
  },
  /**
   * Visits the entries of items and KPIs within a range of days; those of an item and KPI follow each other, by day.
   */
  eachOf: async (
    tx: Reader,
    account: number,
    of: { readonly items: Iterable<number>; readonly kpis: Iterable<number>; readonly days: DayRange },
    visit: (entry: ReportedEntry) => void | Promise<void>,
  ): Promise<void> => {
    const { from, to } = of.days
    const present = await presentPairs(tx, account, { items: [...of.items], kpis: [...of.kpis] })
    for await (const [items, kpis] of partsOfPairs(tx, present.items, present.kpis)) {
      await tx.each(OF_ITEMS, [account, items, kpis, from, to], (row) => visit(reported(row)))
    }
  },
  /** Visits the entries of some items and KPIs, or of all, within a range of days, in the order of their keys. */
  eachSelected: async (
    tx: Reader,
    account: number,
    of: {
      readonly items: Iterable<number> | undefined
      readonly kpis: Iterable<number> | undefined
      readonly days: DayRange
    },
    visit: (entry: SelectedEntry) => void,
  ): Promise<void> => {
    const { from, to } = of.days
    const present = await presentPairs(tx, account, {
      items: [...(of.items ?? (await idsOf(tx, account, 'items')))],
      kpis: [...(of.kpis ?? (await idsOf(tx, account, 'kpis')))],
    })
    for await (const [items, kpis] of partsOfPairs(tx, present.items, present.kpis)) {
      await tx.each(SELECTED, [account, items, kpis, from, to], ([item, kpi, day, id, set, actual]) =>
        visit({
          itemId: Number(item),
          kpiId: Number(kpi),
          day: Number(day),
          id: Number(id),
          itemSet: set === null ? null : Number(set),
          actual: actual as Decimal | null,
        }),
      )
    }
  },
  /**
   * Visits the entries of group items within a range of days; those of a group item and KPI follow each other, by day
   * and id.
   */
  eachOfGroups: async (
    tx: Reader,
    account: number,
    of: GroupFilter,
    visit: (group: number, entry: ReportedEntry) => void,
  ): Promise<void> => {
    const users = of.users && new Set(of.users)
    const { take, flush } = inOrderOfIds(visit)
    const present = await presentPairs(tx, account, { items: [...of.groups], kpis: [...of.kpis] })
    for await (const [groups, kpis] of partsOfPairs(tx, present.items, present.kpis)) {
      const values = [account, groups, kpis, of.days.from, of.days.to]
      await tx.each(OF_GROUPS, [...values, ...values.slice(1)], ([group, ...row]) => {
        const entry = reported(row)
        if (!users || users.has(entry.itemId)) take(Number(group), entry, Number(row[6]))
      })
    }
    flush()
  },
  /** Visits the same entries, by group item and then by member. */
  eachOfMembers: async (
    tx: Reader,
    account: number,
    of: GroupFilter,
    visit: (group: number, entry: ReportedEntry) => void | Promise<void>,
  ): Promise<void> => {
    const { from, to } = of.days
    const { items: groups, kpis } = await presentPairs(tx, account, { items: [...of.groups], kpis: [...of.kpis] })
    for (const group of groups) {
      const members = await membersOf(tx, account, group, { ...of, kpis })
      for await (const [items, some] of partsOfPairs(tx, members, kpis)) {
        await tx.each(OF_MEMBERS, [account, group, group, items, some, from, to], (row) =>
          row[6] === 1n ? visit(group, reported(row)) : undefined,
        )
      }
    }
  },
}
