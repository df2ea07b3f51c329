import { Fault } from '../../domain/errors.ts'
import { checkValue, rangeOf } from '../../domain/field-value.ts'
import { account } from '../../domain/resources/account.ts'
import type { Field, Resource } from '../../domain/schema.ts'
import type { Reader, SqlList, SqlOutput } from '../db.ts'
import { sqliteDialect } from '../dialect.ts'
import type { ForeignKey, TableDefinition } from '../schema/migrations.ts'
import { columnsOf, type FieldColumn, fromSql } from '../tables/table.ts'
import { idOf, invariants, RESTORE_ADVICE } from './invariants.ts'
import { FINISH_COPY, readUnfinished } from './unfinished-copy.ts'

/** Returns the fault of a stored value by the rules of its field. */
export const faultOfColumn = (field: Field, stored: SqlOutput): string | undefined => {
  if (stored === null) return field.nullable ? undefined : 'is missing'
  if (field.kind === 'boolean') return stored === 0n || stored === 1n ? undefined : 'must be 0 or 1'
  const value = fromSql(field, stored)
  const normalized = checkValue(field, value)
  if (normalized instanceof Fault) return normalized.message
  if (normalized === value) return undefined
  return normalized === null ? 'is blank' : 'is not normalized: it has spaces around it, or line ends other than LF'
}

/** Describes a query for rows of a table, and how to find the faults of a row: one line per column. */
type RowCheck = { readonly sql: string; readonly faultsOf: (row: SqlList) => string[] }

/** Returns the condition for the rows to check: all texts, but only numbers that are out of range. */
const isSuspect = ({ column, field }: FieldColumn): string => {
  const range = rangeOf(field)
  return range ? `x.${column} not between ${range[0]} and ${range[1]}` : `x.${column} is not null`
}

/** Returns the order of a table's rows, so that the same faults are always reported in the same order. */
const orderOf = ({ name, key }: TableDefinition): string =>
  `order by ${(name === 'accounts' ? key : ['account_id', ...key]).map((column) => `x.${column}`).join(', ')}`

/**
 * Lists rows that are exempt from the field rules of a table: the item of a person has the full name of the user, which
 * may be longer than the name of an item.
 */
const EXEMPT: Readonly<Record<string, string>> = { items: ' and x.user_id is null' }

/** Returns the check of a table by its field rules. A row of the query is its account, its id, and the columns. */
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

/** Lists what to do about a field that breaks its rule, if it is not enough to change that field. */
const REMEDIES: Readonly<Record<string, string>> = {
  formulas: 'change it, to another choice and back where it is one: kpi service calculated update',
}

const isOfResource = (table: TableDefinition): table is TableDefinition & { readonly of: Resource } =>
  table.of !== undefined

/** Returns the tables of a store, the same on SQLite and PostgreSQL. */
export const storeTables = async (): Promise<readonly TableDefinition[]> => {
  const { accountTables } = await import('../schema/migrations.ts')
  const accounts = { name: 'accounts', of: account, key: ['id'], columns: { token_hash: 'text' } }
  return [accounts, ...accountTables(sqliteDialect)]
}

/** Returns the names of accounts by id; a missing account is named by its id. */
export const accountNames = async (tx: Reader): Promise<(id: SqlOutput | undefined) => string> => {
  const rows = await tx.all('select id, name from accounts')
  const names = new Map(rows.map(({ id, name }) => [id, String(name)]))
  return (id) => names.get(id ?? null) ?? String(id)
}

/** Reports a row, which begins with its account and its name. */
type Report = (table: string, row: SqlList, fault: string, remedy: string) => void

/** Returns what reports rows by the names of their accounts, except rows of unfinished copies, which lack others. */
const createReport = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<Report> => {
  const nameOf = await accountNames(tx)
  return (table, [owner, id], fault, remedy) => {
    const account = nameOf(owner)
    if (readUnfinished(account) === undefined) visit({ table, account, id: String(id), fault, remedy })
  }
}

/** Calls `visit` for every unfinished copy of an account. */
const eachUnfinishedCopy = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  for (const row of await tx.all('select id, name from accounts order by id')) {
    const copy = readUnfinished(String(row['name']))
    if (copy === undefined) continue
    const fault = `is an unfinished copy from ${copy.source}`
    visit({ table: 'accounts', account: copy.account, id: String(row['id']), fault, remedy: FINISH_COPY })
  }
}

/** Calls `visit` for everything that breaks a rule of the field table or an invariant of the domain. */
export const eachFault = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  await eachUnfinishedCopy(tx, visit)
  const report = await createReport(tx, visit)
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

/** Returns SQL for the orphaned rows of a table: the account, the name of the row, and the missing id. */
const orphansOf = (table: TableDefinition, reference: ForeignKey): string => {
  const { columns, parent, to } = reference
  const same = columns.map((column, at) => `y.${to[at]} = x.${column}`)
  const within = reference === OF_ACCOUNT ? same : ['y.account_id = x.account_id', ...same]
  return `select x.account_id, ${idOf(table)}, x.${columns[0]} from ${table.name} x
    where x.${columns[0]} is not null and not exists (select 1 from ${parent} y where ${within.join(' and ')})
    ${orderOf(table)}`
}

/**
 * Calls `visit` for every orphaned row: one that refers to a missing row of the same account. Both databases get the
 * same queries, as neither checks all references itself, and repairs by hand may skip the checks.
 */
export const eachOrphan = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const report = await createReport(tx, visit)
  for (const table of (await storeTables()).filter(({ name }) => name !== 'accounts')) {
    for (const reference of [OF_ACCOUNT, ...(table.references ?? [])]) {
      await tx.each(orphansOf(table, reference), [], (row) => {
        report(
          table.name,
          row,
          `${reference.columns[0]} ${row[2]} names nothing in ${reference.parent}`,
          RESTORE_ADVICE,
        )
      })
    }
  }
}

/** Bounds the faults that are reported; more of them have the same cause. */
const MOST_REPORTED = 100

/** Returns the damage that SQLite finds in its file, indexes included. */
export const damageOf = async (tx: Reader): Promise<StoreFault[]> => {
  const rows = await tx.all(`pragma integrity_check(${MOST_REPORTED})`)
  const found = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  return found.map((text) => ({
    table: '',
    account: '',
    id: '',
    fault: text.replaceAll('\n', ' '),
    remedy: RESTORE_ADVICE,
  }))
}
