import { mustNotBeCalculated } from '../domain/rules.ts'
import { kpi } from '../domain/resources/kpi.ts'
import { categories } from '../store/catalog.ts'
import { kpis as store } from '../store/kpis.ts'
import { faultsOfCatalogIds } from './catalog.ts'
import { collection } from './collection.ts'

/** KPI definitions. Without a category one falls into the account's first, without an aggregate function it sums. */
export const kpis = collection(kpi, store, 'kpis', {
  faults: faultsOfCatalogIds,
  fill: async (tx, account, given) => {
    const [first] = given.category_id === undefined ? await categories.list(tx, account) : []
    return { category_id: first?.id, aggregate_function: 'SUM', is_calculated: false }
  },
  mayChange: async (_tx, _account, before) => {
    mustNotBeCalculated(before)
  },
  mayRemove: async (_tx, _account, record) => {
    mustNotBeCalculated(record)
  },
})
