import type { Day } from '../day.ts'
import { type Decimal, fits } from '../decimal.ts'
import { type Frequency, periodStart } from '../period.ts'
import { type Calculation, hasTarget, type KpiToCalculate, type Plan } from './calculation.ts'
import { type Absence, evaluate, type Outcome, valueOf } from './formula.ts'
import {
  addToSum,
  averageOf,
  emptySum,
  type Fraction,
  fractionOf,
  roundFraction,
  type Sum,
  totalOf,
} from './fraction.ts'

/** Describes the exact result of a KPI in a period. */
export type Result = { readonly actual: Outcome; readonly target: Fraction | undefined }

/** Counts effort; returns a promise when other requests should run. */
export type EffortPause = (effort: number) => Promise<void> | undefined

/** Maps the first day of each period of a KPI to its result. */
export type Series = ReadonlyMap<Day, Result>

/** Describes the entries of a KPI on one day, added up. */
type Cell = { actuals: number; actual: Decimal; targets: number; target: Decimal }

/** Maps KPIs, and then days, to their entries. */
export type Cells = Map<number, Map<Day, Cell>>

/** Describes an entry as input of a calculation; its target is the effective one. */
export type Input = {
  readonly kpiId: number
  readonly day: Day
  readonly actual: Decimal | null
  readonly target: Decimal | null
}

/** Sets the size from which denominators take much longer to calculate with. */
const LONG_DENOMINATOR = 1n << 512n

/** Returns the effort of an operation, by its result. */
export const effortOf = (value: Fraction | undefined): number => (value && value.under > LONG_DENOMINATOR ? 20 : 1)

const cellAt = <K>(cells: Map<K, Cell>, key: K): Cell => {
  const known = cells.get(key)
  if (known) return known
  const cell: Cell = { actuals: 0, actual: 0n, targets: 0, target: 0n }
  cells.set(key, cell)
  return cell
}

export const addInput = (cells: Cells, { kpiId, day, actual, target }: Input): void => {
  const ofKpi = cells.get(kpiId) ?? new Map<Day, Cell>()
  cells.set(kpiId, ofKpi)
  const cell = cellAt(ofKpi, day)
  if (actual !== null) {
    cell.actuals += 1
    cell.actual += actual
  }
  if (target !== null) {
    cell.targets += 1
    cell.target += target
  }
}

const aggregate = (kpi: KpiToCalculate, sum: Decimal, count: number): Fraction | undefined =>
  count === 0 ? undefined : fractionOf(sum, kpi.aggregate_function === 'SUM' ? 1 : count)

/** Returns the results of a KPI that is not calculated: its entries, aggregated by its own function. */
const enteredSeries = async (
  kpi: KpiToCalculate,
  days: Iterable<[Day, Cell]>,
  startOf: (day: Day) => Day,
  pause: EffortPause,
): Promise<Series> => {
  const periods = new Map<Day, Cell>()
  for (const [day, one] of days) {
    const turn = pause(1)
    if (turn) await turn
    const cell = cellAt(periods, startOf(day))
    cell.actuals += one.actuals
    cell.actual += one.actual
    cell.targets += one.targets
    cell.target += one.target
  }
  const series = new Map<Day, Result>()
  for (const [start, { actuals, actual, targets, target }] of periods) {
    series.set(start, {
      actual: aggregate(kpi, actual, actuals) ?? 'missing',
      target: aggregate(kpi, target, targets),
    })
  }
  return series
}

/** Describes the results to aggregate, by period. */
export type ResultsByPeriod = Map<Day, { readonly actual: Sum; readonly target: Sum }>

/** Adds a result to those of its period; await the promise, if one is returned. */
export const addResult = (
  results: ResultsByPeriod,
  start: Day,
  { actual, target }: Result,
  pause: EffortPause,
): ReturnType<EffortPause> => {
  const value = valueOf(actual)
  if (value === undefined) return undefined
  const sums = results.get(start) ?? { actual: emptySum(), target: emptySum() }
  results.set(start, sums)
  addToSum(sums.actual, value)
  if (target) addToSum(sums.target, target)
  return pause(effortOf(value))
}

const aggregateSum = (kpi: KpiToCalculate, sum: Sum): Fraction | undefined => {
  if (sum.count === 0) return undefined
  return kpi.aggregate_function === 'SUM' ? totalOf(sum) : averageOf(sum)
}

/** Returns the results of each period, aggregated by the function of a KPI. */
const aggregateResults = async (kpi: KpiToCalculate, results: ResultsByPeriod, pause: EffortPause): Promise<Series> => {
  const series = new Map<Day, Result>()
  for (const [start, { actual, target }] of results) {
    const turn = pause(actual.parts.length * effortOf(actual.parts.at(-1)))
    if (turn) await turn
    series.set(start, { actual: aggregateSum(kpi, actual) ?? 'missing', target: aggregateSum(kpi, target) })
  }
  return series
}

