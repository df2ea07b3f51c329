import type { Decimal } from '../../domain/decimal.ts'
import { type Day, FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { type BlockRow } from '../../blocks/block.ts'
import { ACTUAL, TARGET } from '../../domain/entry-block.ts'

/** Describes what the rows of a new KPI have shown. */
export type ShownByRows = {
  /** Lists the different days, in order. */
  readonly days: readonly Day[]
  readonly isWhole: boolean
  /** Holds the last target that a row gives; null if none does. */
  readonly target: Decimal | null
}

/** Collects what the rows of new KPIs show, in constant memory for each. */
export type KpiEvidence = {
  readonly note: (row: Pick<BlockRow, 'kpi' | 'day' | 'flags' | 'actual' | 'target'>) => void
  readonly of: (kpi: number) => ShownByRows
  readonly clear: () => void
}

const DAYS = LAST_ENTRY_DAY - FIRST_ENTRY_DAY + 1
const ONE = 10_000n

type Noted = { readonly days: Uint8Array; lastDay: Day; isWhole: boolean; target: Decimal | null }

/** Returns the days that are marked. */
const daysIn = (marks: Uint8Array): Day[] => {
  const days: Day[] = []
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) days.push(at + FIRST_ENTRY_DAY)
  return days
}

/** Creates a collection of evidence. */
export const createKpiEvidence = (): KpiEvidence => {
  const noted = new Map<number, Noted>()
  let [last, ofLast] = [0, undefined as Noted | undefined]
  const find = (kpi: number): Noted => {
    if (kpi === last && ofLast) return ofLast
    let found = noted.get(kpi)
    if (!found)
      noted.set(kpi, (found = { days: new Uint8Array(DAYS), lastDay: -Infinity, isWhole: true, target: null }))
    ;[last, ofLast] = [kpi, found]
    return found
  }
  return {
    note: ({ kpi, day, flags, actual, target }) => {
      const found = find(kpi)
      if (day !== found.lastDay) {
        found.days[day - FIRST_ENTRY_DAY] = 1
        found.lastDay = day
      }
      if (found.isWhole && flags & ACTUAL.given && actual % ONE !== 0n) found.isWhole = false
      if (flags & TARGET.given) found.target = target
    },
    of: (kpi) => {
      const { days, isWhole, target } = find(kpi)
      return { days: daysIn(days), isWhole, target }
    },
    clear: () => {
      noted.clear()
      ofLast = undefined
    },
  }
}
