import { stringify } from 'csv-stringify/sync'
import type { AnyRecord, NamedField } from '../domain/schema.ts'
import { cellText } from './cell-text.ts'

/** Returns the header line of a CSV file (RFC 4180) with these columns. */
export const csvHeader = (columns: readonly NamedField[]): string => stringify([columns.map(({ name }) => name)])

const NEEDS_QUOTES = /[",\r\n]/

/** Returns a line of CSV. Joins the cells itself if none needs quotes, since `stringify` checks each cell at length. */
const csvLine = (cells: string[]): string =>
  cells.some((cell) => NEEDS_QUOTES.test(cell)) ? stringify([cells]) : `${cells.join(',')}\n`

/** Returns records as lines of a CSV file. */
export const csvLines = (columns: readonly NamedField[], records: readonly AnyRecord[]): string =>
  records.map((record) => csvLine(columns.map(({ name, field }) => cellText(field, record[name] ?? null)))).join('')
