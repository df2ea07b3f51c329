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

/** Returns the faults of a formula that its field does not find: a text that cannot be parsed, or its inputs. */
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

/** Calls `visit` for everything that a formula is not allowed to be where it is defined. */
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

/** Checks a database by its own means, beyond what SQL can ask of any. */
type Integrity = {
  /** Returns damage, after which nothing else can be relied on. */
  readonly damageOf: (tx: Reader) => Promise<StoreFault[]>
}

/** Describes the result of a check: how much there is, what is wrong, and how much more of the same kinds. */
export type StoreCheck = { readonly counts: StoreCounts; readonly faults: readonly StoreFault[]; readonly more: number }

/** Bounds the faults of a kind that are named one by one. */
const MOST_OF_A_KIND = 1000

/** Keeps faults, and of a kind that there is much of only the first. */
const createFinds = (): { faults: StoreFault[]; more: () => number; add: (fault: StoreFault) => void } => {
  const faults: StoreFault[] = []
  const kinds = new Map<string, number>()
  let more = 0
  return {
    faults,
    more: () => more,
    add: (fault) => {
      const kind = `${fault.table} ${fault.fault}`
      const known = kinds.get(kind) ?? 0
      // Faults that tell a value are kinds of their own, of which there is no end either.
      if (known >= MOST_OF_A_KIND || (known === 0 && kinds.size >= MOST_OF_A_KIND)) more += 1
      else {
        kinds.set(kind, known + 1)
        faults.push(fault)
      }
    },
  }
}

/**
 * Checks all of a store, at one moment of it: references, the rules of fields and of formulas, the domain's invariants,
 * and before them the database itself, where it can tell.
 */
export const checkStore = (db: Db, integrity: Integrity | undefined): Promise<StoreCheck> =>
  db.read(async (tx) => {
    const damage = (await integrity?.damageOf(tx)) ?? []
    const counts = await countAll(tx)
    if (damage.length > 0) return { counts, faults: damage, more: 0 }
    const { faults, more, add } = createFinds()
    await eachOrphan(tx, add)
    await eachFault(tx, add)
    await eachFormulaFault(tx, add)
    return { counts, faults, more: more() }
  })
