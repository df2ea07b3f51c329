import { beyondAt, notesAt } from '../../blocks/block.ts'
import { decimalAt, numberAt } from '../../domain/entry-block.ts'
import type { Calendar } from '../../domain/period.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import { type Period, createPeriodFinder, periodKpi, type PeriodKpi } from '../../reading/directory/kpi-periods.ts'
import { type Day, LAST_ENTRY_DAY, FIRST_ENTRY_DAY } from '../../domain/day.ts'
import type { PeriodDates } from '../../reading/options/options.ts'

/** Names the kinds of `--period-dates` that move dates. */
export type MovedTo = Exclude<PeriodDates, 'as-is'>

/** Returns the day to which a day of a period is moved, within the days that entries may have. */
const movedDay = (day: Day, { start, end }: Period, frequency: PeriodKpi['frequency_id'], to: MovedTo): Day => {
  if (to === 'next') return frequency === 'W' && day !== start ? Math.min(end + 1, LAST_ENTRY_DAY) : day
  return to === 'first' ? Math.max(start, FIRST_ENTRY_DAY) : Math.min(end, LAST_ENTRY_DAY)
}

const MANY_ROWS = 4096

/**
 * Copies sorted rows to another sorter, with the dates of KPIs that are not daily moved within their period, or to the
 * next week; returns how many dates were moved. Rows that then have the same key come in the order of their lines.
 */
export const moveDates = async (
  from: Sorter,
  to: Sorter,
  { kpis, calendar }: { readonly kpis: ReadonlyMap<number, Kpi>; readonly calendar: Calendar },
  where: MovedTo,
  onProgress: () => Promise<void>,
): Promise<number> => {
  const periodOf = createPeriodFinder(calendar)
  let moved = 0
  for (const block of from.blocks(MANY_ROWS)) {
    await onProgress()
    for (let at = 0; at < block.count; at += 1) {
      const [id, day] = [numberAt(block.kpi, at), numberAt(block.day, at)]
      const kpi = periodKpi(kpis.get(id))
      const moving = kpi ? movedDay(day, periodOf(kpi.frequency_id, day), kpi.frequency_id, where) : day
      if (moving !== day) moved += 1
      to.add({
        owner: numberAt(block.owner, at),
        kpi: id,
        day: moving,
        line: numberAt(block.line, at),
        flags: numberAt(block.flags, at),
        actual: decimalAt(block, 'actual', at),
        target: decimalAt(block, 'target', at),
        notes: notesAt(block, at),
        beyond: beyondAt(block, at),
      })
    }
  }
  return moved
}
