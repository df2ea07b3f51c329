import { isObject, type Json } from '../codec/json.ts'

/** What the body of an answer that is no refusal says. */
export type Said = {
  /** The words of a fault, or of anything else beside what was asked for. */
  readonly words: string | undefined
  /** How it looks, without its numbers: the same for answers that say the same. Empty for nothing at all. */
  readonly shape: string
}

const LONGEST_WORDS = 200

/** What services tell faults in. */
const FAULTS = ['error', 'errors', 'message', 'detail'] as const

const isEmpty = (value: Json): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** Words stay as they are; what differs from entry to entry does not: numbers, dates. */
const shapeOf = (value: Json): unknown => {
  if (typeof value === 'boolean' || (typeof value === 'string' && !/\d/.test(value))) return value
  return Array.isArray(value) ? 'list' : typeof value
}

export const saidIn = (body: Json): Said => {
  if (!isObject(body)) return { words: undefined, shape: isEmpty(body) ? '' : String(shapeOf(body)) }
  const told = FAULTS.map((name) => body[name]).find((value) => !isEmpty(value))
  const entries = Object.entries(body).filter(([, value]) => !isEmpty(value) || value === false)
  const shape = entries.length === 0 ? '' : JSON.stringify(entries.map(([name, value]) => [name, shapeOf(value)]))
  if (told === undefined) return { words: undefined, shape }
  const words = typeof told === 'string' ? told.trim() : JSON.stringify(told)
  return { words: words.slice(0, LONGEST_WORDS), shape: words }
}
