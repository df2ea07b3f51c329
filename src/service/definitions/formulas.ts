import type { Calculation, Catalogue } from '../../domain/calculated/calculation.ts'
import type { Formulas } from '../../domain/calculated/formula-rules.ts'
import { Fault } from '../../domain/errors.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import type { Reader } from '../../store/db.ts'
import { formulas } from '../../store/tables/formulas.ts'
import { kpis } from '../../store/tables/kpis.ts'

/** Returns the calculations of an account's KPIs whose formulas can be parsed. */
const loadCalculations = async (tx: Reader, account: number): Promise<Map<number, Calculation>> => {
  const { parseFormula } = await import('../../domain/calculated/formula-parser.ts')
  const calculations = new Map<number, Calculation>()
  for (const stored of await formulas.list(tx, account)) {
    const formula = parseFormula(stored.formula)
    if (!(formula instanceof Fault)) calculations.set(stored.kpi_id, { ...stored, formula })
  }
  return calculations
}

const formulasOf = (calculations: ReadonlyMap<number, Calculation>): Formulas['formulas'] =>
  new Map([...calculations].map(([id, { formula }]) => [id, formula]))

const byId = (all: readonly Kpi[]): Map<number, Kpi> => new Map(all.map((kpi) => [kpi.id, kpi]))

/**
 * Returns the KPIs of an account that can have values, in the order of lists, and their calculations. It omits a KPI
 * whose formula cannot be parsed or is cyclic, which only changes to the database by hand can cause. `kpi service
 * check` reports such formulas.
 */
export const loadCatalogue = async (tx: Reader, account: number): Promise<Catalogue<Kpi>> => {
  const all = await kpis.list(tx, account)
  // Most reports are of no calculated KPI, and load nothing to calculate one.
  if (!all.some(({ is_calculated }) => is_calculated)) return { kpis: byId(all), calculations: new Map() }
  const { cyclicKpis } = await import('../../domain/calculated/formula-rules.ts')
  const calculations = await loadCalculations(tx, account)
  for (const id of cyclicKpis(formulasOf(calculations))) calculations.delete(id)
  const valued = all.filter(({ id, is_calculated }) => !is_calculated || calculations.has(id))
  return { kpis: byId(valued), calculations }
}

/** Returns all KPIs of an account and their formulas that can be parsed. */
export const loadFormulas = async (tx: Reader, account: number): Promise<Formulas<Kpi>> => {
  const all = await kpis.list(tx, account)
  return { kpis: byId(all), formulas: formulasOf(await loadCalculations(tx, account)) }
}
