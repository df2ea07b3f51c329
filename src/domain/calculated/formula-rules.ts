import { type Issue, KpiError } from '../errors.ts'
import { asCoarseAs, type Frequency, isCoarser } from '../period.ts'
import type { CalculatedKpi } from '../resources/calculated-kpi.ts'
import { frequencyNames } from '../resources/catalog.ts'
import type { Kpi } from '../resources/kpi.ts'
import { hasAnyTarget, type TargetFacts } from '../targets/dated-targets.ts'
import type { Formula } from './formula.ts'

/** Describes what the rules of formulas need to know of a KPI. */
export type KpiInFormula = Pick<Kpi, 'id' | 'name' | 'frequency_id' | 'is_active'>

/** Holds the KPIs and formulas of an account by KPI id, including the formula that is being defined. */
export type Formulas<K extends KpiInFormula = KpiInFormula> = {
  readonly kpis: ReadonlyMap<number, K>
  readonly formulas: ReadonlyMap<number, Formula>
}

/** Bounds the numbers and KPIs of a formula after the formulas of its inputs are substituted, at any depth. */
const SIZE_LIMIT = 1000

const label = ({ id, name }: KpiInFormula): string => `KPI ${id} (${name})`
const labels = (list: readonly KpiInFormula[]): string => list.map(label).join(', ')

/** Returns the cycle of formulas from a KPI back to itself, if there is one. */
const findCycle = (formulas: ReadonlyMap<number, Formula>, id: number): readonly number[] | undefined => {
  const seen = new Set<number>()
  const paths: (readonly number[])[] = [[id]]
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    for (const input of formulas.get(path.at(-1) ?? id)?.kpis ?? []) {
      if (input === id) return [...path, id]
      if (!seen.has(input)) paths.push([...path, input])
      seen.add(input)
    }
  }
  return undefined
}

/** Returns how many numbers and KPIs each formula has after the formulas of its inputs are substituted. */
const sizesOf = (formulas: ReadonlyMap<number, Formula>): Map<number, number> => {
  const known = new Map<number, number>()
  const count = (id: number): number => {
    const formula = formulas.get(id)
    if (!formula) return 0
    const before = known.get(id)
    if (before !== undefined) return before
    // A formula in a cycle has no such size: it counts as 0 in itself.
    known.set(id, 0)
    const size = formula.mentions.reduce((sum, input) => sum + 1 + count(input), formula.numbers)
    known.set(id, size)
    return size
  }
  for (const id of formulas.keys()) count(id)
  return known
}

/** Returns the faults of formulas that are too large after substitution, by KPI id. */
export const faultsOfSize = ({ kpis, formulas }: Formulas): Map<number, Issue> => {
  const faults = new Map<number, Issue>()
  for (const [id, size] of sizesOf(formulas)) {
    const kpi = size > SIZE_LIMIT ? kpis.get(id) : undefined
    if (!kpi) continue
    const message = `is too large: ${label(kpi)} would come to ${size} numbers and KPIs with all formulas written out; the most is ${SIZE_LIMIT}`
    faults.set(id, { field: 'formula', message })
  }
  return faults
}

const faultsOfFrequency = (kpi: KpiInFormula, inputs: readonly KpiInFormula[]): Issue[] => {
  const coarsest = inputs.reduce<Frequency>((so, { frequency_id: one }) => (isCoarser(one, so) ? one : so), 'D')
  if (!isCoarser(coarsest, kpi.frequency_id)) return []
  const coarser = inputs.filter(({ frequency_id }) => isCoarser(frequency_id, kpi.frequency_id))
  const allowed = asCoarseAs(coarsest).join(', ')
  const message = `is ${kpi.frequency_id}, finer than its formula's ${labels(coarser)}; it must be ${allowed}`
  return [{ field: 'frequency_id', message }]
}

