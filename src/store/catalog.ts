import { INT16_MAX } from '../domain/field-value.ts'
import { category } from '../domain/resources/category.ts'
import { unit } from '../domain/resources/unit.ts'
import type { Reader } from './db.ts'
import { table } from './table.ts'

/** What KPIs are sorted into and measured in. */
export const categories = table('categories', category)
export const units = table('units', unit)

/** The name of a KPI that uses a category or unit, if there is one. */
export const kpiUsing = async (
  tx: Reader,
  account: number,
  column: 'category_id' | 'unit_id',
  id: number,
): Promise<string | undefined> => {
  const [row] = await tx.all(`select name from kpis where account_id = ? and ${column} = ? limit 1`, [account, id])
  return row && String(row['name'])
}

/** The `sort_order` after the last one, at most what 16 bits hold. */
export const nextSortOrder = async (tx: Reader, account: number, table: 'categories'): Promise<number> => {
  const [row] = await tx.all(`select max(sort_order) as last from ${table} where account_id = ?`, [account])
  return Math.min(Number(row?.['last'] ?? 0) + 1, INT16_MAX)
}
