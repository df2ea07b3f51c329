import { Fault } from '../domain/errors.ts'
import { checkValue, rangeOf } from '../domain/field-value.ts'
import type { Field, Resource } from '../domain/schema.ts'
import { columnsOf, type FieldColumn, fromSql } from './columns.ts'
import type { SqlList, SqlOutput } from './db.ts'
import type { Table } from './migrations.ts'

/** What is wrong with what a column holds, by the rules of its field. */
export const faultOfColumn = (field: Field, stored: SqlOutput): string | undefined => {
  if (stored === null) return field.nullable ? undefined : 'is missing'
  if (field.kind === 'boolean') return stored === 0n || stored === 1n ? undefined : 'must be 0 or 1'
  const value = fromSql(field, stored)
  const kept = checkValue(field, value)
  if (kept instanceof Fault) return kept.message
  if (kept === value) return undefined
  return kept === null ? 'is blank' : 'is not as it would be kept: it has blanks around it, or old line ends'
}

/** A query for the rows of a table, and what is wrong with a row that it gives: a line for each column. */
export type RowCheck = { readonly sql: string; readonly faultsOf: (row: SqlList) => string[] }

/** Where a row is worth a look: a text in any case, a number where it is beyond its range. */
const isSuspect = ({ column, field }: FieldColumn): string => {
  const range = rangeOf(field)
  return range ? `x.${column} not between ${range[0]} and ${range[1]}` : `x.${column} is not null`
}

/** Checks all rows of a table by the field table. A row of the query is its account, its id, and the columns. */
export const rowCheck = (
  table: Pick<Table, 'name' | 'without'> & { readonly of: Resource },
  account: string,
  id: string,
): RowCheck => {
  const columns = columnsOf(table.of).filter(({ name }) => !table.without?.includes(name))
  const names = columns.map(({ column }) => `x.${column}`)
  return {
    sql: `select ${[account, id, ...names].join(', ')} from ${table.name} x where (${columns.map(isSuspect).join(' or ')})`,
    faultsOf: (row) =>
      columns.flatMap(({ name, field }, at) => {
        const fault = faultOfColumn(field, row[at + 2] ?? null)
        return fault === undefined ? [] : [`${name} ${fault}`]
      }),
  }
}
