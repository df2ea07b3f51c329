import { isObject, type Json } from '../codec/json.ts'

/**
 * What the body of an answer that is no refusal says: nothing at all, something that may be what was asked for, or, where it
 * tells of a fault or of anything else than that, its words.
 */
export type Said = 'nothing' | 'something' | { readonly words: string }

const LONGEST_WORDS = 200

/** What services tell faults in. */
const FAULTS = ['error', 'errors', 'message', 'detail'] as const

const isEmpty = (value: Json): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

export const saidIn = (body: Json): Said => {
  if (!isObject(body)) return 'nothing'
  const told = FAULTS.map((name) => body[name]).find((value) => !isEmpty(value))
  if (told === undefined) return Object.keys(body).length === 0 ? 'nothing' : 'something'
  const words = typeof told === 'string' ? told.trim() : JSON.stringify(told)
  return { words: words.slice(0, LONGEST_WORDS) }
}
