import { account } from '../domain/resources/account.ts'
import type { Resource } from '../domain/schema.ts'
import type { Reader, SqlList, SqlOutput } from './db.ts'
import { sqliteDialect } from './dialect.ts'
import { rowCheck } from './field-check.ts'
import { idOf, invariants } from './invariants.ts'
import type { Table } from './migrations.ts'

/** Something in a store that should not be there: where it is, what it is, and what to do about it. */
export type StoreFault = {
  readonly table: string
  readonly account: string
  readonly id: string
  readonly fault: string
  readonly remedy: string
}

/** Rows that a table's fields do not hold for: a person's item is named as the user, whose two names may be longer. */
const EXEMPT: Readonly<Record<string, string>> = { items: ' and x.user_id is null' }

/** What to do about a field that breaks its rule, where a change of the field alone does not do. */
const REMEDIES: Readonly<Record<string, string>> = {
  formulas: 'change it, to another choice and back where it is one: kpi service calculated update',
}

const isOfResource = (table: Table): table is Table & { readonly of: Resource } => table.of !== undefined

/** Every table of a store; which one does not depend on the database. */
export const storeTables = async (): Promise<readonly Table[]> => {
  const { accountTables } = await import('./migrations.ts')
  return [{ name: 'accounts', of: account, key: ['id'] }, ...accountTables(sqliteDialect)]
}

/** The names of accounts by id; an account that is not there is named by its id. */
export const accountNames = async (tx: Reader): Promise<(id: SqlOutput | undefined) => string> => {
  const rows = await tx.all('select id, name from accounts')
  const names = new Map(rows.map(({ id, name }) => [id, String(name)]))
  return (id) => names.get(id ?? null) ?? String(id)
}

/** Calls `visit` for everything that breaks a rule of the field table or an invariant of the domain. */
export const eachFault = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const nameOf = await accountNames(tx)
  const tell = (table: string, [owner, id]: SqlList, fault: string, remedy: string): void =>
    visit({ table, account: nameOf(owner), id: String(id), fault, remedy })
  for (const table of (await storeTables()).filter(isOfResource)) {
    const { sql, faultsOf } = rowCheck(table, table.of === account ? 'x.id' : 'x.account_id', idOf(table))
    await tx.each(sql + (EXEMPT[table.name] ?? ''), [], (row) => {
      for (const fault of faultsOf(row))
        tell(table.name, row, fault, REMEDIES[table.name] ?? 'change it to one that is allowed')
    })
  }
  for (const { table, sql, fault, remedy, isWrong } of invariants) {
    await tx.each(sql, [], (row) => {
      if (isWrong?.(row) ?? true) tell(table, row, fault, remedy)
    })
  }
}
