import { storedKpi } from '../../domain/resources/kpi.ts'
import type { Writer } from '../db.ts'
import { nestedTable, table } from './table.ts'

const rows = table('kpis', storedKpi)

/** Reads and writes KPI definitions. */
export const kpis = {
  ...rows,
  /** Removes a KPI with its assignments, its entries and its formula. */
  remove: async (tx: Writer, account: number, id: number): Promise<boolean> => {
    await tx.run('delete from formulas where account_id = ? and kpi_id = ?', [account, id])
    const items = 'select id from items where account_id = ?1'
    await tx.run(`delete from entries where account_id = ?1 and item_id in (${items}) and kpi_id = ?`, [account, id])
    await tx.run('delete from assignments where account_id = ? and id = ?', [account, id])
    return rows.remove(tx, account, id)
  },
}

/** Reads and writes the KPIs of one category. */
export const categoryKpis = {
  ...nestedTable('kpis', storedKpi, 'category_id'),
  remove: (tx: Writer, account: number, id: number): Promise<boolean> => kpis.remove(tx, account, id),
}
