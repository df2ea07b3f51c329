import { changeBetween, changesToText, type EntryChange } from '../../domain/entry-changes.ts'
import { NOTHING } from '../../domain/rules.ts'
import type { Writer } from '../../store/db.ts'
import { itemIds } from '../../store/tables/breakdowns.ts'
import { ALL_DAYS, entries as store, type StoredEntry } from '../../store/tables/entries.ts'
import { type CreatedRange, isIn, runBatches } from '../../store/tables/runs.ts'
import { growRun } from './keep-batch.ts'

/** Sets how many series are read at a time: other requests run in between. */
const AT_A_TIME = 50

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

/**
 * Keeps what entries hold that go with a KPI and that runs created: where an undo stores them again, under other ids, the run
 * can still be taken back.
 */
export const keepDeleted = async (tx: Writer, account: number, kpi: number): Promise<void> => {
  const ranges = await runBatches.created(tx, account)
  if (ranges.length === 0) return
  const kept = new Map<CreatedRange, string[]>()
  const items = await itemIds(tx, account)
  for (let at = 0; at < items.length; at += AT_A_TIME) {
    const series = items.slice(at, at + AT_A_TIME).map((item) => ({ item, kpi, ...ALL_DAYS }))
    const gone = (await store.within(tx, account, series)).map((entry) => ({ entry, range: rangeOf(ranges, entry.id) }))
    for (const [range, some] of Map.groupBy(gone, (one) => one.range)) {
      if (!range) continue
      const text = changesToText(some.map(({ entry }) => changeOf(entry, range.revision)))
      kept.set(range, [...(kept.get(range) ?? []), text])
    }
  }
  for (const [range, texts] of kept) {
    const text = texts.join('')
    const name = { account, run: range.run }
    if (await growRun(tx, name, Buffer.byteLength(text))) await runBatches.append(tx, name, range.revision, text)
  }
}
