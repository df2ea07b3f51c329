import type { Field, FieldValue, NamedField, Resource } from '../domain/schema.ts'
import type { SqlInput, SqlOutput } from './db.ts'
import type { Dialect } from './dialect.ts'

/** A field and its column. */
export type FieldColumn = NamedField & { readonly column: string }

/** The fields that have a column of their own: everything that is shown, but secrets, of which only a hash is kept. */
export const columnsOf = (of: Resource): readonly FieldColumn[] =>
  of.shown.filter(({ field }) => !field.secret).map((one) => ({ ...one, column: one.field.column ?? one.name }))

/** A value as its column has it: decimals in ten-thousandths, days and instants as counts, booleans as 0 and 1. */
export const toSql = (value: FieldValue): SqlInput => (typeof value === 'boolean' ? Number(value) : value)

/** The value of a field from its column. */
export const fromSql = (field: Field, value: SqlOutput): FieldValue => {
  if (typeof value !== 'bigint') return value
  if (field.kind === 'decimal') return value
  return field.kind === 'boolean' ? value === 1n : Number(value)
}

/** The definition of a field's column. */
export const columnSql = ({ column, field }: FieldColumn, { integer }: Dialect): string => {
  const type = field.kind === 'text' || field.kind === 'choice' ? 'text' : integer
  return `${column} ${type}${field.nullable ? '' : ' not null'}`
}
