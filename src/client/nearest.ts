import leven from 'leven'
import type { Fault } from '../domain/errors.ts'
import { looseName } from '../domain/name-form.ts'

/** Introduces the name that was probably meant. */
export const DID_YOU_MEAN = 'did you mean '

/** Returns how a fault about an unknown word ends: with the one that was probably meant, or with what else helps. */
export const didYouMean = (near: string | undefined, otherwise = ''): string =>
  near === undefined ? otherwise : `; ${DID_YOU_MEAN}${near}?`

/** Returns how a fault about an unknown name ends that people gave; see `didYouMean`. */
export const didYouMeanName = (near: string | undefined, otherwise?: string): string =>
  didYouMean(near && `"${near}"`, otherwise)

/** Returns what a fault suggests, behind a semicolon; nothing if it suggests no name. */
export const suggestionIn = ({ message }: Fault): string => {
  const at = message.lastIndexOf(`; ${DID_YOU_MEAN}"`)
  return at < 0 ? '' : message.slice(at)
}

const SUGGESTION_DISTANCE = 3
const LEAST_BEGINNING = 3

/** Returns in how many characters two texts differ, or `most + 1` where they differ in more. */
const distanceWithin = (most: number, one: string, other: string): number =>
  Math.abs(one.length - other.length) > most ? most + 1 : leven(one, other, { maxDistance: most + 1 })

/** Tells whether two texts differ in at most so many characters. */
export const isWithin = (most: number, one: string, other: string): boolean => distanceWithin(most, one, other) <= most

/** Returns the only name that a text may stand for, if the text is long enough to tell. */
const onlyOne = (text: string, names: readonly string[], isMeant: (name: string) => boolean): string | undefined => {
  const [only, ...more] = names.filter((name) => isMeant(looseName(name)))
  return text.length >= LEAST_BEGINNING && more.length === 0 ? only : undefined
}

/** Returns the only name that begins with a text. */
const completed = (text: string, names: readonly string[]): string | undefined => {
  const beginning = looseName(text)
  return onlyOne(text, names, (name) => name.startsWith(beginning))
}

/** Returns the only name with a word that begins with a text, such as a last name. */
export const withWord = (text: string, names: readonly string[]): string | undefined => {
  const beginning = ` ${looseName(text)}`
  return onlyOne(text, names, (name) => name.includes(beginning))
}

/** Returns the name that a misspelt or shortened text most likely means, if there is one. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const wanted = looseName(text)
  let best: string | undefined
  // Where every letter differs, nothing is near.
  let most = Math.min(SUGGESTION_DISTANCE, Math.ceil(text.length / 3), text.length - 1)
  for (const name of names) {
    const distance = distanceWithin(most, wanted, looseName(name))
    if (distance <= most) [best, most] = [name, distance - 1]
  }
  return best ?? completed(text, names)
}

/** Returns how a fault about an unknown word ends: with the near one of those that there are, or with all of them. */
export const nearestOrAll = (text: string, words: readonly string[]): string =>
  didYouMean(nearest(text, words), `; there are ${words.join(', ')}`)

/** Suggests a name for a text that is none, as `find` does. */
type Suggest = (
  text: string,
  names: () => readonly string[],
  find?: (text: string, names: readonly string[]) => string | undefined,
) => string | undefined

/** Bounds how many pairs of letters are compared for suggestions, which takes half a second. */
const MOST_COMPARED = 150_000_000
/** Says how many comparisons of letters it takes to bring a letter of a name into the form that is compared. */
const FOLDING = 10

/**
 * Creates what suggests names for many texts. A file may have 100,000 names that an account of 50,000 users does not
 * know: the first of them get a suggestion, as long as all that was compared stays within a bound, and the others none.
 */
export const createSuggest = (): Suggest => {
  let left = MOST_COMPARED
  return (text, names, find = nearest) => {
    if (left <= 0) return undefined
    const all = names()
    for (const { length } of all) {
      left -= length * FOLDING
      if (Math.abs(length - text.length) <= SUGGESTION_DISTANCE) left -= length * text.length
    }
    return left <= 0 ? undefined : find(text, all)
  }
}
