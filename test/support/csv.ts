import { parse } from 'csv-parse/sync'

/** The rows of a text that must be CSV as RFC 4180 has it, but for what may stand between cells, header included; rows may differ in length only where it is ragged. */
export const csvRows = (text: string, delimiter = ',', isRagged = false): string[][] =>
  parse(text, { relax_quotes: false, relax_column_count: isRagged, delimiter })
