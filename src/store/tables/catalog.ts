import { category, unit } from '../../domain/resources/catalog.ts'
import type { Reader } from '../db.ts'
import { table } from './table.ts'

/** Reads and writes the categories of KPIs. */
export const categories = table('categories', category)
export const units = table('units', unit)

/** Returns the id of the category that lists show first, if there is any. */
export const firstCategory = async (tx: Reader, account: number): Promise<number | undefined> => {
  const [row] = await tx.all('select id from categories where account_id = ? order by sort_order, id limit 1', [
    account,
  ])
  return row && Number(row['id'])
}

/** Returns the name of a KPI that uses a category or unit, if there is one. */
export const kpiUsing = async (
  tx: Reader,
  account: number,
  column: 'category_id' | 'unit_id',
  id: number,
): Promise<string | undefined> => {
  const [row] = await tx.all(`select name from kpis where account_id = ? and ${column} = ? order by id limit 1`, [
    account,
    id,
  ])
  return row && String(row['name'])
}
