import { isWithin } from '../../client/directory.ts'

/** Bounds the words that are suggested: of more, none is likelier. */
export const MOST_SUGGESTED = 3
/** Sets how many letters of a word must be typed to tell what it begins. */
const LEAST_BEGINNING = 2

/** Returns how many letters of two words may differ, by the length of the longer one. */
const allowedFor = (length: number): number => (length < 3 ? 0 : Math.max(1, Math.floor(length / 4)))

/** Lists how many letters differ in words that may be the same, the fewest first. */
const SLIPS = [0, 1, 2, 3] as const

/** Tells whether two words are the same but for two neighbouring letters, which are swapped. */
const isSwapped = (one: string, other: string): boolean => {
  const at = one.split('').findIndex((letter, place) => letter !== other[place])
  if (at < 0 || one.length !== other.length) return false
  return other === one.slice(0, at) + one.charAt(at + 1) + one.charAt(at) + one.slice(at + 2)
}

/** Returns how many slips of the finger, or of the plural, make a word of another; infinite where none likely do. */
const slipsBetween = (typed: string, word: string): number => {
  if (isSwapped(typed, word) || typed.replace(/y$/, 'ies') === word) return 1
  const allowed = allowedFor(Math.max(typed.length, word.length))
  return SLIPS.find((slips) => slips <= allowed && isWithin(slips, typed, word)) ?? Infinity
}

/** Returns those of some words that begin as typed; none where too few letters are typed, or too many words do. */
const begunBy = (typed: string, words: readonly string[]): string[] => {
  const found = words.filter((word) => typed.length >= LEAST_BEGINNING && word.startsWith(typed))
  return found.length > MOST_SUGGESTED ? [] : found
}

/** Returns the words of a list that a typed one may be a slip of, or the beginning of; the nearest alone, and often none. */
export const nearWords = (typed: string, words: Iterable<string>): string[] => {
  const [wanted, all] = [typed.trim().toLowerCase(), [...new Set(words)]]
  const slips = new Map(all.map((word) => [word, slipsBetween(wanted, word.toLowerCase())]))
  const fewest = Math.min(...slips.values())
  if (fewest === Infinity) return begunBy(wanted, all)
  const nearest = all.filter((word) => slips.get(word) === fewest)
  // The first letter is rarely wrong.
  const alike = nearest.filter((word) => word.toLowerCase().startsWith(wanted.charAt(0)))
  return alike.length > 0 ? alike : nearest
}
