import type { Calculation, Catalogue } from '../domain/calculation.ts'
import { Fault, KpiError } from '../domain/errors.ts'
import type { Formula } from '../domain/formula.ts'
import type { Formulas } from '../domain/formula-rules.ts'
import { parseFormula } from '../domain/formula-parser.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import type { Reader } from '../store/db.ts'
import { formulas, type StoredFormula } from '../store/formulas.ts'
import { kpis } from '../store/kpis.ts'

/** A formula that was checked when it was stored. */
const readStored = ({ kpi_id, formula }: StoredFormula): Formula => {
  const read = parseFormula(formula)
  if (read instanceof Fault) throw new KpiError('internal', `the formula of KPI ${kpi_id} ${read.message}`)
  return read
}

/** All KPIs of an account in the order of lists, and how those that are calculated are. */
export const loadCatalogue = async (tx: Reader, account: number): Promise<Catalogue<Kpi>> => {
  const all = await kpis.list(tx, account)
  const calculations = new Map<number, Calculation>()
  if (all.some(({ is_calculated }) => is_calculated)) {
    for (const stored of await formulas.list(tx, account)) {
      calculations.set(stored.kpi_id, { ...stored, formula: readStored(stored) })
    }
  }
  return { kpis: new Map(all.map((kpi) => [kpi.id, kpi])), calculations }
}

/** All KPIs of an account and the formulas among them. */
export const loadFormulas = async (tx: Reader, account: number): Promise<Formulas<Kpi>> => {
  const { kpis: all, calculations } = await loadCatalogue(tx, account)
  return { kpis: all, formulas: new Map([...calculations].map(([id, { formula }]) => [id, formula])) }
}
