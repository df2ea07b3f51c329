import type { Field } from '../../domain/schema.ts'
import { DID_YOU_MEAN } from '../../client/directory.ts'
import { nearWords } from './near-words.ts'

/** Maps what others call a choice to the words for ours; those that a flag has are meant. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  day: ['daily'],
  annual: ['yearly'],
  annually: ['yearly'],
  higher: ['up'],
  increase: ['up'],
  lower: ['down'],
  decrease: ['down'],
  neutral: ['none'],
  inactive: ['locked'],
  disabled: ['locked'],
  blocked: ['locked'],
  enabled: ['active'],
  unlocked: ['active'],
  mean: ['average'],
  avg: ['average'],
  sum: ['total'],
  yml: ['yaml'],
  md: ['markdown'],
  text: ['table'],
}

/** Returns the end of a message about a word that is not among some: the near ones, or nothing. */
export const nearHint = (typed: string, words: readonly string[]): string => {
  const wanted = typed.trim().toLowerCase()
  const foreign = Object.hasOwn(FOREIGN, wanted) ? (FOREIGN[wanted] ?? []) : []
  const known = foreign.filter((word) => words.includes(word))
  const meant = known.length > 0 ? known : nearWords(wanted, words)
  return meant.length === 0 ? '' : `; ${DID_YOU_MEAN}${meant.join(' or ')}?`
}

/** Returns the choices of a field as people type them, with what is stored, and the one that a text probably means. */
export const sayChoices = ({ oneOf = [], words }: Field, text: string): string => {
  const said = words?.map((word, at) => `${word} (${oneOf[at]})`) ?? oneOf
  return `one of ${said.join(', ')}${nearHint(text, words ?? oneOf)}`
}
