import { storedKpi } from '../../domain/resources/kpi.ts'
import { rejectCalculated } from '../../domain/rules.ts'
import { firstCategory } from '../../store/tables/catalog.ts'
import { categoryKpis as ofCategory, kpis as store } from '../../store/tables/kpis.ts'
import { collection, type Rules } from '../collection.ts'
import { faultsOfCatalogIds, requireCategory } from './catalog.ts'
import { settleTargets, showToday } from './dated-targets.ts'

/** Loads what reads formulas with the first change of a KPI: lists do without. */
const loadFormulaRules = async () => ({
  ...(await import('../../domain/calculated/formula-rules.ts')),
  ...(await import('./formulas.ts')),
})

/**
 * Defines the rules of KPIs. By default, a KPI gets the account's first category, and sums.
 */
const rules: Rules<typeof storedKpi> = {
  faults: faultsOfCatalogIds,
  fill: async (tx, account, given) => {
    const first = given.category_id === undefined ? await firstCategory(tx, account) : undefined
    return { category_id: first, aggregate_function: 'SUM', is_calculated: false }
  },
  clashes: async (tx, account, sent, before) => {
    if (!before || before.is_calculated) return []
    const { clashesWithFormulas, loadFormulas } = await loadFormulaRules()
    return clashesWithFormulas(await loadFormulas(tx, account), before, { ...before, ...sent })
  },
  shown: async (_tx, _account, records, now) => records.map((record) => showToday(record, 'target_default', now)),
  settled: (changes, sent, on) => settleTargets(changes, sent, 'target_default', on),
  mayChange: async (_tx, _account, before) => {
    rejectCalculated(before)
  },
  mayRemove: async (tx, account, record) => {
    rejectCalculated(record)
    const { rejectUsedKpi, loadFormulas } = await loadFormulaRules()
    rejectUsedKpi(await loadFormulas(tx, account), record)
  },
  beforeRemoval: async (tx, account, { id }) => {
    const { keepDeleted } = await import('../entries/keep-deleted.ts')
    await keepDeleted(tx, account, id)
  },
}
/** Manages KPI definitions. */
export const kpis = collection(storedKpi, store, 'kpis', rules)

/** Manages KPI definitions of one category. */
export const categoryKpis = collection(storedKpi, ofCategory, 'kpis', {
  ...rules,
  above: {
    field: 'category_id',
    requireParent: requireCategory,
    missing: (id, category) => `KPI ${id} in category ${category}`,
  },
})
