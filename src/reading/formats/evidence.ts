import type { ImportOptions } from '../options/options.ts'
import { numberOfTruth } from './truth-words.ts'
import { Fault } from '../../domain/errors.ts'
import { isNotAvailable, isNoValueWord, isNumberedError, isTooNarrow } from '../../domain/no-value-words.ts'
import { countOf } from '../../domain/count-text.ts'
import { hasBreaks, nameForm } from '../../domain/name-form.ts'
import { listValue } from '../options/flag-text.ts'

/** Lists the signs that stand for "no value" in columns of numbers and dates. */
const SIGNS = new Set('-|–|—|--|---|.|..|...|…|?|??|???|/|:'.split('|'))

/** Matches `#REF!`, `#DIV/0!`, `#N/A`, and the same in other languages. */
const SPREADSHEET_ERROR = /^#[\p{L}\p{N}/ _]+[!?]?$/u

/** Lists the words that accounting programs also write for zero. */
const DASHES = new Set(['-', '–', '—', '--', '---'])

const isWord = (text: string): boolean => SIGNS.has(text) || isNoValueWord(text)

/** Tells whether a text is a word for "no value". */
const isNoValue = (text: string): boolean => isWord(text) || isNotAvailable(text)

/** Tells whether a word for "no value" may also be meant as zero. */
const mayBeZero = (text: string): boolean => DASHES.has(text)

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

/** Bounds the different words that are kept. */
const MOST_WORDS = 20
const SHOWN_WORDS = 5

type Counted = { count: number; readonly first: Evidence }

/** Collects the words for "no value" in a column of numbers, if the user has not said which there are. */
export const createMissingWords = () => {
  const words = new Map<string, Counted>()
  const shown = ([word, { count, first }]: readonly [string, Counted]): string =>
    `"${word}" (${count === 1 ? `line ${first.line}` : `${count} cells, the first on line ${first.line}`})`
  return {
    note: (text: string, line: number): void => {
      if (!isNoValue(text)) return
      const known = words.get(text)
      if (known) known.count += 1
      else if (words.size < MOST_WORDS) words.set(text, { count: 1, first: { text, line } })
    },
    isFound: (): boolean => words.size > 0,
    /** Returns them in small letters, as an option has words for no value. */
    all: (): ReadonlySet<string> => new Set([...words.keys()].map((word) => word.toLowerCase())),
    /** Returns what they are, and the flags that settle it, for a column or several; undefined if there are none. */
    doubt: (has: 'has' | 'have' = 'has'): string | undefined => {
      if (words.size === 0) return undefined
      const all = [...words]
      const more = all.length - SHOWN_WORDS
      const list =
        all.slice(0, SHOWN_WORDS).map(shown).join(', ') + (more > 0 ? ` and ${countOf(more, 'more word')}` : '')
      const zero = all.some(([word]) => mayBeZero(word)) ? ', and not 0, which a dash may stand for as well' : ''
      return `${has} ${list}, which may stand for no value: --missing ${listValue(...all.map(([word]) => word))} takes such cells as empty${zero}; --missing "" rejects their rows`
    },
  }
}
export type MissingWords = ReturnType<typeof createMissingWords>

/**
 * Returns a function that tells whether a text is one of the words that stand for no value. A text of several lines is
 * also known as a message shows it.
 */
export const createMissingTest = (missing: ReadonlySet<string> | undefined): ((text: string) => boolean) => {
  if (!missing || missing.size === 0) return () => false
  const shown = new Set([...missing].map(nameForm))
  return (text) => missing.has(text.toLowerCase()) || (hasBreaks(text) && shown.has(nameForm(text)))
}

/** Says which texts of values mean something else. */
export type ValueOptions = Partial<Pick<ImportOptions, 'missing' | 'booleans'>>

/** Returns a function that gives the text of a value: empty for one that stands for none, and a number for a truth value, where these are numbers. */
export const valueReader = ({ missing, booleans }: ValueOptions): ((text: string) => string) => {
  const valueOf = withoutMissing(missing)
  return booleans === undefined ? valueOf : (text) => numberOfTruth(valueOf(text))
}

/** Returns a function that gives an empty text for one that stands for no value. */
export const withoutMissing = (missing: ReadonlySet<string> | undefined): ((text: string) => string) => {
  if (!missing || missing.size === 0) return (text) => text
  const isMissing = createMissingTest(missing)
  return (text) => (isMissing(text) ? '' : text)
}
