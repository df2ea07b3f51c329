import { setImmediate } from 'node:timers/promises'
import { hasAnyTarget } from '../../domain/targets/dated-targets.ts'
import {
  ACTUAL,
  decimalAt,
  draftAt,
  NOTES,
  numberAt,
  sentAt,
  type SentEntries,
  TARGET,
} from '../../domain/entry-block.ts'
import { type Issue, refuseFaults } from '../../domain/errors.ts'
import type { EntryName } from '../../domain/resources/entry.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { type EntryChange, type EntryValues, faultsOfValues, mergeEntry, sameValues } from '../../domain/rules.ts'
import type { SqlInput, Writer } from '../../store/db.ts'
import {
  addToRanges,
  entries as store,
  type NewEntries,
  type SeriesRange,
  storedRow,
  type StoredRow,
} from '../../store/tables/entries.ts'
import { takeIds } from '../../store/tables/table.ts'
import type { Context } from '../context.ts'
import { itemSetsOf, loadReferences, type References } from './entry-references.ts'
import { type ChangedEntry, countEarlier, keepBatch, type MetEntries } from './keep-batch.ts'
import { faultsOfMissingValue, resolvePlace } from './resolve-entry.ts'

/** Counts the outcomes of the sent rows, and holds the id of the entry of the first. */
type Upserted = {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly firstId: number
}

/** Holds the flags by which a row keeps the stored value although it gives another. */
export type KeptValues = Pick<EntryChange, 'setActual' | 'setTarget' | 'setNotes'>

/** Sets after how many rows to let other requests run. */
const ROWS_PER_TURN = 500

/** Lets other requests run for one turn every so many rows; it does not queue behind other work, as a transaction is open. */
const turnAt = (row: number): Promise<void> | undefined =>
  (row + 1) % ROWS_PER_TURN === 0 ? setImmediate() : undefined

/** Reports the faults of the row with this index. */
type ReportFaults = (index: number, faults: readonly Issue[]) => void

/** Holds rows with their items and KPIs, and the order of their keys; rows of one key keep their own. */
type Placed = {
  readonly sent: SentEntries
  /** Holds the item of each row; 0 where a row has none, or no valid KPI. */
  readonly item: Float64Array
  readonly kpi: Float64Array
  readonly day: Int32Array
  readonly kpis: ReadonlyMap<number, Kpi>
  readonly order: Uint32Array
}

/** Finds the item of every row; reports the faults of rows without a valid one. */
const findItems = async (
  references: References,
  sent: SentEntries,
  report: ReportFaults,
): Promise<Omit<Placed, 'order'>> => {
  const { block, others } = sent
  const { kpi, day } = block
  const item = new Float64Array(block.count)
  let [lastOwner, lastKpi, lastItem] = [0, 0, 0]
  for (let at = 0; at < block.count; at += 1) {
    const turn = turnAt(at)
    if (turn) await turn
    const owner = numberAt(block.owner, at)
    const ofOwner = numberAt(kpi, at)
    const isOther = others.has(at)
    if (lastItem > 0 && owner === lastOwner && ofOwner === lastKpi && !isOther) {
      item[at] = lastItem
      continue
    }
    const one = sentAt(sent, at)
    const place = resolvePlace(references, one)
    const entryDay = one.values.entry_date
    if (one.issues.length > 0 || Array.isArray(place) || entryDay === undefined) {
      report(at, [...one.issues, ...(Array.isArray(place) ? place : []), ...faultsOfMissingValue(references, one)])
      continue
    }
    item[at] = place.item
    kpi[at] = place.kpi.id
    day[at] = entryDay
    if (!isOther) [lastOwner, lastKpi, lastItem] = [owner, ofOwner, place.item]
  }
  return { sent, item, kpi, day, kpis: references.kpis }
}

/** Returns the places of the rows that have an item, in the order of their keys. */
const orderOf = ({ item, kpi, day }: Pick<Placed, 'item' | 'kpi' | 'day'>): Uint32Array => {
  const compare = (left: number, right: number): number =>
    numberAt(item, left) - numberAt(item, right) ||
    numberAt(kpi, left) - numberAt(kpi, right) ||
    numberAt(day, left) - numberAt(day, right) ||
    left - right
  const places = new Uint32Array(item.length)
  let [count, isSorted] = [0, true]
  for (let at = 0; at < item.length; at += 1) {
    if (item[at] === 0) continue
    if (isSorted && count > 0) isSorted = compare(numberAt(places, count - 1), at) < 0
    places[count++] = at
  }
  const order = places.subarray(0, count)
  return isSorted ? order : order.sort(compare)
}

/** Returns ranges that cover the days of each series, and few other days. */
const rangesOf = ({ item, kpi, day, order }: Placed): SeriesRange[] => {
  const ranges: SeriesRange[] = []
  for (const at of order) addToRanges(ranges, numberAt(item, at), numberAt(kpi, at), numberAt(day, at))
  return ranges
}

