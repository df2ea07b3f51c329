import { nextTurn } from '../../client/next-turn.ts'
import type { Day } from '../../domain/day.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { ownerOf } from '../../domain/entry-key.ts'

/** Describes a range of days, and how many drafts lie in it. */
export type DayRangeExtent = { from: Day; to: Day; count: number }

/** Describes consecutive drafts of one owner and KPI. */
type DraftSeries = DayRangeExtent & { readonly owner: number; readonly kpi: number }

/** Describes which keys drafts have; its memory is bounded by the number of owners, KPIs and days. */
export type KeyRanges = {
  readonly owners: Map<number, DayRangeExtent>
  readonly kpis: Map<number, DayRangeExtent>
  /** Counts the drafts of each day. */
  readonly days: Map<Day, number>
  series: number
  count: number
}

/** Yields drafts in the order of their keys, many at a time or none, each time that it is called. */
export type DraftChunks = () => Iterable<readonly EntryDraft[]> | AsyncIterable<readonly EntryDraft[]>

/** Describes drafts, and the ranges of their keys. */
export type WantedDrafts = {
  readonly drafts: DraftChunks
  readonly ranges: KeyRanges
  /** Ends long work on the drafts where it asks to. */
  readonly signal: AbortSignal | undefined
}

const emptyKeyRanges = (): KeyRanges => ({
  owners: new Map(),
  kpis: new Map(),
  days: new Map(),
  series: 0,
  count: 0,
})

const stretch = (extents: Map<number, DayRangeExtent>, id: number, { from, to, count }: DayRangeExtent): void => {
  const known = extents.get(id)
  if (!known) extents.set(id, { from, to, count })
  else {
    known.from = Math.min(known.from, from)
    known.to = Math.max(known.to, to)
    known.count += count
  }
}

/** Yields the series of drafts by owner and KPI, in turns; `onDay` receives the day of each draft. */
export async function* seriesOf(
  { drafts, signal }: Pick<WantedDrafts, 'drafts' | 'signal'>,
  onDay?: (day: Day) => void,
): AsyncGenerator<DraftSeries> {
  let last: DraftSeries | undefined
  for await (const chunk of drafts()) {
    await nextTurn(signal)
    for (const draft of chunk) {
      const { kpi_id: kpi, entry_date: day } = draft
      const owner = ownerOf(draft)
      onDay?.(day)
      if (last?.owner === owner && last.kpi === kpi) {
        last.to = day
        last.count += 1
        continue
      }
      if (last) yield last
      last = { owner, kpi, from: day, to: day, count: 1 }
    }
  }
  if (last) yield last
}

/** Reads drafts once to find the ranges of their keys. */
export const wantedDrafts = async (drafts: DraftChunks, signal?: AbortSignal): Promise<WantedDrafts> => {
  const ranges = emptyKeyRanges()
  const { owners, kpis, days } = ranges
  const onDay = (day: Day): void => {
    days.set(day, (days.get(day) ?? 0) + 1)
  }
  for await (const series of seriesOf({ drafts, signal }, onDay)) {
    ranges.series += 1
    ranges.count += series.count
    stretch(owners, series.owner, series)
    stretch(kpis, series.kpi, series)
  }
  return { drafts, ranges, signal }
}

/**
 * Returns ranges of days with drafts. Gaps are left out if reading them would return more than `rows` entries: each day
 * is assumed to hold as many entries as drafts.
 */
export const dayRangesOf = ({ days, count }: KeyRanges, rows: number): DayRangeExtent[] => {
  const list: DayRangeExtent[] = []
  const aDay = count / Math.max(1, days.size)
  for (const [day, drafts] of [...days].toSorted(([left], [right]) => left - right)) {
    const last = list.at(-1)
    if (last && (day - last.to - 1) * aDay <= rows) {
      last.to = day
      last.count += drafts
    } else list.push({ from: day, to: day, count: drafts })
  }
  return list
}
