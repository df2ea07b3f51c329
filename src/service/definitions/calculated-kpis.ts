import { parseFormula, type Resolve } from '../../domain/calculated/formula-parser.ts'
import {
  clashesWithFormulas,
  faultsOfFormula,
  faultsOfTarget,
  type Formulas,
  rejectUsedKpi,
} from '../../domain/calculated/formula-rules.ts'
import type { Formula } from '../../domain/calculated/formula.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import {
  type CalculatedDraft,
  type CalculatedKpi,
  storedCalculatedKpi,
  type CalculatedPatch,
} from '../../domain/resources/calculated-kpi.ts'
import { type Kpi, storedKpi } from '../../domain/resources/kpi.ts'
import { completeRecord } from '../../domain/schema.ts'
import type { Reader } from '../../store/db.ts'
import { formulas, type StoredFormula } from '../../store/tables/formulas.ts'
import { kpis } from '../../store/tables/kpis.ts'
import { takeIds } from '../../store/tables/table.ts'
import { differs, refuse } from '../collection.ts'
import { type Context, requireFound } from '../context.ts'
import { faultsOfCatalogIds } from './catalog.ts'
import { loadFormulas } from './formulas.ts'

const ID = /^\d{1,15}$/

/** Creates the resolver of the names in a formula: a KPI goes by its id or exact name. */
const resolver =
  (all: ReadonlyMap<number, Kpi>): Resolve =>
  (name) => {
    if (ID.test(name)) return all.has(Number(name)) ? Number(name) : new Fault(`there is no KPI ${name}`)
    const known = [...all.values()]
    const [first, ...others] = known.filter((one) => one.name === name)
    if (!first) return new Fault(`there is no KPI named "${name}"`)
    if (others.length === 0) return first.id
    const ids = [first, ...others].map(({ id }) => id).join(', ')
    return new Fault(`"${name}" is the name of more than one KPI: ${ids}; use the id`)
  }

/** Returns all KPIs and formulas, with the new definition of one of them. */
const withDefinition = (all: Formulas, record: CalculatedKpi, formula: Formula): Formulas => ({
  kpis: new Map([...all.kpis, [record.id, record]]),
  formulas: new Map([...all.formulas, [record.id, formula]]),
})

/** Returns a definition with its formula in stored form, with KPIs by id; throws all its faults. */
const checked = async (
  tx: Reader,
  account: number,
  all: Formulas<Kpi>,
  record: CalculatedKpi,
  before?: CalculatedKpi,
): Promise<CalculatedKpi> => {
  const formula = parseFormula(record.formula, resolver(all.kpis))
  const faults = [...(await faultsOfCatalogIds(tx, account, record)), ...faultsOfTarget(record)]
  if (formula instanceof Fault) faults.push({ field: 'formula', message: formula.message })
  else faults.push(...faultsOfFormula(withDefinition(all, record, formula), record))
  refuse(faults, before ? clashesWithFormulas(all, before, record) : [])
  return { ...record, formula: formula instanceof Fault ? record.formula : formula.text }
}

const storedOf = ({ id, formula, over, target_from, created_at, updated_at }: CalculatedKpi): StoredFormula => {
  return { kpi_id: id, formula, over, target_from, created_at, updated_at }
}

const kpiOf = (record: CalculatedKpi): Kpi => completeRecord(storedKpi, record, {})

const recordOf = (kpi: Kpi, { formula, over, target_from }: StoredFormula): CalculatedKpi => {
  return { ...kpi, formula, over, target_from }
}

/** Returns how a KPI is calculated; throws for one whose values are entered. */
export const requireCalculated = <T>({ id, name }: Kpi, how: T | undefined): T => {
  if (how === undefined) throw new KpiError('conflict', `KPI ${id} (${name}) is not calculated: its values are entered`)
  return how
}

const find = async (tx: Reader, account: number, id: number): Promise<CalculatedKpi> => {
  const kpi = requireFound(await kpis.find(tx, account, id), 'KPI', id)
  return recordOf(kpi, requireCalculated(kpi, await formulas.find(tx, account, id)))
}

/** Manages calculated KPIs for the operator: never over the interface. */
export const calculated = {
  list: ({ db, account }: Context): Promise<CalculatedKpi[]> =>
    db.read(async (tx) => {
      const stored = new Map((await formulas.list(tx, account.id)).map((one) => [one.kpi_id, one]))
      return (await kpis.list(tx, account.id)).flatMap((kpi) => {
        const formula = stored.get(kpi.id)
        return formula ? [recordOf(kpi, formula)] : []
      })
    }),

  get: ({ db, account }: Context, id: number): Promise<CalculatedKpi> => db.read((tx) => find(tx, account.id, id)),

  add: ({ db, account, now }: Context, draft: CalculatedDraft): Promise<CalculatedKpi> =>
    db.write(async (tx) => {
      const all = await loadFormulas(tx, account.id)
      const id = await takeIds(tx, account.id, 'kpis')
      const automatic = { id, is_calculated: true, created_at: now, updated_at: now }
      const record = await checked(tx, account.id, all, completeRecord(storedCalculatedKpi, draft, automatic))
      await kpis.insert(tx, account.id, kpiOf(record))
      await formulas.insert(tx, account.id, storedOf(record))
      return record
    }),

  update: ({ db, account, now }: Context, id: number, patch: CalculatedPatch): Promise<CalculatedKpi> =>
    db.write(async (tx) => {
      const before = await find(tx, account.id, id)
      const all = await loadFormulas(tx, account.id)
      const after = await checked(tx, account.id, all, completeRecord(storedCalculatedKpi, patch, before), before)
      if (!differs(before, after)) return before
      const changed = { ...after, updated_at: now }
      await kpis.update(tx, account.id, kpiOf(changed))
      await formulas.update(tx, account.id, storedOf(changed))
      return changed
    }),

  /** Removes one with its assignments; throws while another formula uses it. */
  remove: ({ db, account }: Context, id: number): Promise<CalculatedKpi> =>
    db.write(async (tx) => {
      const record = await find(tx, account.id, id)
      rejectUsedKpi(await loadFormulas(tx, account.id), record)
      await kpis.remove(tx, account.id, id)
      return record
    }),
}
