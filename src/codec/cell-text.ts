import { formatDay, formatInstant } from '../domain/day.ts'
import { formatDecimal } from '../domain/decimal.ts'
import type { Field, FieldValue } from '../domain/schema.ts'

/** Returns a value as people and CSV files have it; null is empty. */
export const cellText = (field: Field, value: FieldValue): string => {
  if (value === null) return ''
  if (typeof value === 'bigint') return formatDecimal(value)
  if (typeof value === 'number' && field.kind === 'date') return formatDay(value)
  if (typeof value === 'number' && field.kind === 'datetime') return formatInstant(value)
  return String(value)
}

/** Matches what a spreadsheet would run as a formula, or has marked as text, with or without our mark before it. */
const NEEDS_MARK = /^'*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/
const IS_MARKED = /^'+[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/

/** Marks a text that a spreadsheet would run as a formula, by an apostrophe before it, as spreadsheets themselves do. */
export const markText = (text: string): string => (NEEDS_MARK.test(text) ? `'${text}` : text)

/** Returns the text of a cell without the mark. */
export const unmarkText = (text: string): string => (IS_MARKED.test(text) ? text.slice(1) : text)
