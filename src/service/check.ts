import { eachFault, type StoreFault } from '../store/check.ts'
import type { Db, Reader } from '../store/db.ts'
import { type Counts, countAll } from '../store/status.ts'
import { eachStray } from '../store/strays.ts'
import { eachFormulaFault } from './check-formulas.ts'

/** What a database can tell of itself, beyond what SQL can ask of any. */
export type Integrity = {
  /** Damage, which leaves nothing that one could rely on. */
  readonly damageOf: (tx: Reader) => Promise<StoreFault[]>
}

/** What a check came to: how much there is, what is wrong, and how much more of the same kinds. */
export type Checked = { readonly counts: Counts; readonly faults: readonly StoreFault[]; readonly more: number }

/** So many faults of a kind are named one by one. */
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
 * Checks all of a store, at one moment of it: what rows name, the rules of fields and of formulas, the domain's invariants, and
 * before them what the database tells of itself, where it can be asked.
 */
export const checkStore = (db: Db, integrity: Integrity | undefined): Promise<Checked> =>
  db.read(async (tx) => {
    const damage = (await integrity?.damageOf(tx)) ?? []
    const counts = await countAll(tx)
    if (damage.length > 0) return { counts, faults: damage, more: 0 }
    const { faults, more, add } = createFinds()
    await eachStray(tx, add)
    await eachFault(tx, add)
    await eachFormulaFault(tx, add)
    return { counts, faults, more: more() }
  })
