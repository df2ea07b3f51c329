import { parseDay } from '../../src/domain/day.ts'
import { nextPeriod } from '../../src/domain/period.ts'
import type { ReportRow } from '../../src/domain/resources/report-row.ts'

const FIRST_DAY = parseDay('2026-01-01') ?? 0

/** A row of a report, with what is not named as usual. */
export const pageRow = (row: Partial<ReportRow> = {}): ReportRow => ({
  kpiId: 1,
  kpiName: 'Revenue',
  kpiDescription: null,
  itemId: 1,
  itemName: 'Ann Lee',
  periodId: 'M',
  period: 'Monthly',
  labelFormat: '£ #,##0.00',
  isPercentage: 0,
  hasTarget: 1,
  direction: 'U',
  directionName: 'Up',
  entryDate: FIRST_DAY,
  actual: 10_000_000n,
  target: 9_000_000n,
  notes: null,
  ...row,
})

/** Rows of the same KPI and item, a period each, with these actual values in ten-thousandths. */
export const pageSeries = (actuals: readonly (bigint | null)[], row: Partial<ReportRow> = {}): ReportRow[] => {
  let entryDate = row.entryDate ?? FIRST_DAY
  return actuals.map((actual) => {
    const made = pageRow({ ...row, entryDate, actual })
    entryDate = nextPeriod(made.periodId, entryDate)
    return made
  })
}
