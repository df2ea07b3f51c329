import { parse } from 'csv-parse/sync'

/** The rows of a text that must be CSV as RFC 4180 has it, header included. */
export const csvRows = (text: string): string[][] => parse(text, { relax_quotes: false })
