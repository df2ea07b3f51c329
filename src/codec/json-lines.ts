import { formatDay, formatInstant } from '../domain/day.ts'
import { formatDecimal } from '../domain/decimal.ts'
import type { AnyRecord, Field, FieldValue, NamedField } from '../domain/schema.ts'
import { rememberingLast } from './cell-text.ts'
import { datedTargetsJson } from './dated-targets.ts'

/** Returns a value as JSON text. */
type Quote = (value: string | number | boolean | null) => string

const valueWriter = ({ kind }: Field, quote: Quote) =>
  rememberingLast((value: FieldValue) => {
    if (typeof value === 'bigint') return formatDecimal(value)
    if (kind === 'targets' && typeof value === 'string') return JSON.stringify(datedTargetsJson(value))
    if (typeof value !== 'number') return quote(value)
    if (kind === 'date') return `"${formatDay(value)}"`
    return kind === 'datetime' ? `"${formatInstant(value)}"` : quote(value)
  })

/** Creates a function that returns a record as a JSON object on one line, with these columns in order. */
export const jsonLineWriter = (columns: readonly NamedField[], quote: Quote): ((record: AnyRecord) => string) => {
  const members = columns.map(({ name, field }, at) => ({
    name,
    before: `${at === 0 ? '{' : ','}${quote(name)}:`,
    write: valueWriter(field, quote),
  }))
  // One list for all lines: joining it is faster than adding texts, which are copied when they are written.
  const parts: string[] = members.flatMap(({ before }) => [before, ''])
  const end = members.length === 0 ? '{}' : '}'
  return (record) => {
    members.forEach(({ name, write }, at) => (parts[at * 2 + 1] = write(record[name] ?? null)))
    return parts.join('') + end
  }
}
