import { isEmailAddress } from './resources/user.ts'

/**
 * Bounds the texts that are compared as names. Normalizing very many combining marks takes time that grows by the square of
 * their number, so a longer text is compared as it is.
 */
export const LONGEST_NAME = 400

/** Matches texts of which only the case and the blanks between words can differ. */
const PLAIN = /^[ -~]*$/
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
/** Stands for a line break where messages show a text on one line. */
export const LINE_MARK = '⏎'
/** Matches blanks of all kinds, line breaks, and what stands for one. */
const BLANKS = /[\s\u0085\u2800⏎]+/gu
/** Stands alone in the Turkish alphabet, though its capital is that of another letter as well. */
const DOTLESS_I = 'ı'

/** Folds the case of letters: by way of capitals, as ß and ss, or the two small letters of Σ, have the same ones. */
const foldCase = (text: string): string =>
  text
    .split(DOTLESS_I)
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ'))
    .join(DOTLESS_I)

/** Returns a text without what cannot be seen of its signs: how they are encoded, their width, and which are invisible. */
const plainSigns = (text: string): string => text.normalize('NFKC').replaceAll(INVISIBLE, '')

const foldLetters = (text: string): string => foldCase(plainSigns(text)).normalize('NFKC')

/** Returns a name as people see it: names that differ in nothing else are told apart by programs alone. */
export const seenForm = (text: string): string =>
  text.length > LONGEST_NAME ? text : plainSigns(text).replaceAll(BLANKS, ' ').trim()

/**
 * Returns a name or an e-mail address in the form in which all are compared: NFKC, in any case, without invisible signs,
 * and with one blank for any blanks and line breaks. What is stored keeps its own form.
 */
export const nameForm = (text: string): string => {
  if (text.length > LONGEST_NAME) return text
  return (
    PLAIN.test(text) ? text.toLowerCase().replaceAll(/ +/g, ' ') : foldLetters(text).replaceAll(BLANKS, ' ')
  ).trim()
}

/** Matches the signs that are written for an apostrophe. */
const APOSTROPHES = /[\u0060\u00B4\u02B9\u02BB\u02BC\u055A\u05F3\u2018\u2019\u201B\u2032\uA78C]/gu

/**
 * Returns a name as it is compared: in its one form, with any apostrophes, and with any underscores and dashes between its
 * words; in an e-mail address these make a difference.
 */
export const looseName = (text: string): string => {
  if (text.length > LONGEST_NAME) return text
  const form = nameForm(text)
  if (form.includes('@') && isEmailAddress(form)) return form
  const bare = text.replaceAll(APOSTROPHES, "'")
  return (bare === text ? form : nameForm(bare)).replaceAll(/[ _\p{Pd}\u2212]+/gu, ' ')
}

/** Removes the accents of letters. */
export const withoutAccents = (text: string): string =>
  text.length > LONGEST_NAME ? text : text.normalize('NFD').replaceAll(/\p{M}/gu, '')

const EDGE = /[\s\u200B\u2060\uFEFF\u00AD]/u
const BREAK = /[\t-\r\u0085\u2028\u2029⏎]/u

/** Tells whether a text has line breaks or tabs, for which messages show something else. */
export const hasBreaks = (text: string): boolean => BREAK.test(text)

const stripEdges = (text: string): string => {
  let [start, end] = [0, text.length]
  while (start < end && EDGE.test(text.charAt(start))) start += 1
  while (end > start && EDGE.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Returns a text as the name of something new: on one line, and without blanks and invisible signs around it. */
export const newName = (text: string): string =>
  text
    .split(BREAK)
    .map(stripEdges)
    .filter((line) => line !== '')
    .join(' ')
