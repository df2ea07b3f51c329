import { isWithin, looseName } from '../../client/directory.ts'

/** Describes a new name that differs in one letter from one that exists, in two that changed places, or in repeated ones. */
export type NearName = { readonly kind: string; readonly name: string; readonly known: string }

/** Sets how short a word may be to have a letter too few or too many, or another one: `Iran` is not `Iraq`. */
const LEAST_FOR_MORE = 4
const LEAST_FOR_OTHER = 6

/** Returns a word with each letter once where it stands several times in a row: of a key that was held too long. */
const squeezed = (word: string): string => word.replaceAll(/(.)\1+/gu, '$1')

/**
 * Returns a word, what is left of it without repeated letters, and all that a letter fewer leaves of it: words that may
 * be mistyped have one of these in common.
 */
const shortened = (word: string): string[] => [
  word,
  squeezed(word),
  ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1)),
]

const sortLetters = (word: string): string => Array.from(word).toSorted().join('')

/** Tells whether one word may be the other, mistyped. */
const isMistyped = (one: string, other: string): boolean => {
  const longest = Math.max(one.length, other.length)
  if (/\d/.test(one + other) || longest < LEAST_FOR_MORE) return false
  if (squeezed(one) === squeezed(other)) return true
  if (one.length !== other.length) return isWithin(1, one, other)
  if (sortLetters(one) === sortLetters(other)) return isWithin(2, one, other)
  return longest >= LEAST_FOR_OTHER && isWithin(1, one, other)
}

/** Tells whether two names differ in one word only, which may be mistyped. */
const isNear = (one: string, other: string): boolean => {
  const [words, others] = [one.split(' '), other.split(' ')]
  if (words.length !== others.length) return false
  const different = [...words.keys()].filter((at) => words[at] !== others[at])
  const [at] = different
  return different.length === 1 && at !== undefined && isMistyped(words[at] ?? '', others[at] ?? '')
}

/** Returns the new names of a kind that may be known ones, mistyped. */
export const nearNames = (kind: string, names: readonly string[], known: Iterable<string>): NearName[] => {
  const byPart = new Map<string, string[]>()
  for (const name of known) {
    for (const part of new Set(shortened(looseName(name)))) {
      const found = byPart.get(part)
      if (found) found.push(name)
      else byPart.set(part, [name])
    }
  }
  return names.flatMap((name) => {
    const folded = looseName(name)
    const similar = new Set(shortened(folded).flatMap((part) => byPart.get(part) ?? []))
    const one = [...similar].find((other) => isNear(folded, looseName(other)))
    return one === undefined ? [] : { kind, name, known: one }
  })
}

const SHOWN = 10

/** Returns warnings about new names that are nearly known ones. */
export const warningsOnNearNames = (near: readonly NearName[]): string[] => [
  ...near
    .slice(0, SHOWN)
    .map(
      ({ kind, name, known }) =>
        `the new ${kind} "${name}" is nearly "${known}", which exists: if that is meant, correct the file`,
    ),
  ...(near.length > SHOWN ? [`${near.length - SHOWN} more new names are nearly known ones`] : []),
]
