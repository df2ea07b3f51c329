import { stringify } from 'csv-stringify/sync'
import type { AnyRecord, FieldValue, NamedField } from '../domain/schema.ts'
import { cellText, rememberingLast } from './cell-text.ts'

/** Returns the header line of a CSV file (RFC 4180) with these columns. */
export const csvHeader = (columns: readonly NamedField[]): string => stringify([columns.map(({ name }) => name)])

const NEEDS_QUOTES = /[",\r\n]/

/** Returns a cell of CSV; calls `stringify` only if it needs quotes, since that checks each cell at length. */
const csvCell = (text: string): string => (NEEDS_QUOTES.test(text) ? stringify([[text]]).slice(0, -1) : text)

/** Creates a function that returns records as lines of a CSV file with these columns. */
export const csvWriter = (columns: readonly NamedField[]): ((records: readonly AnyRecord[]) => string) => {
  const cells = columns.map(({ name, field }) => ({
    name,
    write: rememberingLast((value: FieldValue) => csvCell(cellText(field, value))),
  }))
  // One list for all lines: joining it is faster than adding texts, which are copied when they are written.
  const line: string[] = cells.map(() => '')
  return (records) => {
    const lines = records.map((record) => {
      cells.forEach(({ name, write }, at) => (line[at] = write(record[name] ?? null)))
      return `${line.join(',')}\n`
    })
    return lines.join('')
  }
}
