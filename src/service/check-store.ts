import { parseFormula } from '../domain/calculated/formula-parser.ts'
import { faultsOfInputs, faultsOfSize, faultsOfTarget, type Formulas } from '../domain/calculated/formula-rules.ts'
import { Fault, type Issue } from '../domain/errors.ts'
import { formulaFields } from '../domain/resources/calculated-kpi.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import type { Db, Reader } from '../store/db.ts'
import { accountNames, eachFault, eachOrphan, faultOfColumn, type StoreFault } from '../store/maintenance/check.ts'
import { countAll, type StoreCounts } from '../store/maintenance/status.ts'
import { formulas, type StoredFormula } from '../store/tables/formulas.ts'
import { loadFormulas } from './definitions/formulas.ts'

/** Returns the faults of a formula that the check of its column does not find: syntax, and inputs. */
const faultsOfText = (all: Formulas, kpi: Kpi, text: string): Issue[] => {
  const formula = all.formulas.get(kpi.id) ?? parseFormula(text)
  if (formula instanceof Fault) {
    const isReported = faultOfColumn(formulaFields.formula, text) !== undefined
    return isReported ? [] : [{ field: 'formula', message: formula.message }]
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
    ...faultsOfTarget({ ...kpi, ...stored }),
  ]
}

/** Calls `visit` for every stored formula that breaks the rules for new ones. */
const eachFormulaFault = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
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

/** Checks the integrity of a database with its own tools. */
type Integrity = {
  /** Returns damage, after which no other check is reliable. */
  readonly damageOf: (tx: Reader) => Promise<StoreFault[]>
}

/**
 * Holds the result of a check: the number of records, the faults, and the number of further faults of the same kinds.
 */
export type StoreCheck = { readonly counts: StoreCounts; readonly faults: readonly StoreFault[]; readonly more: number }

/** Bounds the faults of a kind to list. */
const MAX_PER_KIND = 1000

/** Creates a list of faults, which keeps only the first ones of each kind and counts the others. */
const createFaultList = (): { faults: StoreFault[]; more: () => number; add: (fault: StoreFault) => void } => {
  const faults: StoreFault[] = []
  const kinds = new Map<string, number>()
  let more = 0
  return {
    faults,
    more: () => more,
    add: (fault) => {
      const kind = `${fault.table} ${fault.fault}`
      const known = kinds.get(kind) ?? 0
      // Faults that quote a value are kinds of their own, so bound the number of kinds, too.
      if (known >= MAX_PER_KIND || (known === 0 && kinds.size >= MAX_PER_KIND)) more += 1
      else {
        kinds.set(kind, known + 1)
        faults.push(fault)
      }
    },
  }
}

/**
 * Checks a snapshot of the store: first the integrity of the database, if it has a tool for that; then references, the
 * rules of fields and formulas, and the domain's invariants.
 */
export const checkStore = (db: Db, integrity: Integrity | undefined): Promise<StoreCheck> =>
  db.read(async (tx) => {
    const damage = (await integrity?.damageOf(tx)) ?? []
    const counts = await countAll(tx)
    if (damage.length > 0) return { counts, faults: damage, more: 0 }
    const { faults, more, add } = createFaultList()
    await eachOrphan(tx, add)
    await eachFault(tx, add)
    await eachFormulaFault(tx, add)
    return { counts, faults, more: more() }
  })
