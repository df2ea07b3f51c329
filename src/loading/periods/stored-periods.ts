import type { Client } from '../../client/client.ts'
import type { Day } from '../../domain/day.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import { addToList } from '../existing/entry-list.ts'
import { readOnce, readPages } from '../existing/existing-entries.ts'
import { type WantedDrafts, wantedDrafts } from '../existing/key-ranges.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import { isProvisionalDraft } from '../../reading/directory/lookup.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import type { Period, PeriodKpi } from '../../reading/directory/kpi-periods.ts'

/** Describes a row of a KPI with long periods: its draft, its place in the file, and its period. */
export type PeriodRow = {
  readonly draft: EntryDraft
  readonly place: number
  readonly kpi: PeriodKpi
  readonly period: Period
}

/** Sets how many drafts are read in one turn. */
const CHUNK_DRAFTS = 1000

/** Yields many drafts at a time. */
async function* inChunks(drafts: AsyncIterable<EntryDraft>): AsyncGenerator<readonly EntryDraft[]> {
  let chunk: EntryDraft[] = []
  for await (const draft of drafts) {
    if (chunk.length === CHUNK_DRAFTS) {
      yield chunk
      chunk = []
    }
    chunk.push(draft)
  }
  yield chunk
}

/** Yields drafts on the first day of each period with rows, and on the last day of the last one of a series. */
async function* boundsOf(
  rows: AsyncIterable<PeriodRow>,
  onPeriod: (period: Period) => void,
): AsyncGenerator<EntryDraft> {
  let last: PeriodRow | undefined
  const endOf = ({ draft, period }: PeriodRow): EntryDraft => ({ ...draft, entry_date: period.end })
  for await (const row of rows) {
    if (isProvisionalDraft(row.draft)) continue
    const isSame = last && ownerOf(last.draft) === ownerOf(row.draft) && last.kpi.id === row.kpi.id
    if (isSame && last?.period.start === row.period.start) continue
    if (last && !isSame) yield endOf(last)
    onPeriod(row.period)
    yield { ...row.draft, entry_date: row.period.start }
    last = row
  }
  if (last) yield endOf(last)
}

/** Returns what to read: all days of all periods with rows, for the owners and KPIs of the rows. */
const wantedPeriods = async (rows: () => AsyncIterable<PeriodRow>): Promise<WantedDrafts> => {
  const ends = new Map<Day, Day>()
  const note = ({ start, end }: Period): void => {
    ends.set(start, Math.max(end, ends.get(start) ?? end))
  }
  const { ranges, signal } = await wantedDrafts(() => inChunks(boundsOf(rows(), note)))
  for (const [start, end] of ends) {
    for (let day = start; day <= end; day += 1) if (!ranges.days.has(day)) ranges.days.set(day, 0)
  }
  return { drafts: () => inChunks(boundsOf(rows(), () => undefined)), ranges, signal }
}

/**
 * Reads the stored entries of all periods with rows into a sorter, in few requests. Returns false if the key may not
 * read entries; `unchecked` says so then.
 */
export const readStoredPeriods = async (
  client: Client,
  reference: Pick<Reference, 'unchecked'>,
  rows: () => AsyncIterable<PeriodRow>,
  stored: Sorter,
): Promise<boolean> => {
  const read = async (): Promise<true> => {
    await readPages(client, await wantedPeriods(rows), (entry, owner) =>
      addToList(stored, [owner, entry.kpi_id, entry.entry_date], { ...entry, isTargetOpen: false }, entry.id),
    )
    return true
  }
  return (await readOnce(client, reference, read)) === true
}
