import { parse } from 'csv-parse/sync'

/** The rows of a text that must be CSV as RFC 4180 has it, but for what may stand between cells, header included. */
export const csvRows = (text: string, delimiter = ','): string[][] => parse(text, { relax_quotes: false, delimiter })
