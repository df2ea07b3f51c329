import type { Day } from '../../domain/day.ts'
import type { BlockRow } from '../../blocks/block.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import type { Summary } from './summary.ts'
import { hasPeriods } from '../directory/kpi-periods.ts'
import { createSmallValues, type SmallValues } from '../directory/percentages.ts'
import type { Reference } from '../directory/reference.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { givesTarget, isBad, lineOf } from '../../blocks/packed-row.ts'
import type { RowSink } from '../rows/row-reader.ts'

/** Holds what the rows of a file have shown. */
export type SeenRows = {
  /** Holds the reasons for which the last row was rejected. */
  reasons: string[]
  /** Counts rows with a cell that is not in its column's format. */
  misread: number
  /** Counts the entries that can be imported. */
  good: number
  /** Counts by KPI the targets that are not stored, because the KPI keeps none. */
  readonly lostTargets: Map<number, number>
  /** Counts values that were rounded to 0, and holds the line of the first. */
  vanished: { readonly count: number; readonly line: number }
  /** Counts entries dated more than a year after today, and holds the line and the day of the first. */
  distant: DistantEntries
  /** Tells whether some entries belong to KPIs with periods longer than a day. */
  hasPeriods: boolean
  /** Watches values of percentages. */
  readonly small: SmallValues
}

/** Counts entries that are dated so far ahead that the year may be a slip, and says where the first is. */
type DistantEntries = { readonly count: number; readonly line: number; readonly day: Day }

/** Holds where rows go, and the last day whose entries are not counted as distant. */
type Places = {
  readonly sorter: Sorter
  readonly rejects: Rejects
  readonly summary: Summary
  readonly yearAhead: Day
}

const withOneMore = ({ count, line, day }: DistantEntries, row: BlockRow): DistantEntries =>
  count === 0 ? { count: 1, line: lineOf(row.line), day: row.day } : { count: count + 1, line, day }

/**
 * Creates a sink of rows that sorts them, keeps rejects and counts; `isFraction` tells whether numbers of a KPI are
 * fractions.
 */
export const createRowSink = (
  { sorter, rejects, summary, yearAhead }: Places,
  { kpis, created }: Reference,
  isFraction: (kpi: number) => boolean,
): RowSink & SeenRows => {
  let [lastLine, lastMisread, lastKpi] = [0, 0, 0]
  const sink: RowSink & SeenRows = {
    reasons: [],
    misread: 0,
    good: 0,
    lostTargets: new Map(),
    vanished: { count: 0, line: 0 },
    distant: { count: 0, line: 0, day: 0 },
    hasPeriods: false,
    small: createSmallValues(isFraction),
    entry: (row: BlockRow) => {
      if (!isBad(row)) {
        sink.good += 1
        sink.small.note(row)
        created?.use(row)
        if (row.day > yearAhead) sink.distant = withOneMore(sink.distant, row)
      }
      if (row.kpi !== lastKpi) sink.hasPeriods ||= hasPeriods(kpis.byId.get(row.kpi))
      lastKpi = row.kpi
      if (givesTarget(row) && kpis.byId.get(row.kpi)?.target_default === null) {
        sink.lostTargets.set(row.kpi, (sink.lostTargets.get(row.kpi) ?? 0) + 1)
      }
      sorter.add(row)
    },
    reject: (place: number, reasons: readonly string[], isMisread: boolean) => {
      const line = lineOf(place)
      const isSameRow = line === lastLine
      if (!isSameRow) summary.rejected += 1
      lastLine = line
      if (isMisread && line !== lastMisread) {
        sink.misread += 1
        lastMisread = line
      }
      if (!isSameRow) sink.reasons = []
      for (const reason of reasons) {
        sink.reasons.push(reason)
        rejects.add(place, reason)
      }
    },
    rounded: (value, line) => {
      summary.rounded += 1
      if (value === 0n) sink.vanished = { count: sink.vanished.count + 1, line: sink.vanished.line || line }
    },
    empty: () => {
      summary.empty += 1
    },
  }
  return sink
}
