import type { Day } from '../../domain/day.ts'
import { type Issue, refuseFaults } from '../../domain/errors.ts'
import type { EntryDraft, EntryName } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { type EntryValues, faultsOfValues, mergeEntry, sameValues } from '../../domain/rules.ts'
import type { ParsedFields } from '../../domain/schema.ts'
import type { Writer } from '../../store/db.ts'
import { entries as store, type SeriesRange, type StoredEntry } from '../../store/tables/entries.ts'
import { takeIds } from '../../store/tables/table.ts'
import type { Context } from '../context.ts'
import { itemSetsOf, loadReferences, type References, yieldEvery } from './entry-references.ts'
import { faultsOfMissingValue, resolvePlace, plainUserOf } from './resolve-entry.ts'

/** Counts the outcomes of the sent rows, and lists the id of the entry of each row. */
type Upserted = {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly ids: readonly number[]
}

/** Holds an entry while its rows are applied: the stored one, and the values after the rows so far. */
type Slot = { stored: StoredEntry | undefined; id: number; values: EntryValues | undefined }

/** Holds the entries of one item and KPI that a list touches, by day. */
type TouchedEntries = { readonly item: number; readonly kpi: Kpi; from: Day; to: Day; readonly slots: Map<Day, Slot> }

/** Holds a row with a valid item and KPI, and its entry. */
type Placed = { readonly index: number; readonly kpi: Kpi; readonly slot: Slot; readonly sent: Partial<EntryDraft> }

/** Maps items and KPIs to the entries that a list touches. */
type SeriesMap = {
  /** Returns the series of an item and KPI; creates it if there is none yet. */
  readonly place: (item: number, kpi: Kpi, day: Day) => TouchedEntries
  readonly find: (item: number, kpi: number) => TouchedEntries | undefined
  readonly all: () => TouchedEntries[]
}

const createSeriesMap = (): SeriesMap => {
  const items = new Map<number, Map<number, TouchedEntries>>()
  const findOrMake = (item: number, kpi: Kpi, day: Day): TouchedEntries => {
    const ofItem = items.get(item) ?? new Map<number, TouchedEntries>()
    if (ofItem.size === 0) items.set(item, ofItem)
    const known = ofItem.get(kpi.id)
    if (known) return known
    const series: TouchedEntries = { item, kpi, from: day, to: day, slots: new Map() }
    ofItem.set(kpi.id, series)
    return series
  }
  return {
    place: findOrMake,
    find: (item, kpi) => items.get(item)?.get(kpi),
    all: () => [...items.values()].flatMap((ofItem) => [...ofItem.values()]),
  }
}

/** Returns the entry of a day, and widens the series to it. */
const slotOf = (series: TouchedEntries, day: Day): Slot => {
  const known = series.slots.get(day)
  if (known) return known
  if (day < series.from) series.from = day
  if (day > series.to) series.to = day
  const slot: Slot = { stored: undefined, id: 0, values: undefined }
  series.slots.set(day, slot)
  return slot
}

/** Sets after how many rows to let other requests run. */
const ROWS_PER_TURN = 500

/** Reports the faults of the row with this index. */
type ReportFaults = (index: number, faults: readonly Issue[]) => void

type Placement = { readonly rows: readonly Placed[]; readonly series: SeriesMap }

/** Finds the entry of every row; reports the faults of rows without a valid one. */
const placeRows = async (
  references: References,
  list: readonly ParsedFields<EntryDraft>[],
  report: ReportFaults,
): Promise<Placement> => {
  const pause = yieldEvery(ROWS_PER_TURN)
  const series = createSeriesMap()
  const rows: Placed[] = []
  const seriesOf = (sent: ParsedFields<EntryDraft>, day: Day): TouchedEntries | undefined => {
    // A user and KPI that were valid in an earlier row are valid again.
    const user = plainUserOf(references, sent)
    const before = user && series.find(user.id, sent.values.kpi_id ?? 0)
    if (before) return before
    const place = resolvePlace(references, sent)
    return Array.isArray(place) ? undefined : series.place(place.item, place.kpi, day)
  }
  const faultsOf = (sent: ParsedFields<EntryDraft>): Issue[] => {
    const place = resolvePlace(references, sent)
    return [...sent.issues, ...(Array.isArray(place) ? place : []), ...faultsOfMissingValue(references, sent)]
  }
  for (const [index, sent] of list.entries()) {
    const turn = pause()
    if (turn) await turn
    const { values, issues } = sent
    const day = values.entry_date
    const found = issues.length === 0 && day !== undefined ? seriesOf(sent, day) : undefined
    if (found && day !== undefined) rows.push({ index, kpi: found.kpi, slot: slotOf(found, day), sent: values })
    else report(index, faultsOf(sent))
  }
  return { rows, series }
}

/**
 * Sets the distance up to which to read days of a series as one range, so that the sent rows bound what is read.
 */
