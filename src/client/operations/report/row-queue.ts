import type { Day } from '../../../domain/day.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Reading } from './asking.ts'

/** Holds rows until all rows before them are there. */
type RowQueue = {
  /** Adds rows; `isMixed` tells that other KPIs of the same days come separately. */
  readonly add: (rows: readonly ReportRow[], isMixed: boolean) => void
  /** Takes the rows before a day, in the report's order. */
  readonly take: (before: Day) => AsyncGenerator<readonly ReportRow[]>
}

/** Creates an empty queue. */
export const createRowQueue = ({ kpis }: Pick<Reading, 'kpis'>): RowQueue => {
  let held: readonly ReportRow[] = []
  let mixed = false
  const sorted = async (rows: readonly ReportRow[]): Promise<ReportRow[]> => {
    const rank = new Map((await kpis()).map((id, at) => [id, at]))
    const rankOf = ({ kpiId }: ReportRow): number => rank.get(kpiId) ?? Infinity
    return rows.toSorted((a, b) => a.entryDate - b.entryDate || rankOf(a) - rankOf(b) || a.itemId - b.itemId)
  }
  return {
    add: (rows, isMixed) => {
      held = held.length === 0 ? rows : [...held, ...rows]
      mixed ||= isMixed
    },
    take: async function* (before) {
      const ready = mixed ? await sorted(held.filter(({ entryDate }) => entryDate < before)) : held
      held = ready.length === held.length ? [] : held.filter(({ entryDate }) => entryDate >= before)
      mixed &&= held.length > 0
      if (ready.length > 0) yield ready
    },
  }
}
