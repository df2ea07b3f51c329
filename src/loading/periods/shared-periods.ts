import type { Day } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import { entriesIn, type StoredEntry } from '../existing/entry-list.ts'
import { onlyClears } from '../existing/planned-action.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import type { Period, PeriodKpi } from '../../reading/directory/kpi-periods.ts'
import type { PeriodRow } from './stored-periods.ts'

/** Describes one of the entries that would share a period: a row of the file, or a stored entry. */
export type PeriodEntry = {
  readonly day: Day
  readonly actual: Decimal | null | undefined
  /** Holds the place of the row; undefined if the entry is stored. */
  readonly place?: number
}

/** Names where the only stored entry of a period is; `other` if it is elsewhere, or there are several. */
type StoredAt = 'first' | 'last' | 'other'

/** Describes the periods of a KPI that would hold several entries of one owner. */
export type SharedPeriods = {
  readonly kpi: PeriodKpi
  readonly owner: number
  /** Holds the first such period, and two of its entries. */
  readonly period: Period
  readonly entries: readonly [PeriodEntry, PeriodEntry]
  periods: number
  readonly storedAt: Set<StoredAt>
}

/** Holds the rows and the stored entries of one owner, KPI and period. */
type PeriodGroup = {
  readonly first: PeriodRow
  readonly rows: readonly PeriodRow[]
  readonly stored: readonly StoredEntry[]
}

const isOfPeriod = ({ draft, kpi, period }: PeriodRow, other: PeriodRow): boolean =>
  ownerOf(draft) === ownerOf(other.draft) && kpi.id === other.kpi.id && period.start === other.period.start

/** Yields the rows of each owner, KPI and period; a period has at most one row a day. */
async function* rowsByPeriod(rows: AsyncIterable<PeriodRow>): AsyncGenerator<readonly PeriodRow[]> {
  let group: PeriodRow[] = []
  for await (const row of rows) {
    // Nothing is stored of a row that clears, unless there is an entry already.
    if (onlyClears(row.draft)) continue
    const [first] = group
    if (first && !isOfPeriod(first, row)) {
      yield group
      group = []
    }
    group.push(row)
  }
  if (group.length > 0) yield group
}

/** Returns a function that takes the stored entries of periods, which must come in the order of the rows. */
const createTaker = (stored: Sorter): ((row: PeriodRow) => StoredEntry[]) => {
  const entries = entriesIn(stored)
  let next = entries.next()
  return ({ draft, kpi, period }) => {
    const taken: StoredEntry[] = []
    const owner = ownerOf(draft)
    for (; !next.done; next = entries.next()) {
      const [ofOwner, ofKpi, day] = next.value.key
      const order = ofOwner - owner || ofKpi - kpi.id || (day < period.start ? -1 : day > period.end ? 1 : 0)
      if (order > 0) break
      if (order === 0) taken.push(next.value)
    }
    return taken
  }
}

async function* groupsOf(rows: AsyncIterable<PeriodRow>, stored: Sorter): AsyncGenerator<PeriodGroup> {
  const take = createTaker(stored)
  for await (const group of rowsByPeriod(rows)) {
    const [first] = group
    if (first) yield { first, rows: group, stored: take(first) }
  }
}

const ofRow = ({ draft, place }: PeriodRow): PeriodEntry => ({ day: draft.entry_date, actual: draft.actual, place })

const ofStored = ({ key, entry }: StoredEntry): PeriodEntry => ({ day: key[2], actual: entry.actual })

/**
 * Returns two entries that would share a period, a stored one first; undefined if there would be only one. Where
 * entries share it already, that is not counted against rows that only update them, unless `isStrict`.
 */
const sharing = ({ rows, stored }: PeriodGroup, isStrict: boolean): [PeriodEntry, PeriodEntry] | undefined => {
  const days = new Set(stored.map(({ key }) => key[2]))
  const fresh = rows.find(({ draft }) => !days.has(draft.entry_date))
  const row = fresh ?? (isStrict ? rows[0] : undefined)
  if (!row) return undefined
  const isOther = ({ day }: PeriodEntry): boolean => day !== row.draft.entry_date
  const other = stored.map(ofStored).find(isOther) ?? rows.map(ofRow).find(isOther)
  return (
    other && (other.place !== undefined && other.day > row.draft.entry_date ? [ofRow(row), other] : [other, ofRow(row)])
  )
}

const storedAt = ({ first: { period }, stored }: PeriodGroup): StoredAt | undefined => {
  const [one, ...others] = stored
  if (!one) return undefined
  if (others.length > 0) return 'other'
  if (one.key[2] === period.start) return 'first'
  return one.key[2] === period.end ? 'last' : 'other'
}

/**
 * Finds the periods in which an owner would have several entries of a KPI after the import, by KPI. Rows must come in
 * the order of owners, KPIs and days; `stored` holds what is stored in their periods. `isStrict` counts also periods in
 * which several entries are stored already.
 */
export const findSharedPeriods = async (
  rows: AsyncIterable<PeriodRow>,
  stored: Sorter,
  isStrict: boolean,
): Promise<SharedPeriods[]> => {
  const found = new Map<number, SharedPeriods>()
  for await (const group of groupsOf(rows, stored)) {
    const entries = sharing(group, isStrict)
    if (!entries) continue
    const { kpi, period, draft } = group.first
    const known = found.get(kpi.id) ?? { kpi, owner: ownerOf(draft), period, entries, periods: 0, storedAt: new Set() }
    known.periods += 1
    const at = storedAt(group)
    if (at) known.storedAt.add(at)
    found.set(kpi.id, known)
  }
  return [...found.values()]
}
