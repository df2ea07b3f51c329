import type { CalculatedKpi } from '../../domain/resources/calculated-kpi.ts'
import type { Reader, SqlRow, Writer } from '../db.ts'

/** Describes the stored formula of a KPI. */
export type StoredFormula = Pick<CalculatedKpi, 'formula' | 'over' | 'target_from' | 'created_at' | 'updated_at'> & {
  readonly kpi_id: number
}

const COLUMNS = 'kpi_id, formula, calculated_over, target_from, created_at, updated_at'

const read = (row: SqlRow): StoredFormula => ({
  kpi_id: Number(row['kpi_id']),
  formula: String(row['formula']),
  over: row['calculated_over'] === 'inputs' ? 'inputs' : 'results',
  target_from: row['target_from'] === 'formula' ? 'formula' : 'default',
  created_at: Number(row['created_at']),
  updated_at: Number(row['updated_at']),
})

/** Reads and writes the formulas of calculated KPIs; a KPI has at most one. */
export const formulas = {
  list: async (tx: Reader, account: number): Promise<StoredFormula[]> =>
    (await tx.all(`select ${COLUMNS} from formulas where account_id = ? order by kpi_id`, [account])).map(read),

  /** Returns the accounts that have formulas. */
  accounts: async (tx: Reader): Promise<number[]> =>
    (await tx.all('select distinct account_id from formulas order by account_id')).map((row) =>
      Number(row['account_id']),
    ),

  find: async (tx: Reader, account: number, kpi: number): Promise<StoredFormula | undefined> => {
    const [row] = await tx.all(`select ${COLUMNS} from formulas where account_id = ? and kpi_id = ?`, [account, kpi])
    return row && read(row)
  },
  insert: async (tx: Writer, account: number, one: StoredFormula): Promise<void> => {
    await tx.run(`insert into formulas (account_id, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`, [
      account,
      one.kpi_id,
      one.formula,
      one.over,
      one.target_from,
      one.created_at,
      one.updated_at,
    ])
  },
  update: async (tx: Writer, account: number, one: StoredFormula): Promise<void> => {
    await tx.run(
      `update formulas set formula = ?, calculated_over = ?, target_from = ?, updated_at = ?
       where account_id = ? and kpi_id = ?`,
      [one.formula, one.over, one.target_from, one.updated_at, account, one.kpi_id],
    )
  },
}
