import { type Calculation, planCalculation } from '../../domain/calculated/calculation.ts'
import type { Absence } from '../../domain/calculated/formula.ts'
import { type Result, roundResult, type SeriesOf } from '../../domain/calculated/series.ts'
import type { Day } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { DayRange } from '../../domain/period.ts'
import type { ReportItem } from '../../domain/report.ts'
import type { CalculationStep } from '../../domain/resources/calculated-kpi.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { formulas } from '../../store/tables/formulas.ts'
import { kpis } from '../../store/tables/kpis.ts'
import { type Context, requireFound } from '../context.ts'
import { requireCalculated } from '../definitions/calculated-kpis.ts'
import { loadCatalogue } from '../definitions/formulas.ts'
import { calculateItems, loadTargets } from './calculate.ts'
import { selectUsers } from './report-selection.ts'

const REASONS: Record<Absence, string> = {
  missing: 'no value in this period',
  'division by zero': 'division by zero',
  'too large': 'more than 14 digits before the decimal point',
  'not exact': 'not known exactly enough to be rounded; its inputs have too many digits',
}

type Values = Pick<CalculationStep, 'actual' | 'target' | 'reason'>

const valuesOf = (result: Result | undefined): Values => {
  const values = roundResult(result ?? { actual: 'missing', target: undefined })
  return typeof values === 'string'
    ? { actual: null, target: null, reason: REASONS[values] }
    : { ...values, reason: null }
}

/** Returns the reason of a missing result: its missing inputs. */
const missingOf = (inputs: readonly CalculationStep[]): string => {
  const missing = inputs.filter(({ actual }) => actual === null).map(({ kpiId }) => `[${kpiId}]`)
  return `no value of ${missing.join(', ')}`
}

/** Describes which steps to show: of a KPI, for periods that begin in some days, and for all or some users. */
type StepsQuery = {
  readonly kpiId: number
  readonly days: DayRange
  readonly userIds?: ReadonlySet<number> | undefined
}

/** Creates the collector of steps: for each period in which an input has a value, the inputs and then the result. */
const createStepCollector = (
  kpi: Kpi,
  inputs: readonly Kpi[],
  { from, to }: DayRange,
  items: ReadonlyMap<number, ReportItem>,
  steps: CalculationStep[],
) => {
  const stepOf = (of: Kpi, item: ReportItem, start: Day, result: Result | undefined): CalculationStep => ({
    entryDate: start,
    itemId: item.id,
    itemName: item.name,
    role: of === kpi ? 'result' : 'input',
    kpiId: of.id,
    kpiName: of.name,
    ...valuesOf(result),
  })
  return async (itemId: number, seriesOf: SeriesOf): Promise<void> => {
    const item = items.get(itemId)
    const series = [...(await seriesOf(kpi, kpi.frequency_id))].toSorted(([left], [right]) => left - right)
    const ofInputs = await Promise.all(
      inputs.map(async (input) => ({ input, series: await seriesOf(input, kpi.frequency_id) })),
    )
    for (const [start, result] of item ? series : []) {
      if (!item || start < from || start > to) continue
      const taken = ofInputs.map((of) => stepOf(of.input, item, start, of.series.get(start)))
      const made = stepOf(kpi, item, start, result)
      steps.push(...taken, result.actual === 'missing' ? { ...made, reason: missingOf(taken) } : made)
    }
  }
}

/** Throws if a formula cannot be calculated: it cannot be parsed, or is cyclic. */
const requireSoundFormula = ({ id, name }: Kpi, how: Calculation | undefined): Calculation => {
  if (how) return how
  const message = `KPI ${id} (${name}) has a formula that cannot be read, or goes in a circle; kpi service check tells what is wrong`
  throw new KpiError('conflict', message)
}

/** Calculates a KPI for users from the stored entries, and returns the steps by item and period. */
export const calculationSteps = ({ db, account }: Context, query: StepsQuery): Promise<CalculationStep[]> =>
  db.readLong(async (tx) => {
    const catalogue = await loadCatalogue(tx, account.id)
    const kpi = requireFound(await kpis.find(tx, account.id, query.kpiId), 'KPI', query.kpiId)
    requireCalculated(kpi, await formulas.find(tx, account.id, kpi.id))
    const { formula } = requireSoundFormula(kpi, catalogue.calculations.get(kpi.id))
    const known = await kpis.findMany(tx, account.id, formula.kpis)
    const inputs = formula.kpis.map((id) => known.get(id)).filter((input) => input !== undefined)
    const plan = planCalculation(catalogue, account, [kpi], query.days)
    const items = new Map((await selectUsers(tx, account.id, query.userIds)).map((user) => [user.id, user]))
    const kpiIds = [...plan.used.keys(), ...plan.inputs.keys()]
    const targetOf = await loadTargets(tx, account, catalogue, items.keys(), kpiIds)
    const steps: CalculationStep[] = []
    const take = createStepCollector(kpi, inputs, query.days, items, steps)
    await calculateItems({ tx, account: account.id, plan, targetOf }, items.keys(), take)
    return steps
  })