/** Returns the KPIs whose formulas form cycles. */
export const cyclicKpis = (formulas: ReadonlyMap<number, Formula>): Set<number> =>
  new Set([...formulas.keys()].filter((id) => findCycle(formulas, id) !== undefined))

/** Returns the faults of the inputs of a formula; all of them must exist. */
export const faultsOfInputs = ({ kpis, formulas }: Formulas, kpi: KpiInFormula): Issue[] => {
  const ids = formulas.get(kpi.id)?.kpis ?? []
  if (ids.length === 0) return [{ field: 'formula', message: 'must use at least one KPI' }]
  const cycle = findCycle(formulas, kpi.id)
  if (cycle) {
    const message =
      cycle.length === 2 ? 'uses its own KPI' : `goes in a circle: ${cycle.map((id) => `[${id}]`).join(' uses ')}`
    return [{ field: 'formula', message }]
  }
  const inputs = ids.map((id) => kpis.get(id)).filter((input) => input !== undefined)
  const inactive = inputs.filter(({ is_active }) => !is_active)
  const faults = inactive.map((input) => ({ field: 'formula', message: `uses ${label(input)}, which is inactive` }))
  return [...faults, ...faultsOfFrequency(kpi, inputs)]
}

/** Returns the faults of a calculated KPI that is being defined; all inputs of its formula must exist. */
export const faultsOfFormula = (all: Formulas, kpi: KpiInFormula): Issue[] => {
  const faults = faultsOfInputs(all, kpi)
  const [tooLarge] = findCycle(all.formulas, kpi.id) ? [] : faultsOfSize(all).values()
  return tooLarge ? [...faults, tooLarge] : faults
}

/** Returns the faults of `target_from` of a calculated KPI. */
export const faultsOfTarget = ({ target_from, ...kpi }: TargetFacts & Pick<CalculatedKpi, 'target_from'>): Issue[] =>
  hasAnyTarget(kpi) && target_from === 'formula'
    ? [{ field: 'target_from', message: 'cannot be formula if there is a default target, which takes precedence' }]
    : []

/** Returns the KPIs whose formulas use a KPI. */
const dependentsOf = ({ kpis, formulas }: Formulas, id: number): KpiInFormula[] =>
  [...formulas]
    .filter(([, formula]) => formula.kpis.includes(id))
    .map(([dependent]) => kpis.get(dependent))
    .filter((dependent) => dependent !== undefined)

const theFormulaOf = (dependents: readonly KpiInFormula[]): string =>
  `the formula${dependents.length === 1 ? '' : 's'} of ${labels(dependents)}`

/**
 * Returns the faults of a change to a KPI that formulas use: it must stay active, and be no coarser than the KPIs that
 * use it.
 */
export const clashesWithFormulas = (all: Formulas, before: KpiInFormula, after: KpiInFormula): Issue[] => {
  const dependents = dependentsOf(all, before.id)
  const finer = dependents.filter(({ frequency_id }) => isCoarser(after.frequency_id, frequency_id))
  const issues: Issue[] = []
  if (finer.length > 0) {
    const message = `cannot be ${frequencyNames[after.frequency_id]}: ${theFormulaOf(finer)} would then be finer than an input`
    issues.push({ field: 'frequency_id', message })
  }
  if (dependents.length > 0 && before.is_active && !after.is_active) {
    issues.push({ field: 'is_active', message: `cannot be false: ${theFormulaOf(dependents)} would miss it` })
  }
  return issues
}

/** Refuses to remove a KPI that formulas use. */
export const rejectUsedKpi = (all: Formulas, kpi: KpiInFormula): void => {
  const dependents = dependentsOf(all, kpi.id)
  if (dependents.length === 0) return
  const message = `${label(kpi)} is used by ${theFormulaOf(dependents)} and cannot be deleted; change ${dependents.length === 1 ? 'it' : 'them'} first`
  throw new KpiError('conflict', message, { issues: [{ field: 'id', message }] })
}
