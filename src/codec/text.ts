import { formatDay, formatInstant } from '../domain/day.ts'
import { formatDecimal } from '../domain/decimal.ts'
import type { Field, FieldValue } from '../domain/schema.ts'

/** A value as people and CSV files have it; null is empty. */
export const textOf = (field: Field, value: FieldValue): string => {
  if (value === null) return ''
  if (typeof value === 'bigint') return formatDecimal(value)
  if (typeof value === 'number' && field.kind === 'date') return formatDay(value)
  if (typeof value === 'number' && field.kind === 'datetime') return formatInstant(value)
  return String(value)
}