const MAX_GAP_DAYS = 8

/** Returns ranges that cover the days of a series, and few other days. */
const rangesOf = ({ item, kpi: { id: kpi }, from, to, slots }: TouchedEntries): SeriesRange[] => {
  if (to - from <= slots.size * MAX_GAP_DAYS) return [{ item, kpi, from, to }]
  const ranges: { item: number; kpi: number; from: Day; to: Day }[] = []
  for (const day of [...slots.keys()].sort((left, right) => left - right)) {
    const last = ranges.at(-1)
    if (last && day - last.to <= MAX_GAP_DAYS) last.to = day
    else ranges.push({ item, kpi, from: day, to: day })
  }
  return ranges
}

const loadStored = async (tx: Writer, account: number, series: SeriesMap): Promise<void> => {
  for (const stored of await store.within(tx, account, series.all().flatMap(rangesOf))) {
    const slot = series.find(stored.item_id, stored.kpi_id)?.slots.get(stored.entry_date)
    if (slot) Object.assign(slot, { stored, id: stored.id, values: stored })
  }
}

type Counts = { created: number; updated: number; unchanged: number }

/** Applies every row to its entry, in order; reports the faults of rows that would make the entry invalid. */
const applyRows = async (rows: readonly Placed[], report: ReportFaults): Promise<Counts> => {
  const pause = yieldEvery(ROWS_PER_TURN)
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 }
  for (const { index, kpi, slot, sent } of rows) {
    const turn = pause()
    if (turn) await turn
    const before = slot.values
    const after = mergeEntry(before, sent, kpi)
    const faults = faultsOfValues(after, kpi)
    if (faults.length > 0) {
      report(index, faults)
      continue
    }
    slot.values = after
    counts[before ? (sameValues(before, after) ? 'unchanged' : 'updated') : 'created'] += 1
  }
  return counts
}

/** Gives new entries their ids, in the order of their rows. */
const numberEntries = async (
  tx: Writer,
  account: number,
  rows: readonly Placed[],
  created: number,
): Promise<number[]> => {
  let next = created === 0 ? 0 : await takeIds(tx, account, 'entries', created)
  return rows.map(({ slot }) => {
    if (slot.id === 0) slot.id = next++
    return slot.id
  })
}

const byKey = (left: StoredEntry, right: StoredEntry): number =>
  left.item_id - right.item_id || left.kpi_id - right.kpi_id || left.entry_date - right.entry_date

const write = async (tx: Writer, { account, now }: Context, list: readonly TouchedEntries[]): Promise<void> => {
  const added: StoredEntry[] = []
  const changed: StoredEntry[] = []
  for (const { item, kpi, slots } of list) {
    for (const [day, { stored, id, values }] of slots) {
      if (!values || (stored && sameValues(stored, values))) continue
      const { actual, target, notes } = values
      const created_at = stored?.created_at ?? now
      const entry = {
        id,
        item_id: item,
        kpi_id: kpi.id,
        entry_date: day,
        actual,
        target,
        notes,
        created_at,
        updated_at: now,
        item_set: stored?.item_set ?? null,
      }
      if (stored) changed.push(entry)
      else added.push(entry)
    }
  }
  const sets = await itemSetsOf(tx, account.id, new Set(added.map(({ item_id }) => item_id)))
  const carrying = sets.size === 0 ? added : added.map((one) => ({ ...one, item_set: sets.get(one.item_id) ?? null }))
  await store.insert(tx, account.id, carrying.sort(byKey))
  await store.update(tx, account.id, changed)
}

/** Describes entries to add or update. */
type Upsert = {
  /** Lists the fields that may name the owner of an entry. */
  readonly names: readonly EntryName[]
  readonly list: readonly ParsedFields<EntryDraft>[]
  /** Holds the faults besides those of entries, if the list is a batch. */
  readonly batch?: { readonly issues: readonly Issue[] }
}

/**
 * Adds or updates entries by their keys, all or nothing. Each row applies to the result of the rows before it. Throws
 * all faults of all rows at once; those of a batch have the index of the row, and come with the batch's own faults.
 */
export const upsertEntries = async (tx: Writer, ctx: Context, { names, list, batch }: Upsert): Promise<Upserted> => {
  const issues: Issue[] = [...(batch?.issues ?? [])]
  const report: ReportFaults = (index, faults) => {
    for (const fault of faults) issues.push(batch ? { index, ...fault } : fault)
  }
  const references = await loadReferences(tx, ctx.account.id, names, list)
  const { rows, series } = await placeRows(references, list, report)
  await loadStored(tx, ctx.account.id, series)
  const counts = await applyRows(rows, report)
  refuseFaults(issues.sort((left, right) => (left.index ?? -1) - (right.index ?? -1)))
  const ids = await numberEntries(tx, ctx.account.id, rows, counts.created)
  await write(tx, ctx, series.all())
  return { ...counts, ids }
}
