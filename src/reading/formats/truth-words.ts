import { looseName, withoutAccents } from '../../domain/name-form.ts'
import { memoize } from './date-format.ts'

const foldWord = (word: string): string => withoutAccents(looseName(word))
const foldWords = (words: string): ReadonlySet<string> => new Set(words.split(', ').map(foldWord))

/** Lists the words for true and false, as spreadsheets and people of several countries write them. */
const YES = foldWords(
  'true, yes, y, 1, x, on, wahr, ja, j, vrai, oui, verdadero, sí, si, s, vero, verdadeiro, sim, waar, sant, prawda, tak',
)
const NO = foldWords('false, no, n, 0, off, falsch, nein, faux, non, falso, não, onwaar, nee, falskt, nej, fałsz, nie')

/** Returns what a word for true or false means; undefined if it is none. */
export const meantBoolean = (text: string): boolean | undefined => {
  const word = foldWord(text)
  if (YES.has(word)) return true
  return NO.has(word) ? false : undefined
}

/** Matches words, and of single letters those that hardly stand for anything else. */
const WORD = /^(?:\p{L}{2,}|[jny])$/iu
/** Sets how long a word for true or false is at most. */
const LONGEST_WORD = 12

const findNumber = memoize((text: string): string => {
  const meant = meantBoolean(text)
  return meant === undefined ? text : meant ? '1' : '0'
}, 1000)

/** Returns 1 for a word that means true and 0 for one that means false; any other text as it is. */
export const numberOfTruth = (text: string): string =>
  text.length > LONGEST_WORD || !WORD.test(text) ? text : findNumber(text)

/** Tells whether a text is a word for true or false. */
export const isTruthWord = (text: string): boolean => numberOfTruth(text) !== text

/** Tells whether texts are truth values: words, or letters for both true and false. */
export const areTruthValues = (texts: readonly string[]): boolean =>
  texts.length > 0 &&
  texts.every(isTruthWord) &&
  (texts.some(({ length }) => length > 1) || new Set(texts.map(numberOfTruth)).size > 1)
