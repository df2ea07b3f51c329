import { isWithin } from '../../client/nearest.ts'
import { mapWithPauses } from '../../client/next-turn.ts'
import { withoutAccents, looseName } from '../../domain/name-form.ts'
import type { Pause } from '../../domain/pause.ts'
import { namesakeForm, personForm } from '../../domain/person-name.ts'

/**
 * Describes a new name that differs in one letter from one that exists, in two that changed places, in repeated ones, or
 * only in accents, signs or blanks; in accents alone also from another new one.
 */
export type NearName = {
  readonly kind: string
  readonly name: string
  readonly known: string
  readonly isNew?: boolean
}

/** Returns a name as it is compared with others that may be mistyped: without accents, unless a word is nothing else. */
const plainName = (name: string): string => {
  const loose = looseName(name)
  const plain = withoutAccents(loose)
  return /^(?! ).*[^ ]$/s.test(plain) && !plain.includes('  ') ? plain : loose
}

/** Sets how short a word may be to have a letter too few or too many, or another one: `Iran` is not `Iraq`. */
const LEAST_FOR_MORE = 4
const LEAST_FOR_OTHER = 6
/** Sets how short it may be where a new person has no address but one that is made of the name. */
const LEAST_OF_PERSON = 3

/** Returns a word with each letter once where it stands several times in a row: of a key that was held too long. */
const squeezed = (word: string): string => word.replaceAll(/(.)\1+/gu, '$1')

/** Matches signs and blanks, but between digits, where they make another number. */
const SIGNS = /(?<!\d)[^\p{L}\p{N}]+|[^\p{L}\p{N}]+(?!\d)/gu

/** Returns a name with nothing but its letters and numbers: St. Gallen and St Gallen are alike, as are Store12 and Store 12. */
const bareName = (name: string): string => name.replaceAll(SIGNS, '')

const [HASH_BASE, HASH_FACTOR] = [0x811c9dc5, 0x01000193]

/** Returns a number for a word without the letter at a place, which few other words have. */
const hashWithout = (word: string, place: number): number => {
  let hash = HASH_BASE
  for (let at = 0; at < word.length; at += 1) {
    if (at !== place) hash = Math.imul(hash ^ word.charCodeAt(at), HASH_FACTOR)
  }
  return hash
}

const NONE = -1
/** Bounds the names that are looked at for a part: one that more have tells nothing. */
const MOST_WITH_PART = 50

/**
 * Returns numbers for a name, for what is left of it without repeated letters, or without signs, and for all that a letter fewer leaves
 * of it: words that may be mistyped have one of these in common.
 */
const partsOf = (word: string): Set<number> => {
  const parts = new Set([word, squeezed(word), bareName(word)].map((part) => hashWithout(part, NONE)))
  for (let at = 0; at < word.length; at += 1) parts.add(hashWithout(word, at))
  return parts
}

const sortLetters = (word: string): string => Array.from(word).toSorted().join('')

/** Tells whether one word may be the other, mistyped. */
const isMistyped = (one: string, other: string, leastForOther: number): boolean => {
  const longest = Math.max(one.length, other.length)
  if (/\d/.test(one + other) || longest < Math.min(LEAST_FOR_MORE, leastForOther)) return false
  if (squeezed(one) === squeezed(other)) return true
  if (one.length !== other.length) return isWithin(1, one, other)
  if (sortLetters(one) === sortLetters(other)) return isWithin(2, one, other)
  return longest >= leastForOther && isWithin(1, one, other)
}

/** Tells whether two names differ in signs and blanks alone, or in one word only, which may be mistyped. */
const isNear = (one: string, other: string, leastForOther: number): boolean => {
  const bare = bareName(one)
  if (bare !== '' && bare === bareName(other)) return true
  const [words, others] = [one.split(' '), other.split(' ')]
  if (words.length !== others.length) return false
  const different = [...words.keys()].filter((at) => words[at] !== others[at])
  const [at] = different
  return different.length === 1 && at !== undefined && isMistyped(words[at] ?? '', others[at] ?? '', leastForOther)
}

