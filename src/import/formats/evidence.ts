import { Fault } from '../../domain/errors.ts'
import { nameForm } from '../../domain/name-form.ts'
import { isNoNameWord, isNoValueWord, isNumberedError } from './no-value-words.ts'

/** Lists the signs that stand for "no value" in columns of numbers and dates. */
const SIGNS = new Set('-|–|—|--|---|.|..|...|…|?|??|???|/|:'.split('|'))

/** Matches `#REF!`, `#DIV/0!`, `#N/A`, and the same in other languages. */
const SPREADSHEET_ERROR = /^#[\p{L}\p{N}/ _]+[!?]?$/u
const NARROW = /^#+$/
/** Lists the words that accounting programs also write for zero. */
const DASHES = new Set(['-', '–', '—', '--', '---'])

/**
 * Matches what spreadsheets show for "not available", also with the reason that a feed of data adds; their other errors
 * are mistakes.
 */
const NOT_AVAILABLE = /^#(?:N\/A(?: .*)?|N\/D|N\/B|Н\/Д|I\/T|NV|NA|ND|YOK|PUUTTUU|HIÁNYZIK)$/iu

/** Matches an error as a spreadsheet shows it, and no number whose format shows a `#` before it. */
const ERROR_VALUE = /^(?:#[¡¿]?\p{L}[\p{L}\p{N}/ _]*[!?]|#GETTING_DATA)$/iu

/** Tells whether what a cell shows is an error of the spreadsheet instead of its value. */
export const isSpreadsheetError = (shown: string): boolean =>
  ERROR_VALUE.test(shown) || NOT_AVAILABLE.test(shown) || isNumberedError(shown)

const isWord = (text: string): boolean => SIGNS.has(text) || isNoValueWord(text)

/** Tells whether a text is a word for "no value". */
export const isNoValue = (text: string): boolean => isWord(text) || NOT_AVAILABLE.test(text)

/**
 * Tells whether a text can hardly name anything: an error of a spreadsheet, a word for "no value", or signs alone;
 * `mayCount` is for KPIs, which may count errors.
 */
export const isNoName = (name: string, mayCount = false): boolean => {
  const text = nameForm(name)
  return isSpreadsheetError(text) || NARROW.test(text) || isNoNameWord(text, mayCount)
}

/** Tells whether a word for "no value" may also be meant as zero. */
export const mayBeZero = (text: string): boolean => DASHES.has(text)

/** Returns the fault of a text that stands for a missing value. */
export const faultOfNoValue = (text: string): string | undefined => {
  if (NARROW.test(text)) return 'is what a spreadsheet shows in a column that is too narrow'
  if (SPREADSHEET_ERROR.test(text) || isNumberedError(text)) return 'is an error of the spreadsheet, not a value'
  return isWord(text) ? 'stands for no value; leave the cell empty' : undefined
}

/** Reports a text that hardly names anything, and that nothing has as its name. */
export class NoName extends Fault {}

/** Describes a cell that proves something: its text and the line on which its row begins. */
export type Evidence = { readonly text: string; readonly line: number }

/** Returns a cell as it is shown in messages. */
export const showCell = ({ text, line }: Evidence): string => `"${text}" on line ${line}`

/** Reports that a cell is not in its column's format, so the column may mean something else, or have another format. */
export class Misread extends Fault {}
