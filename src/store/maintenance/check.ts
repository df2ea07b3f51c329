import { Fault } from '../../domain/errors.ts'
import { checkValue, rangeOf } from '../../domain/field-value.ts'
import { account } from '../../domain/resources/account.ts'
import type { Field, Resource } from '../../domain/schema.ts'
import type { Reader, SqlList, SqlOutput } from '../db.ts'
import { sqliteDialect } from '../dialect.ts'
import type { ForeignKey, TableDefinition } from '../schema/migrations.ts'
import { columnsOf, type FieldColumn, fromSql } from '../tables/table.ts'
import { idOf, invariants, RESTORE_ADVICE } from './invariants.ts'

/** Returns the fault of a column's value by the rules of its field. */
export const faultOfColumn = (field: Field, stored: SqlOutput): string | undefined => {
  if (stored === null) return field.nullable ? undefined : 'is missing'
  if (field.kind === 'boolean') return stored === 0n || stored === 1n ? undefined : 'must be 0 or 1'
  const value = fromSql(field, stored)
  const kept = checkValue(field, value)
  if (kept instanceof Fault) return kept.message
  if (kept === value) return undefined
  return kept === null ? 'is blank' : 'is not as it would be kept: it has blanks around it, or old line ends'
}

/** Describes a query for the rows of a table, and the faults of a row: a line for each column. */
type RowCheck = { readonly sql: string; readonly faultsOf: (row: SqlList) => string[] }

/** Returns the condition for a row to be looked at: always for text, for a number where it is out of range. */
const isSuspect = ({ column, field }: FieldColumn): string => {
  const range = rangeOf(field)
  return range ? `x.${column} not between ${range[0]} and ${range[1]}` : `x.${column} is not null`
}

/** Returns the order of a table's rows, so that the same faults are always told in the same order. */
const orderOf = ({ name, key }: TableDefinition): string =>
  `order by ${(name === 'accounts' ? key : ['account_id', ...key]).map((column) => `x.${column}`).join(', ')}`

/**
 * Lists rows that are exempt from a table's field rules: a person's item is named as the user, whose two names may be
 * longer.
 */
const EXEMPT: Readonly<Record<string, string>> = { items: ' and x.user_id is null' }

/** Checks all rows of a table by the field table. A row of the query is its account, its id, and the columns. */
const rowCheck = (table: TableDefinition & { readonly of: Resource }): RowCheck => {
  const account = table.name === 'accounts' ? 'x.id' : 'x.account_id'
  const columns = columnsOf(table.of).filter(({ name }) => !table.without?.includes(name))
  const names = columns.map(({ column }) => `x.${column}`)
  return {
    sql: `select ${[account, idOf(table), ...names].join(', ')} from ${table.name} x
      where (${columns.map(isSuspect).join(' or ')})${EXEMPT[table.name] ?? ''} ${orderOf(table)}`,
    faultsOf: (row) =>
      columns.flatMap(({ name, field }, at) => {
        const fault = faultOfColumn(field, row[at + 2] ?? null)
        return fault === undefined ? [] : [`${name} ${fault}`]
      }),
  }
}

/** Describes a fault in a store: where it is, what it is, and what to do about it. */
export type StoreFault = {
  readonly table: string
  readonly account: string
  readonly id: string
  readonly fault: string
  readonly remedy: string
}

/** Lists what to do about a field that breaks its rule, where changing the field alone does not help. */
const REMEDIES: Readonly<Record<string, string>> = {
  formulas: 'change it, to another choice and back where it is one: kpi service calculated update',
}

const isOfResource = (table: TableDefinition): table is TableDefinition & { readonly of: Resource } =>
  table.of !== undefined

/** Returns every table of a store; which one does not depend on the database. */
export const storeTables = async (): Promise<readonly TableDefinition[]> => {
  const { accountTables } = await import('../schema/migrations.ts')
  return [{ name: 'accounts', of: account, key: ['id'] }, ...accountTables(sqliteDialect)]
}

/** Returns the names of accounts by id; a missing account is named by its id. */
export const accountNames = async (tx: Reader): Promise<(id: SqlOutput | undefined) => string> => {
  const rows = await tx.all('select id, name from accounts')
  const names = new Map(rows.map(({ id, name }) => [id, String(name)]))
  return (id) => names.get(id ?? null) ?? String(id)
}

/** Calls `visit` for everything that breaks a rule of the field table or an invariant of the domain. */
export const eachFault = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const nameOf = await accountNames(tx)
  const report = (table: string, [owner, id]: SqlList, fault: string, remedy: string): void =>
    visit({ table, account: nameOf(owner), id: String(id), fault, remedy })
  for (const table of (await storeTables()).filter(isOfResource)) {
    const { sql, faultsOf } = rowCheck(table)
    await tx.each(sql, [], (row) => {
      for (const fault of faultsOf(row))
        report(table.name, row, fault, REMEDIES[table.name] ?? 'change it to one that is allowed')
    })
  }
  for (const { table, sql, fault, remedy, isWrong } of invariants) {
    await tx.each(`${sql} order by 1, 2`, [], (row) => {
      if (isWrong?.(row) ?? true) report(table, row, fault, remedy)
    })
  }
}

const OF_ACCOUNT: ForeignKey = { columns: ['account_id'], parent: 'accounts', to: ['id'] }

/** Returns the orphaned rows of a table: the account, what names the row, and what is missing. */
const orphansOf = (table: TableDefinition, reference: ForeignKey): string => {
  const { columns, parent, to } = reference
  const same = columns.map((column, at) => `y.${to[at]} = x.${column}`)
  const within = reference === OF_ACCOUNT ? same : ['y.account_id = x.account_id', ...same]
  return `select x.account_id, ${idOf(table)}, x.${columns[0]} from ${table.name} x
    where x.${columns[0]} is not null and not exists (select 1 from ${parent} y where ${within.join(' and ')})
    ${orderOf(table)}`
}

/**
 * Calls `visit` for every orphaned row: one that names another of the same account that is missing. Every database is
 * asked alike, as none checks all references, nor any while somebody repairs it by hand.
 */
export const eachOrphan = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const nameOf = await accountNames(tx)
  for (const table of (await storeTables()).filter(({ name }) => name !== 'accounts')) {
    for (const reference of [OF_ACCOUNT, ...(table.references ?? [])]) {
      await tx.each(orphansOf(table, reference), [], ([owner, id, missing]) => {
        const fault = `${reference.columns[0]} ${missing} names nothing in ${reference.parent}`
        visit({ table: table.name, account: nameOf(owner), id: String(id), fault, remedy: RESTORE_ADVICE })
      })
    }
  }
}

/** Bounds the damage that is reported; more of it has the same cause. */
const MOST_TOLD = 100

/** Returns the damage that SQLite finds in its file, indexes included. */
export const damageOf = async (tx: Reader): Promise<StoreFault[]> => {
  const rows = await tx.all(`pragma integrity_check(${MOST_TOLD})`)
  const found = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  return found.map((text) => ({
    table: '',
    account: '',
    id: '',
    fault: text.replaceAll('\n', ' '),
    remedy: RESTORE_ADVICE,
  }))
}
