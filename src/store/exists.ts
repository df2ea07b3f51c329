import type { Reader } from './db.ts'

/** Whether a query finds any row. */
export const exists = async (tx: Reader, sql: string, values: readonly (string | number)[]): Promise<boolean> =>
  (await tx.all(`${sql} limit 1`, values)).length > 0
