import { setImmediate } from 'node:timers/promises'
import { changeBetween, changesToText, type EntryChange } from '../../domain/entry-changes.ts'
import { NOTHING } from '../../domain/rules.ts'
import type { Writer } from '../../store/db.ts'
import { itemIds } from '../../store/tables/breakdowns.ts'
import { entries as store, type SeriesRange, type StoredEntry, storedRow } from '../../store/tables/entries.ts'
import { type CreatedRange, isIn, runBatches } from '../../store/tables/runs.ts'
import { growRun } from './keep-batch.ts'

/** Sets of how many items it is asked at a time when they have entries. */
const ITEMS_AT_A_TIME = 500
/** Sets how many days of series are read at a time, and so how many entries at most: other requests run in between. */
const DAYS_AT_A_TIME = 2000
/** Bounds the characters that wait to be stored. */
const MOST_TEXT = 8 * 1024 * 1024

/** Returns the batch that created the entry of an id; `ranges` come in the order of their ids. */
const rangeOf = (ranges: readonly CreatedRange[], id: number): CreatedRange | undefined => {
  let [from, to] = [0, ranges.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ranges[middle]?.firstId ?? 0) <= id) from = middle + 1
    else to = middle
  }
  const range = ranges[from - 1]
  return range && isIn(range, id) ? range : undefined
}

/** Describes an entry that goes with its KPI, for the batch that created it; one that was written since has a revision. */
const changeOf = (entry: StoredEntry, own: number): EntryChange => {
  const { item_id, kpi_id, entry_date, revision } = entry
  const after = changeBetween(NOTHING, entry)?.after ?? {}
  return { key: [item_id, kpi_id, entry_date], before: undefined, after, ...(revision !== own && { revision }) }
}

/** Splits ranges of days, in each of which there is at most an entry a day, into lists of few days. */
const partsOf = (series: readonly SeriesRange[]): SeriesRange[][] => {
  const parts: SeriesRange[][] = []
  let left = 0
  for (const { item, kpi, from, to } of series) {
    for (let day = from; day <= to;) {
      if (left === 0) {
        parts.push([])
        left = DAYS_AT_A_TIME
      }
      const last = Math.min(to, day + left - 1)
      parts.at(-1)?.push({ item, kpi, from: day, to: last })
      left -= last - day + 1
      day = last + 1
    }
  }
  return parts
}

/** Collects the changes of batches as texts, which are stored once there are many. */
const createKeeper = (tx: Writer, account: number) => {
  const texts = new Map<CreatedRange, string>()
  let size = 0
  const flush = async (): Promise<void> => {
    for (const [range, text] of texts) {
      const name = { account, run: range.run }
      if (await growRun(tx, name, Buffer.byteLength(text))) await runBatches.append(tx, name, range.revision, text)
    }
    texts.clear()
    size = 0
  }
  return {
    flush,
    keep: async (range: CreatedRange, some: readonly StoredEntry[]): Promise<void> => {
      const text = changesToText(some.map((entry) => changeOf(entry, range.revision)))
      texts.set(range, (texts.get(range) ?? '') + text)
      size += text.length
      if (size > MOST_TEXT) await flush()
    },
  }
}

/**
 * Keeps what entries hold that go with a KPI and that runs created: where an undo stores them again, under other ids, the run
 * can still be taken back. Takes the same memory for any number of entries.
 */
export const keepDeleted = async (tx: Writer, account: number, kpi: number): Promise<void> => {
  const ranges = await runBatches.created(tx, account)
  if (ranges.length === 0) return
  const keeper = createKeeper(tx, account)
  const items = await itemIds(tx, account)
  for (let at = 0; at < items.length; at += ITEMS_AT_A_TIME) {
    const series = await store.daysOf(tx, account, kpi, items.slice(at, at + ITEMS_AT_A_TIME))
    for (const part of partsOf(series)) {
      const gone = (await store.ofSeries(tx, account, part)).map((row) => ({
        row,
        range: rangeOf(ranges, storedRow.id(row)),
      }))
      for (const [range, some] of Map.groupBy(gone, (one) => one.range))
        if (range)
          await keeper.keep(
            range,
            some.map(({ row }) => storedRow.entry(row)),
          )
      await setImmediate()
    }
  }
  await keeper.flush()
}
