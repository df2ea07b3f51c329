import { stringify } from 'csv-stringify/sync'
import { markText } from '../codec/cell-text.ts'
import { type Decimal, formatDecimal } from '../domain/decimal.ts'

/** Describes the format of a file. */
export type SheetFormat = {
  readonly separator: ',' | ';'
  readonly decimal: '.' | ','
  /** Tells that it is for a spreadsheet: with a byte order mark, CRLF line ends, and formulas quoted. */
  readonly isSheet: boolean
}

/** Describes RFC 4180, for programs. */
export const RFC_4180: SheetFormat = { separator: ',', decimal: '.', isSheet: false }

/** Matches cells to be quoted: those with anything that might separate cells. */
const NEEDS_QUOTES = /[",;\t|\r\n]|^\s|\s$/

const NUMBER = /^-?\d+(?:[.,]\d+)?$/

const quoted = (cell: string, separator: string): string =>
  NEEDS_QUOTES.test(cell) && (cell.includes(separator) || !NUMBER.test(cell))
    ? stringify([[cell]], { quoted: true, record_delimiter: '' })
    : cell

/** Returns what a file begins with. */
export const fileHeading = ({ isSheet }: SheetFormat): string => (isSheet ? '\uFEFF' : '')

/** Returns a row as a line of the file. */
export const formatLine = ({ separator, isSheet }: SheetFormat, cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(cell, separator)).join(separator)}${isSheet ? '\r\n' : '\n'}`

/** Matches exactly three decimals, which could be read as thousands. */
const LIKE_THOUSANDS = /\.\d{3}$/

/** Returns a number, exact and unambiguous; empty where there is none. */
export const numberText = ({ decimal }: SheetFormat, value: Decimal | null): string => {
  if (value === null) return ''
  const text = formatDecimal(value)
  return (LIKE_THOUSANDS.test(text) ? `${text}0` : text).replace('.', decimal)
}

/** Returns notes; empty where there are none. */
export const notesText = ({ isSheet }: SheetFormat, notes: string | null): string =>
  notes === null ? '' : isSheet ? markText(notes) : notes

/** Tells whether a name can be written as it is. */
export const isPlainName = (name: string): boolean => markText(name) === name && !/^\s|\s$|[\r\n]/.test(name)
