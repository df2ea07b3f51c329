import { Fault, type Issue } from '../domain/errors.ts'
import { parseFormula } from '../domain/formula-parser.ts'
import { faultsOfInputs, faultsOfSize, faultsOfTarget, type Formulas } from '../domain/formula-rules.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { formulaFields } from '../domain/resources/calculated-kpi.ts'
import { accountNames, type StoreFault } from '../store/check.ts'
import type { Reader } from '../store/db.ts'
import { faultOfColumn } from '../store/field-check.ts'
import { formulas, type StoredFormula } from '../store/formulas.ts'
import { loadFormulas } from './formulas.ts'

/** What is wrong with a formula that its field does not tell: a text that cannot be read, or what it uses. */
const faultsOfText = (all: Formulas, kpi: Kpi, text: string): Issue[] => {
  const formula = all.formulas.get(kpi.id) ?? parseFormula(text)
  if (formula instanceof Fault) {
    const isTold = faultOfColumn(formulaFields.formula, text) !== undefined
    return isTold ? [] : [{ field: 'formula', message: formula.message }]
  }
  const missing = formula.kpis.filter((id) => !all.kpis.has(id))
  const unknown = missing.map((id) => ({ field: 'formula', message: `uses KPI ${id}, which is not there` }))
  return [...unknown, ...faultsOfInputs(all, kpi)]
}

const faultsOf = (all: Formulas, sizes: ReadonlyMap<number, Issue>, kpi: Kpi, stored: StoredFormula): Issue[] => {
  const tooLarge = sizes.get(kpi.id)
  return [
    ...faultsOfText(all, kpi, stored.formula),
    ...(tooLarge ? [tooLarge] : []),
    ...faultsOfTarget({ ...stored, target_default: kpi.target_default }),
  ]
}

/** Calls `visit` for everything that a formula is not allowed to be where it is defined (decisions, section 6). */
export const eachFormulaFault = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const nameOf = await accountNames(tx)
  for (const account of await formulas.accounts(tx)) {
    const all = await loadFormulas(tx, account)
    const sizes = faultsOfSize(all)
    for (const stored of await formulas.list(tx, account)) {
      const kpi = all.kpis.get(stored.kpi_id)
      if (!kpi) continue
      const place = { table: 'formulas', account: nameOf(BigInt(account)), id: String(kpi.id) }
      const remedy = `change it: kpi service calculated update ${kpi.id}, or remove it: kpi service calculated remove ${kpi.id}`
      for (const { field, message } of faultsOf(all, sizes, kpi, stored)) {
        visit({ ...place, fault: `KPI ${kpi.id} (${kpi.name}): ${field}: ${message}`, remedy })
      }
    }
  }
}