/** Finds names by their parts, in little memory: an account has 50,000 names, and each has as many parts as letters. */
const indexParts = async (known: readonly string[], pause: Pause): Promise<(part: number) => number[]> => {
  const lastOf = new Map<number, number>()
  const [nameOf, before]: [number[], number[]] = [[], []]
  for (const [at, name] of known.entries()) {
    const turn = pause()
    if (turn) await turn
    for (const part of partsOf(plainName(name))) {
      before.push(lastOf.get(part) ?? NONE)
      lastOf.set(part, nameOf.push(at) - 1)
    }
  }
  return (part) => {
    const found: number[] = []
    for (let at = lastOf.get(part) ?? NONE; at !== NONE && found.length < MOST_WITH_PART; at = before[at] ?? NONE)
      found.push(nameOf[at] ?? 0)
    return found
  }
}

/** Returns the new names of a kind that may be known ones, mistyped, or differ from another new one in accents alone. */
export const nearNames = async (
  kind: string,
  names: readonly string[],
  known: readonly string[],
  pause: Pause,
  leastForOther = LEAST_FOR_OTHER,
): Promise<NearName[]> => {
  if (names.length === 0) return []
  const namesWith = await indexParts(known, pause)
  const fresh = new Map<string, string>()
  const near = await mapWithPauses(names, pause, (name) => {
    const folded = plainName(name)
    const first = fresh.get(folded) ?? name
    fresh.set(folded, first)
    const similar = new Set([...partsOf(folded)].flatMap(namesWith).toSorted((one, other) => one - other))
    const at = [...similar].find((other) => {
      const plain = plainName(known[other] ?? '')
      return plain === folded || isNear(folded, plain, leastForOther)
    })
    if (at !== undefined) return [{ kind, name, known: known[at] ?? '' }]
    return looseName(first) === looseName(name) ? [] : [{ kind, name, known: first, isNew: true }]
  })
  return near.flat()
}

/** Returns the new people who may be known ones, with another middle name or in another order; of several, the first. */
export const namesakes = async (
  names: readonly string[],
  known: readonly string[],
  pause: Pause,
): Promise<NearName[]> => {
  if (names.length === 0) return []
  const byForm = new Map(known.toReversed().map((name) => [namesakeForm(name), name]))
  const near = await mapWithPauses(names, pause, (name) => {
    const form = namesakeForm(name)
    const other = form === '' ? undefined : byForm.get(form)
    return other === undefined || personForm(other) === personForm(name) ? [] : [{ kind: 'user', name, known: other }]
  })
  return near.flat()
}

/** Returns the new people, known by their names alone, who may be known ones: mistyped, or with another middle name. */
export const nearPeople = async (
  names: readonly string[],
  known: readonly string[],
  pause: Pause,
): Promise<NearName[]> => {
  const near = (await nearNames('user', names, known, pause, LEAST_OF_PERSON)).filter(({ isNew }) => isNew !== true)
  const found = new Set(near.map(({ name }) => name))
  const others = names.filter((name) => !found.has(name))
  return [...near, ...(await namesakes(others, known, pause))]
}

const SHOWN = 10

/** Returns warnings about new names that are nearly known ones, and what to do if those are meant. */
export const warningsOnNearNames = (near: readonly NearName[], way = 'correct the file'): string[] => [
  ...near
    .slice(0, SHOWN)
    .map(
      ({ kind, name, known, isNew }) =>
        `the new ${kind} "${name}" is nearly "${known}", which ${isNew === true ? 'is new, too' : 'exists'}: if that is meant, ${way}`,
    ),
  ...(near.length > SHOWN ? [`${near.length - SHOWN} more new names are nearly known ones`] : []),
]
