import { parse } from 'csv-parse/sync'

/** The rows of a text that must be CSV as RFC 4180 has it, header included. */
export const csvRows = (text: string): string[][] => parse(text, { relax_quotes: false })

/** The same where something else stands between cells, and rows need not be of one length. */
export const looseRows = (text: string, delimiter: string): string[][] =>
  parse(text, { relax_quotes: false, relax_column_count: true, delimiter })
