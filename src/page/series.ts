import {
  type PackedSeries,
  type PageData,
  type PageKpi,
  type PageValue,
  valuesOf,
} from '../domain/analysis/page-data.ts'
import { progressOf, percentOf, type State, stateOf } from '../domain/analysis/state.ts'
import type { Day } from '../domain/day.ts'
import type { Decimal } from '../domain/decimal.ts'
import { formatByPattern, type NumberPattern, readNumberPattern } from '../domain/number-pattern.ts'
import { SIGNS } from './number-signs.ts'
import { type DayRange, nextPeriod } from '../domain/period.ts'

/** Holds the values of a KPI and item, and how they are written. */
export type Series = {
  readonly kpi: PageKpi
  readonly item: string
  readonly kpiAt: number
  readonly itemAt: number
  /** Holds what a search looks into. */
  readonly words: string
  readonly format: (value: Decimal) => string
  readonly values: readonly PageValue[]
  /** Holds the last day of the report: the period in which it lies may not be over. */
  readonly until: Day
}

/** Says how a KPI and item stand: the latest value of a range, against its target and the value before it. */
export type Headline = {
  readonly state: State
  readonly latest: PageValue | undefined
  readonly progress: Decimal | null
  readonly before: PageValue | undefined
}

const byPattern = (pattern: NumberPattern) => (value: Decimal) => formatByPattern(value, pattern, SIGNS)

const PERCENT = readNumberPattern('#,##0.0%')

/** Returns a percentage with one decimal. */
export const percentText = (value: Decimal): string => formatByPattern(value, PERCENT, SIGNS)

/** Returns a text as searches compare it. */
export const searchable = (text: string): string => text.toLocaleLowerCase('en').normalize('NFKC')

const seriesOf = (data: PageData, packed: PackedSeries, formats: readonly Series['format'][]): Series[] => {
  const kpi = data.kpis[packed.kpi]
  const item = data.items[packed.item]
  const format = formats[packed.kpi]
  if (kpi === undefined || item === undefined || format === undefined) return []
  const words = searchable(`${kpi.name} ${item}`)
  return [
    {
      kpi,
      item,
      kpiAt: packed.kpi,
      itemAt: packed.item,
      words,
      format,
      values: valuesOf(packed),
      until: data.range.to,
    },
  ]
}

/** Reads the series of a page, KPI by KPI, and the items of each by name. */
export const readSeries = (data: PageData): Series[] => {
  const formats = data.kpis.map(({ labelFormat }) => byPattern(readNumberPattern(labelFormat)))
  const names = new Intl.Collator('en', { numeric: true })
  const all = data.series.flatMap((packed) => seriesOf(data, packed, formats))
  const byKpi = Map.groupBy(all, ({ kpiAt }) => kpiAt).values()
  return [...byKpi].flatMap((ofKpi) => ofKpi.sort((left, right) => names.compare(left.item, right.item)))
}

/** Returns the values of the periods that overlap a range. */
export const valuesWithin = ({ kpi, values }: Series, { from, to }: DayRange): readonly PageValue[] => {
  const isWithin = ({ day }: PageValue): boolean => day <= to && nextPeriod(kpi.periodId, day) > from
  const [first, last] = [values[0], values.at(-1)]
  if (first && last && isWithin(first) && isWithin(last)) return values
  return values.filter(isWithin)
}

const hasActual = ({ actual }: PageValue): boolean => actual !== null

/** Returns how a series stands at the end of a range. */
export const headlineOf = (series: Series, range: DayRange): Headline => {
  const latest = valuesWithin(series, range).findLast(hasActual)
  if (!latest) return { state: 'no target', latest, progress: null, before: undefined }
  const measured = { ...latest, direction: series.kpi.direction }
  const before = series.values.findLast((value) => value.day < latest.day && hasActual(value))
  return { state: stateOf(measured), latest, progress: progressOf(measured), before }
}

/** Returns the change from one value to the next, with its sign, and in percent where that can be said. */
export const changeText = (format: Series['format'], now: Decimal, before: Decimal): string => {
  const change = now - before
  const signed = `${change > 0n ? '+' : ''}${format(change)}`
  const percent = percentOf(change, before < 0n ? -before : before)
  return percent === null ? signed : `${signed} (${change > 0n ? '+' : ''}${percentText(percent)})`
}