/** Collects the entries that a batch creates, as columns in the order of their keys. */
class Added {
  /** Holds the place of the row of each, and where its values are not those of this row as it is, these. */
  readonly rows: number[] = []
  readonly values = new Map<number, EntryValues>()

  add(at: number, values?: EntryValues): void {
    if (values) this.values.set(this.rows.length, values)
    this.rows.push(at)
  }
}

/**
 * Tells whether the values of a row that creates an entry are those that it gives: an actual that surely fits. Merging them
 * with nothing and judging them comes to the same, but makes objects of each row of an import.
 */
const isPlainNew = ({ block, others }: SentEntries, at: number, kept: KeptValues): boolean =>
  kept.setActual !== false &&
  (numberAt(block.flags, at) & ACTUAL.given) !== 0 &&
  !Number.isNaN(block.actual[at]) &&
  !others.has(at)

/** Tells whether a row gives nothing but the actual that is stored. */
const isPlainSame = ({ block, others }: SentEntries, at: number, stored: StoredRow): boolean =>
  block.flags[at] === ACTUAL.given && block.actual[at] === storedRow.actual(stored) && !others.has(at)

type Counts = { created: number; updated: number; unchanged: number }

/** Holds what becomes of the entries that rows touch. */
type Outcome = {
  readonly counts: Counts
  readonly added: Added
  readonly changed: ChangedEntry[]
  /** Holds those that stay as they are, and that a batch of a run wrote last. */
  readonly met: MetEntries
  readonly firstId: number
}

/**
 * Applies every row to its entry; reports the faults of rows that would make the entry invalid. Both the rows and what is
 * stored come in the order of their keys, so each entry is met once.
 */
const applyRows = async (
  placed: Placed,
  stored: readonly StoredRow[],
  { kept, now, report }: { readonly kept: KeptValues; readonly now: number; readonly report: ReportFaults },
): Promise<Outcome> => {
  const { sent, item, kpi, day, kpis, order } = placed
  const counts: Counts = { created: 0, updated: 0, unchanged: 0 }
  const [added, changed]: [Added, ChangedEntry[]] = [new Added(), []]
  const met: MetEntries = new Map()
  const meet = (entry: StoredRow): void => {
    counts.unchanged += 1
    const revision = storedRow.revision(entry)
    if (revision === 0) return
    const ids = met.get(revision)
    if (ids) ids.push(storedRow.id(entry))
    else met.set(revision, [storedRow.id(entry)])
  }
  const isSameKey = (left: number, right: number): boolean =>
    day[left] === day[right] && kpi[left] === kpi[right] && item[left] === item[right]
  /** Compares the key of a stored entry with that of a row. */
  const compareStored = (entry: StoredRow, at: number): number =>
    storedRow.compareKey(entry, numberAt(item, at), numberAt(kpi, at), numberAt(day, at))
  let [next, firstId] = [0, 0]
  for (let start = 0, end = 0; start < order.length; start = end) {
    const turn = turnAt(start)
    if (turn) await turn
    const head = numberAt(order, start)
    end = start + 1
    while (end < order.length && isSameKey(head, numberAt(order, end))) end += 1
    let candidate = stored[next]
    while (candidate && compareStored(candidate, head) < 0) candidate = stored[(next += 1)]
    const there = candidate && compareStored(candidate, head) === 0 ? candidate : undefined
    if (head === 0 && there) firstId = storedRow.id(there)
    if (end === start + 1) {
      if (!there && isPlainNew(sent, head, kept)) {
        counts.created += 1
        added.add(head)
        continue
      }
      if (there && isPlainSame(sent, head, there)) {
        meet(there)
        continue
      }
    }
    const before = there && storedRow.entry(there)
    const ofKpi = kpis.get(numberAt(kpi, head))
    if (!ofKpi) continue
    let values: EntryValues | undefined = before
    for (let at = start; at < end; at += 1) {
      const row = numberAt(order, at)
      const change: EntryChange = { ...(sent.others.get(row)?.values ?? draftAt(sent.block, row)), ...kept }
      const after = mergeEntry(values, change, ofKpi)
      const faults = faultsOfValues(after, ofKpi)
      if (faults.length > 0) report(row, faults)
      else {
        if (there && end === start + 1 && values && sameValues(values, after)) meet(there)
        else counts[values ? (sameValues(values, after) ? 'unchanged' : 'updated') : 'created'] += 1
        values = after
      }
    }
    if (!values) continue
    if (!before) added.add(head, values)
    else if (!sameValues(before, values)) {
      const { actual, target, notes } = values
      changed.push({ ...before, actual, target, notes, updated_at: now, before })
    }
  }
  return { counts, added, changed, met, firstId }
}

