import { type Decimal, divideRounded, formatDecimal } from '../../../domain/decimal.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'

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
export const overview = resource({
  name: 'overview_row',
  plural: 'overview_rows',
  title: 'row of the overview',
  path: '',
  verbs: [],
  fields: {
    kpi: { kind: 'text', about: 'Name of the KPI' },
    item: { kind: 'text', about: 'Name of the user or group item' },
    date: { kind: 'date', about: 'First day of the latest period with a value' },
    actual: { kind: 'decimal', about: 'Latest value', nullable: true },
    target: { kind: 'decimal', about: 'Its target', nullable: true },
    progress: { kind: 'text', about: 'How much of the target is reached, by the direction of the KPI', nullable: true },
    change: { kind: 'text', about: 'Change on the period before', nullable: true },
    trend: { kind: 'text', about: 'The values of the range', nullable: true },
  },
})

const TREND_BARS = 24

/** Returns a share in percent, as text. */
const percent = (part: Decimal, whole: Decimal): string | null =>
  whole === 0n ? null : `${divideRounded(part * 100n, whole)} %`

/** Returns how far a value has come: towards its target upwards, or below it downwards. */
const progressOf = ({ actual, target, direction }: ReportRow): string | null => {
  if (actual === null || target === null || direction === 'N') return null
  return direction === 'U' ? percent(actual, target) : percent(target, actual)
}

const changeOf = (actual: Decimal | null, before: Decimal | null | undefined): string | null => {
  if (actual === null || before === null || before === undefined) return null
  const change = actual - before
  return change > 0n ? `+${formatDecimal(change)}` : formatDecimal(change)
}

/** Returns as many values as there are bars, spread evenly, always with the last one. */
const sample = (values: readonly (number | null)[]): (number | null)[] => {
  if (values.length <= TREND_BARS) return [...values]
  const step = (values.length - 1) / (TREND_BARS - 1)
  return Array.from({ length: TREND_BARS }, (_, bar) => values[Math.round(bar * step)] ?? null)
}

/** Returns the overview of one KPI and item from at least one value. */
const overviewOf = (rows: readonly ReportRow[]): AnyRecord => {
  const at = rows.findLastIndex(({ actual }) => actual !== null)
  const latest = rows[Math.max(at, 0)]
  if (!latest) return {}
  const values = rows.map(({ actual }) => (actual === null ? null : Number(actual)))
  return {
    kpi: latest.kpiName,
    item: latest.itemName,
    date: latest.entryDate,
    actual: latest.actual,
    target: latest.target,
    progress: progressOf(latest),
    change: changeOf(latest.actual, rows[at - 1]?.actual),
    trend: sparkline(sample(values)),
  }
}

/** Returns the overview of a report: a row for each KPI and item, in the order in which KPIs first come. */
export const overviewRows = (rows: readonly ReportRow[]): AnyRecord[] =>
  [...Map.groupBy(rows, ({ kpiId }) => kpiId).values()].flatMap((ofKpi) =>
    [...Map.groupBy(ofKpi, ({ itemId }) => itemId).values()]
      .toSorted(([left], [right]) => (left?.itemId ?? 0) - (right?.itemId ?? 0))
      .map((ofItem) => overviewOf(ofItem.toSorted((left, right) => left.entryDate - right.entryDate))),
  )
