import { formatDay, formatInstant } from '../domain/day.ts'
import { formatDecimal } from '../domain/decimal.ts'
import type { AnyRecord, Field, FieldValue, NamedField } from '../domain/schema.ts'

/** Returns a value as text for people and for CSV files; null is empty. */
export const cellText = (field: Field, value: FieldValue): string => {
  if (value === null) return ''
  if (typeof value === 'bigint') return formatDecimal(value)
  if (typeof value === 'number' && field.kind === 'date') return formatDay(value)
  if (typeof value === 'number' && field.kind === 'datetime') return formatInstant(value)
  return String(value)
}

/** Returns a value as people read it in a sentence: a word for a letter, and no secret. */
export const valueWord = (field: Field, value: FieldValue): string =>
  field.secret ? '(hidden)' : (field.words?.[field.oneOf?.indexOf(String(value)) ?? -1] ?? cellText(field, value))

/** Returns the text of a record's value in a column for people. */
export const cellOf = ({ name, field, textOf }: NamedField, record: AnyRecord): string =>
  textOf ? textOf(record) : cellText(field, record[name] ?? null)

/** Returns the text of a value. */
type WriteValue = (value: FieldValue) => string

/** Returns a function that remembers its last text: in sorted rows, a value is often that of the row before. */
export const rememberingLast = (write: WriteValue): WriteValue => {
  let known: FieldValue | undefined
  let text = ''
  return (value) => {
    if (value !== known) {
      text = write(value)
      known = value
    }
    return text
  }
}

/** Matches a text that a spreadsheet would run as a formula, also after apostrophes. */
const NEEDS_MARK = /^'*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/
const IS_MARKED = /^'+[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/

/** Puts an apostrophe before a text that a spreadsheet would run as a formula, as spreadsheets themselves do. */
export const markText = (text: string): string => (NEEDS_MARK.test(text) ? `'${text}` : text)

/** Returns the text of a cell without that apostrophe. */
export const unmarkText = (text: string): string => (IS_MARKED.test(text) ? text.slice(1) : text)