/** Returns the ids of new entries, which are given in the order of their rows. */
const idsOf = ({ rows }: Added, first: number): Float64Array => {
  const ids = new Float64Array(rows.length)
  const isInOrder = rows.every((row, at) => at === 0 || row > (rows[at - 1] ?? 0))
  const places = isInOrder ? undefined : [...rows.keys()].sort((left, right) => (rows[left] ?? 0) - (rows[right] ?? 0))
  for (let at = 0; at < rows.length; at += 1) ids[places?.[at] ?? at] = first + at
  return ids
}

/** Returns the columns of new entries. */
const newEntries = (
  placed: Placed,
  { rows, values }: Added,
  kept: KeptValues,
): Pick<NewEntries, 'actual' | 'target' | 'notes'> => {
  const { sent, kpi, kpis } = placed
  const { block } = sent
  const [actual, target, notes]: [SqlInput[], SqlInput[], SqlInput[]] = [[], [], []]
  let [lastKpi, hasTarget] = [0, false]
  for (const [at, row] of rows.entries()) {
    const own = values.get(at)
    if (own) {
      actual.push(own.actual)
      target.push(own.target)
      notes.push(own.notes)
      continue
    }
    const id = numberAt(kpi, row)
    if (id !== lastKpi) {
      lastKpi = id
      const facts = kpis.get(id)
      hasTarget = kept.setTarget !== false && (facts === undefined || hasAnyTarget(facts))
    }
    const flags = numberAt(block.flags, row)
    actual.push(numberAt(block.actual, row))
    target.push(hasTarget && flags & TARGET.given ? decimalAt(block, 'target', row) : null)
    notes.push(flags & NOTES.given && kept.setNotes !== false ? (block.notes[row] ?? null) : null)
  }
  return { actual, target, notes }
}

const write = async (
  tx: Writer,
  ctx: Context,
  placed: Placed,
  { added, changed }: Outcome,
  kept: KeptValues,
): Promise<number> => {
  const { account, now } = ctx
  const { rows } = added
  const first = rows.length > 0 ? await takeIds(tx, account.id, 'entries', rows.length) : 0
  const revision = await keepBatch(tx, ctx, { firstId: first, created: rows.length, changed })
  if (rows.length > 0) {
    const items = rows.map((row) => numberAt(placed.item, row))
    const sets = await itemSetsOf(tx, account.id, new Set(items))
    await store.insert(tx, account.id, {
      count: rows.length,
      item_id: items,
      kpi_id: rows.map((row) => numberAt(placed.kpi, row)),
      entry_date: rows.map((row) => numberAt(placed.day, row)),
      id: idsOf(added, first),
      ...newEntries(placed, added, kept),
      at: now,
      revision,
      item_set: sets.size === 0 ? undefined : items.map((item) => sets.get(item) ?? null),
    })
  }
  const updated = changed.map((one) => ({ ...one, revision }))
  await store.update(tx, account.id, updated)
  return first
}

/** Describes entries to add or update. */
type Upsert = {
  /** Lists the fields that may name the owner of an entry. */
  readonly names: readonly EntryName[]
  readonly sent: SentEntries
  /** Holds the faults besides those of entries, and which values all rows keep, if they are a batch. */
  readonly batch?: { readonly issues: readonly Issue[]; readonly kept: KeptValues }
}

const NOTHING_KEPT: KeptValues = {}

/**
 * Adds or updates entries by their keys, all or nothing. Each row applies to the result of the rows before it. Throws
 * all faults of all rows at once; those of a batch have the index of the row, and come with the batch's own faults.
 */
export const upsertEntries = async (tx: Writer, ctx: Context, { names, sent, batch }: Upsert): Promise<Upserted> => {
  const issues: Issue[] = [...(batch?.issues ?? [])]
  const kept = batch?.kept ?? NOTHING_KEPT
  const report: ReportFaults = (index, faults) => {
    for (const fault of faults) issues.push(batch ? { index, ...fault } : fault)
  }
  const references = await loadReferences(tx, ctx.account.id, names, sent)
  const found = await findItems(references, sent, report)
  const placed: Placed = { ...found, order: orderOf(found) }
  const stored = (await store.ofSeries(tx, ctx.account.id, rangesOf(placed))).sort(storedRow.compare)
  const outcome = await applyRows(placed, stored, { kept, now: ctx.now, report })
  refuseFaults(issues.sort((left, right) => (left.index ?? -1) - (right.index ?? -1)))
  const { counts, met, firstId } = outcome
  const earlier = await countEarlier(tx, ctx, batch ? met : new Map())
  const first = await write(tx, ctx, placed, outcome, kept)
  return {
    created: counts.created + earlier.created,
    updated: counts.updated + earlier.updated,
    unchanged: counts.unchanged - earlier.created - earlier.updated,
    firstId: firstId || first,
  }
}
