import { stringify } from 'csv-stringify/sync'
import { markText } from '../codec/cell-text.ts'
import { type Decimal, formatDecimal } from '../domain/decimal.ts'

/** How a file is written. */
export type Form = {
  readonly separator: ',' | ';'
  readonly decimal: '.' | ','
  /** For a spreadsheet: with a byte order mark and its line ends, and nothing that it would run as a formula. */
  readonly isSheet: boolean
}

/** As RFC 4180 has it, for programs. */
export const PLAIN_FORM: Form = { separator: ',', decimal: '.', isSheet: false }

/** Whatever may stand between cells is quoted, so that nobody takes it for what stands there. */
const NEEDS_QUOTES = /[",;\t|\r\n]|^\s|\s$/

const NUMBER = /^-?\d+(?:[.,]\d+)?$/

const quoted = (cell: string, separator: string): string =>
  NEEDS_QUOTES.test(cell) && (cell.includes(separator) || !NUMBER.test(cell))
    ? stringify([[cell]], { quoted: true, record_delimiter: '' })
    : cell

/** What a file begins with. */
export const beginningOf = ({ isSheet }: Form): string => (isSheet ? '\uFEFF' : '')

/** A row as a line of the file. */
export const lineOf = ({ separator, isSheet }: Form, cells: readonly string[]): string =>
  `${cells.map((cell) => quoted(cell, separator)).join(separator)}${isSheet ? '\r\n' : '\n'}`

/** Exactly three decimals could be read as thousands. */
const LIKE_THOUSANDS = /\.\d{3}$/

/** A number, exact, in a way that can be read in one way only; nothing where there is none. */
export const numberText = ({ decimal }: Form, value: Decimal | null): string => {
  if (value === null) return ''
  const text = formatDecimal(value)
  return (LIKE_THOUSANDS.test(text) ? `${text}0` : text).replace('.', decimal)
}

/** Free text; nothing where there is none. */
export const notesText = ({ isSheet }: Form, notes: string | null): string =>
  notes === null ? '' : isSheet ? markText(notes) : notes

/** Whether a name may stand in the file as it is. */
export const isPlainName = (name: string): boolean => markText(name) === name && !/^\s|\s$|[\r\n]/.test(name)
