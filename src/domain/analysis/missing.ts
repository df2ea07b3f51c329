import { hasAnyTarget } from '../targets/dated-targets.ts'
import type { Day } from '../day.ts'
import type { Decimal } from '../decimal.ts'
import { nextPeriod, periodStart } from '../period.ts'
import { directionNames } from '../report.ts'
import { frequencyNames, type Unit } from '../resources/catalog.ts'
import type { Kpi } from '../resources/kpi.ts'
import type { ReportRow } from '../resources/report-row.ts'
import { inReportOrder } from './aggregate.ts'
import { type AnswerRow, toAnswerRow } from './answer-row.ts'
import type { Facts } from './question.ts'

/** Describes who has to report a KPI, and the target of theirs in the period that begins on a day. */
export type Expected = {
  readonly kpi: Kpi
  readonly unit: Unit | undefined
  readonly user: { readonly id: number; readonly name: string; readonly email: string }
  readonly targetIn: (start: Day) => Decimal | null
}

const keyOf = (kpiId: number | null, itemId: number | null, start: Day | null): string => `${kpiId} ${itemId} ${start}`

/** Yields the periods of a KPI that begin in the range and have ended by the end of today: of others the values may still come. */
function* periodsOf({ frequency_id: frequency }: Kpi, { range, calendar, today }: Facts): Generator<Day> {
  let start = periodStart(frequency, range.from, calendar)
  for (let next; start <= range.to; start = next) {
    next = nextPeriod(frequency, start)
    if (next > today + 1) return
    if (start >= range.from) yield start
  }
}

const rowOf = ({ kpi, unit, user, targetIn }: Expected, start: Day): AnswerRow =>
  toAnswerRow({
    kpiId: kpi.id,
    kpiName: kpi.name,
    kpiDescription: kpi.description,
    itemId: user.id,
    itemName: user.name,
    periodId: kpi.frequency_id,
    period: frequencyNames[kpi.frequency_id],
    labelFormat: unit?.display_format ?? '',
    isPercentage: unit?.is_percentage ? 1 : 0,
    hasTarget: hasAnyTarget(kpi) ? 1 : 0,
    direction: kpi.value_direction,
    directionName: directionNames[kpi.value_direction],
    entryDate: start,
    actual: null,
    target: targetIn(start),
    notes: null,
  })

/**
 * Returns a row for each period of the range in which somebody has to report a value and has not, in the report's order.
 * A row that has no value is missing as it is, with its own target. A period that begins on another day than expected,
 * as a service may begin its weeks, is the one that its first day lies in.
 */
export const missingRows = (rows: readonly ReportRow[], expected: readonly Expected[], facts: Facts): AnswerRow[] => {
  const startOf = ({ periodId, entryDate }: ReportRow): Day => periodStart(periodId, entryDate, facts.calendar)
  const known = new Map(rows.map((row) => [keyOf(row.kpiId, row.itemId, startOf(row)), row]))
  const missing = expected.flatMap((one) =>
    [...periodsOf(one.kpi, facts)].flatMap((start) => {
      const row = known.get(keyOf(one.kpi.id, one.user.id, start))
      if (row && row.actual !== null) return []
      return [row ? toAnswerRow(row) : rowOf(one, start)]
    }),
  )
  return missing.toSorted(inReportOrder(facts))
}
