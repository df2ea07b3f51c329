import { type Issue, KpiError } from '../../domain/errors.ts'
import { category, frequencies, frequency, icon, icons, unit } from '../../domain/resources/catalog.ts'
import { missingReference } from '../../domain/rules.ts'
import type { Resource, Stored } from '../../domain/schema.ts'
import type { Reader } from '../../store/db.ts'
import * as store from '../../store/tables/catalog.ts'
import { type Collection, collection } from '../collection.ts'
import { requireFound } from '../context.ts'

const requireUnused =
  (title: string, column: 'category_id' | 'unit_id') =>
  async (tx: Reader, account: number, record: { readonly id: number; readonly name: string }): Promise<void> => {
    const user = await store.kpiUsing(tx, account, column, record.id)
    if (user === undefined) return
    throw new KpiError('conflict', `${title} ${record.id} (${record.name}) is in use, by KPI ${user} for one`)
  }

/** Manages the categories of KPIs. */
export const categories = collection(category, store.categories, 'categories', {
  mayRemove: requireUnused('category', 'category_id'),
})

/** Throws if there is no category with this id. */
export const requireCategory = async (tx: Reader, account: number, id: number): Promise<void> => {
  requireFound(await store.categories.find(tx, account, id), category.title, id)
}

/** Manages the units of KPIs. */
export const units = collection(unit, store.units, 'units', { mayRemove: requireUnused('unit', 'unit_id') })

/** Creates a collection that is the same for every account and never changes. */
const fixed = <R extends Resource>(
  of: R,
  records: readonly (Stored<R> & { readonly id: number | string })[],
): Collection<R> => ({
  list: () => Promise.resolve(records),
  get: async (_ctx, { text }) =>
    requireFound(
      records.find(({ id }) => String(id) === text.toUpperCase()),
      of.title,
      text,
    ),
})

/** Lists how often KPIs can be measured. */
export const kpiFrequencies = fixed(frequency, frequencies)

/** Lists the icons of KPIs. */
export const kpiIcons = fixed(icon, icons)

/** Returns the faults of the category, unit and icon that a KPI names. */
export const faultsOfCatalogIds = async (
  tx: Reader,
  account: number,
  sent: { readonly category_id?: number; readonly unit_id?: number; readonly icon_id?: number },
): Promise<Issue[]> => {
  const issues: Issue[] = []
  const { category_id, unit_id, icon_id } = sent
  if (category_id !== undefined && !(await store.categories.find(tx, account, category_id))) {
    issues.push(missingReference('category_id', 'category', category_id))
  }
  if (icon_id !== undefined && !icons.some(({ id }) => id === icon_id))
    issues.push(missingReference('icon_id', 'icon', icon_id))
  if (unit_id !== undefined && !(await store.units.find(tx, account, unit_id))) {
    issues.push(missingReference('unit_id', 'unit', unit_id))
  }
  return issues
}
