import { percentOf, progressOf, stateOf } from '../../../domain/analysis/state.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { formatByPattern, type NumberSigns, readNumberPattern } from '../../../domain/number-pattern.ts'
import { type Calendar, periodBefore, periodName } from '../../../domain/period.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import { printable, type Stored } from '../../../domain/schema.ts'
import { changeText, progressText, signed, STATE_SIGNS } from './progress-text.ts'

const BARS = '▁▂▃▄▅▆▇█'

/** Returns a line of bars, low for the least value and high for the greatest, with gaps for missing values. */
export const sparkline = (values: readonly (number | null)[]): string => {
  const known = values.filter((value) => value !== null)
  const least = Math.min(...known)
  const spread = Math.max(...known) - least
  return values
    .map((value) => {
      if (value === null) return ' '
      return BARS[spread === 0 ? 3 : Math.round(((value - least) / spread) * (BARS.length - 1))] ?? ' '
    })
    .join('')
    .trimEnd()
}

/** Defines a row of the overview: the latest value of a KPI and item, and its course. */
export const overview = printable('overview_row', 'row of the overview', {
  state: {
    kind: 'text',
    about: 'How the value stands: ✓ met, ~ near (missed by at most 10 % of the target), ✗ missed',
  },
  kpi: { kind: 'text', about: 'Name of the KPI' },
  item: { kind: 'text', about: 'Name of the user or group item' },
  period: { kind: 'text', about: 'Latest period with a value' },
  actual: { kind: 'text', about: 'Latest value', nullable: true },
  target: { kind: 'text', about: 'Its target', nullable: true },
  progress: { kind: 'text', about: 'How much of the target is reached, by the direction of the KPI', nullable: true },
  change: { kind: 'text', about: 'Change on the period just before', nullable: true },
  percent: { kind: 'text', about: 'The same in percent of the value before', nullable: true },
  trend: { kind: 'text', about: 'The values of the range' },
})

export type OverviewRow = Stored<typeof overview>

const TREND_BARS = 24

/** Returns as many values as there are bars, spread evenly, always with the last one. */
const sample = (values: readonly (number | null)[]): (number | null)[] => {
  if (values.length <= TREND_BARS) return [...values]
  const step = (values.length - 1) / (TREND_BARS - 1)
  return Array.from({ length: TREND_BARS }, (_, bar) => values[Math.round(bar * step)] ?? null)
}

/** Returns the change to a value from that of the period before; nothing if that has none. */
const changeOf = (
  actual: Decimal | null,
  before: Decimal | null | undefined,
  shown: (value: Decimal) => string,
): Pick<OverviewRow, 'change' | 'percent'> => {
  if (actual === null || before === null || before === undefined) return { change: null, percent: null }
  const change = actual - before
  const percent = changeText(percentOf(change, before < 0n ? -before : before))
  return { change: signed(shown(change), change > 0n), percent }
}

/** Returns the overview of one KPI and item from its rows in the range, and those before, in the order of days. */
const overviewOf = (
  rows: readonly ReportRow[],
  before: readonly ReportRow[],
  calendar: Calendar,
  signs: NumberSigns | undefined,
): OverviewRow[] => {
  const latest = rows.findLast(({ actual }) => actual !== null) ?? rows.at(-1)
  if (!latest) return []
  const pattern = readNumberPattern(latest.labelFormat)
  const shown = (value: Decimal): string => formatByPattern(value, pattern, signs)
  const { periodId, entryDate, actual, target } = latest
  const state = stateOf(latest)
  const start = periodBefore(periodId, entryDate)
  const previous = [...rows, ...before].find((row) => row.entryDate === start && row.periodId === periodId)
  const values = rows.map((row) => (row.actual === null ? null : Number(row.actual)))
  return [
    {
      state: STATE_SIGNS[state],
      kpi: latest.kpiName,
      item: latest.itemName,
      period: periodName(periodId, entryDate, calendar),
      actual: actual === null ? null : shown(actual),
      target: target === null ? null : shown(target),
      progress: progressText(progressOf(latest), state === 'met'),
      ...changeOf(actual, previous?.actual, shown),
      trend: sparkline(sample(values)),
    },
  ]
}

const seriesKey = ({ kpiId, itemId }: ReportRow): string => `${kpiId} ${itemId}`
const byDay = (one: ReportRow, other: ReportRow): number => one.entryDate - other.entryDate

/**
 * Returns the overview of a report: a row for each KPI and item, in the order in which KPIs come. `before` holds
 * rows of earlier periods, to tell the change.
 */
export const overviewRows = (
  rows: readonly ReportRow[],
  before: readonly ReportRow[],
  calendar: Calendar,
  signs?: NumberSigns,
): OverviewRow[] => {
  const earlier = Map.groupBy(before, seriesKey)
  return [...Map.groupBy(rows, ({ kpiId }) => kpiId).values()].flatMap((ofKpi) =>
    [...Map.groupBy(ofKpi, seriesKey).entries()]
      .toSorted(([, [left]], [, [right]]) => (left?.itemId ?? 0) - (right?.itemId ?? 0))
      .flatMap(([key, ofItem]) => overviewOf(ofItem.toSorted(byDay), earlier.get(key) ?? [], calendar, signs)),
  )
}
