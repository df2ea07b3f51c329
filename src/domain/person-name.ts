import { looseName } from './name-form.ts'

/** Describes the name of a person. */
export type PersonName = { readonly first_name: string; readonly last_name: string | null }

/** Lists titles and forms of address, which are no part of a name, in the languages of the usual spreadsheets. */
const TITLES = new Set(
  (
    'dr, prof, professor, professorin, doctor, doktor, mr, mrs, ms, herr, frau, mme, mlle, madame, monsieur, sra, srta, dra, profa, ' +
    'dott, dottore, dottoressa, dottssa, sig, sigra, drs, dhr, mevr'
  ).split(', '),
)
/** Lists titles that are names as well, unless they are written as shortened words. */
const SHORTENED = new Set(['med', 'phil', 'rer', 'nat', 'jur', 'iur', 'hc', 'ing', 'ir', 'mag', 'mgr', 'habil', 'dipl', 'dipling', 'sr']) // prettier-ignore
/** Lists degrees, which stand behind a name. */
const DEGREES = new Set(['phd', 'mba', 'msc', 'bsc', 'llm'])

const BLANKS = /\s+/
const wordsOf = (text: string): string[] => text.split(BLANKS).filter((word) => word !== '')
const bare = (word: string): string => word.replaceAll(/[.-]/g, '').toLowerCase()

const isTitle = (word: string): boolean => TITLES.has(bare(word)) || (word.endsWith('.') && SHORTENED.has(bare(word)))
const isDegree = (word: string): boolean => DEGREES.has(bare(word))

/** Splits a text into the titles that it begins with, and the rest; a name is never a title alone. */
const splitTitles = (text: string): readonly [titles: string[], words: string[]] => {
  const words = wordsOf(text)
  const first = words.findIndex((word) => !isTitle(word))
  return first <= 0 ? [[], words] : [words.slice(0, first), words.slice(first)]
}

/** Describes a text that is read as a name: its titles, the words of its first names and of its last name, and degrees. */
type NameParts = {
  readonly titles: readonly string[]
  readonly first: readonly string[]
  readonly last: readonly string[] | undefined
  readonly degrees: readonly string[]
}

/** Reads a name: `Dr. Lee, Ann` and `Lee, Ann, Dr.` are those of `Dr. Ann Lee`; a last name is known where there is a comma. */
const readName = (name: string): NameParts => {
  const parts = name.split(',').map((part) => wordsOf(part).join(' '))
  const isAside = (part: string): boolean => wordsOf(part).every((word) => isTitle(word) || isDegree(word))
  const plain = parts.filter((part) => !isAside(part))
  const aside = plain.length === 0 ? [] : parts.filter(isAside).flatMap(wordsOf)
  const [titles, degrees] = [aside.filter(isTitle), aside.filter(isDegree)]
  const [one = '', two, ...more] = plain
  if (two === undefined || more.length > 0) {
    const [before, words] = splitTitles(plain.length === 0 ? name : plain.join(', '))
    return { titles: [...titles, ...before], first: words, last: undefined, degrees }
  }
  const [[before, last], [others, first]] = [splitTitles(one), splitTitles(two)]
  return { titles: [...titles, ...before, ...others], first, last, degrees }
}

/** Splits a name: `Lee, Ann` and `Ann Lee` are the same; the last word is the last name, and titles stay before the first. */
export const splitName = (name: string): PersonName => {
  const { titles, first, last, degrees } = readName(name)
  const words = last === undefined && first.length > 1 ? first.slice(0, -1) : first
  const ends = last ?? (first.length > 1 ? first.slice(-1) : [])
  const end = [...ends, ...degrees].join(' ')
  return { first_name: [...titles, ...words].join(' '), last_name: end === '' ? null : end }
}

/** Returns the name that two texts give: titles before the last name stay before the first, as where both are one text. */
export const joinName = (first: string, last: string): PersonName =>
  splitTitles(last)[0].length > 0
    ? splitName(`${last.replaceAll(',', ' ')}, ${first}`)
    : { first_name: first, last_name: last }

/** Returns the name that a text beside a last name gives: of `Ann`, and of `Ann Lee` and `Lee, Ann`, which repeat it. */
export const nameBeside = (text: string, last: string): PersonName => {
  const [words, own, { length }] = [wordsOf(text.replaceAll(',', ' ')), looseName(last), wordsOf(last)]
  const at = words.findIndex((_, from) => looseName(words.slice(from, from + length).join(' ')) === own)
  if (at < 0) return joinName(text, last)
  const first = words.toSpliced(at, length).join(' ')
  return first === '' ? splitName(text) : joinName(first, last)
}

/** Tells whether a word between the names of a person is a title, as of `Ann` `Dr. Lee`. */
const isTitleBetween = (word: string, at: number, { length }: readonly string[]): boolean =>
  at > 0 && at < length - 1 && word.endsWith('.') && isTitle(word)

/** Returns the words by which a person is known, first names first: without titles and degrees, however it is written. */
const knownWords = (name: string): string[] => {
  const { first, last = [] } = readName(name)
  const words = [...first, ...last].filter((word, at, all) => !isTitleBetween(word, at, all))
  return wordsOf(looseName(words.join(' '))).filter((word) => !isDegree(word))
}

/** Returns a person's name as it is compared: `Lee, Dr. Ann` is `ann lee`. */
export const personForm = (name: string): string => knownWords(name).join(' ')

/** Returns what the names of a person have in common, with and without middle names, and in any order; empty for one word. */
export const namesakeForm = (name: string): string => {
  const words = knownWords(name)
  const [first, last] = [words.at(0), words.at(-1)]
  return words.length < 2 || first === undefined || last === undefined ? '' : [first, last].toSorted().join(' ')
}