/**
 * Describes whose results are calculated: those of an item, or of a group item, whose members' results are added up.
 */
type Scope = {
  readonly cells: Cells
  /** Returns the effective target of a KPI in the period that begins on a day. */
  readonly targetOf: (kpi: KpiToCalculate, start: Day) => Decimal | null
  readonly members?: ReadonlyMap<number, ResultsByPeriod>
  readonly pause: EffortPause
}

/** Returns the results of a KPI by the periods of a frequency, its own or a coarser one. */
export type SeriesOf = (kpi: KpiToCalculate, frequency: Frequency) => Promise<Series>

const NOTHING: Result = { actual: 'missing', target: undefined }

const startsOf = (inputs: Iterable<Series>): Set<Day> => {
  const starts = new Set<Day>()
  for (const series of inputs) {
    for (const [start, { actual }] of series) if (valueOf(actual) !== undefined) starts.add(start)
  }
  return starts
}

export const seriesIn = ({ catalogue, calendar }: Plan, { cells, targetOf, members, pause }: Scope): SeriesOf => {
  const known = new Map<string, Promise<Series>>()

  const targetOver = (
    kpi: KpiToCalculate,
    { target_from, formula }: Calculation,
    start: Day,
    at: (id: number) => Result,
  ) => {
    const own = targetOf(kpi, start)
    if (own !== null) return fractionOf(own)
    if (target_from !== 'formula' || !hasTarget(catalogue, kpi)) return undefined
    return valueOf(evaluate(formula, (id) => at(id).target))
  }
  /** Returns the results of a formula in every period in which at least one input has a value. */
  const formulaSeries = async (kpi: KpiToCalculate, calculation: Calculation): Promise<Series> => {
    const { kpis, mentions, numbers } = calculation.formula
    const inputs = new Map<number, Series>()
    for (const id of kpis) {
      const input = catalogue.kpis.get(id)
      if (input) inputs.set(id, await seriesOf(input, kpi.frequency_id))
    }
    const series = new Map<Day, Result>()
    for (const start of startsOf(inputs.values())) {
      const at = (id: number): Result => inputs.get(id)?.get(start) ?? NOTHING
      const actual = evaluate(calculation.formula, (id) => valueOf(at(id).actual))
      const has = valueOf(actual) !== undefined
      series.set(start, { actual, target: has ? targetOver(kpi, calculation, start, at) : undefined })
      const turn = pause((mentions.length + numbers) * effortOf(valueOf(actual)))
      if (turn) await turn
    }
    return series
  }
  const ownSeries = (kpi: KpiToCalculate, calculation: Calculation): Promise<Series> =>
    members && calculation.over === 'results'
      ? aggregateResults(kpi, members.get(kpi.id) ?? new Map(), pause)
      : formulaSeries(kpi, calculation)

  const coarserSeries = async (kpi: KpiToCalculate, frequency: Frequency): Promise<Series> => {
    const results: ResultsByPeriod = new Map()
    for (const [start, result] of await seriesOf(kpi, kpi.frequency_id)) {
      const turn = addResult(results, periodStart(frequency, start, calendar), result, pause)
      if (turn) await turn
    }
    return aggregateResults(kpi, results, pause)
  }
  const make: SeriesOf = (kpi, frequency) => {
    const calculation = catalogue.calculations.get(kpi.id)
    if (calculation) return frequency === kpi.frequency_id ? ownSeries(kpi, calculation) : coarserSeries(kpi, frequency)
    return enteredSeries(kpi, cells.get(kpi.id) ?? [], (day) => periodStart(frequency, day, calendar), pause)
  }
  const seriesOf: SeriesOf = (kpi, frequency) => {
    const key = `${frequency}${kpi.id}`
    const series = known.get(key) ?? make(kpi, frequency)
    known.set(key, series)
    return series
  }
  return seriesOf
}

/** Describes what the report shows of a result. */
type Reported = { readonly actual: Decimal; readonly target: Decimal | null }

/**
 * Returns a result, rounded here and only here. A value with more than 14 digits before its point is too large for a
 * decimal: an actual is then reported as absent, a target is dropped.
 */
export const roundResult = ({ actual, target }: Result): Reported | Absence => {
  if (typeof actual === 'string') return actual
  const [rounded, goal] = [roundFraction(actual), target && roundFraction(target)]
  if (rounded === undefined) return 'not exact'
  if (!fits(rounded)) return 'too large'
  return { actual: rounded, target: goal !== undefined && fits(goal) ? goal : null }
}
