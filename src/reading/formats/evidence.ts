import { Fault } from '../../domain/errors.ts'
import { isNotAvailable, isNoValueWord, isNumberedError, isTooNarrow } from '../../domain/no-value-words.ts'

/** Lists the signs that stand for "no value" in columns of numbers and dates. */
const SIGNS = new Set('-|–|—|--|---|.|..|...|…|?|??|???|/|:'.split('|'))

/** Matches `#REF!`, `#DIV/0!`, `#N/A`, and the same in other languages. */
const SPREADSHEET_ERROR = /^#[\p{L}\p{N}/ _]+[!?]?$/u

/** Lists the words that accounting programs also write for zero. */
const DASHES = new Set(['-', '–', '—', '--', '---'])

const isWord = (text: string): boolean => SIGNS.has(text) || isNoValueWord(text)

/** Tells whether a text is a word for "no value". */
export const isNoValue = (text: string): boolean => isWord(text) || isNotAvailable(text)

/** Tells whether a word for "no value" may also be meant as zero. */
export const mayBeZero = (text: string): boolean => DASHES.has(text)

/** Returns the fault of a text that stands for a missing value. */
export const faultOfNoValue = (text: string): string | undefined => {
  if (isTooNarrow(text)) return 'is what a spreadsheet shows in a column that is too narrow'
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
