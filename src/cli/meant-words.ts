import { VERBS } from './args/aliases.ts'
import { MOST_SUGGESTED, nearWords } from './args/near-words.ts'
import { AMBIGUOUS_COMMANDS, FOREIGN_COMMANDS } from './foreign-words.ts'

/** Returns what a table has for a word. */
export const own = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** Returns the words of other programs for a command, in ours. */
export const inOurs = (typed: string): string[] => [
  ...(own(FOREIGN_COMMANDS, typed) ?? []),
  ...(VERBS.get(typed) ?? []),
]

/** Returns what is meant among names: what other programs call so, or what is near. */
export const meantAmong = (typed: string, names: readonly string[], ours: readonly string[]): string[] => {
  const several = (own(AMBIGUOUS_COMMANDS, typed) ?? []).filter((name) => names.includes(name))
  if (several.length > 0) return several
  const known = ours.find((name) => names.includes(name))
  return known === undefined ? nearWords(typed, names) : [known]
}

/** Returns the one name that a word means among some; undefined if it means none, or several. */
export const onlyMeant = (typed: string, names: readonly string[]): string | undefined => {
  if (names.includes(typed)) return typed
  const [meant, ...others] = meantAmong(typed, names, inOurs(typed))
  return others.length === 0 ? meant : undefined
}

/** Returns the question whether one of some names was meant; undefined for none, or too many. */
export const sayNames = (names: readonly string[]): string | undefined =>
  names.length === 0 || names.length > MOST_SUGGESTED ? undefined : `Did you mean ${names.join(' or ')}?`
