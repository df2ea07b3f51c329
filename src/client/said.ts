import { isObject, type Json } from '../codec/json.ts'

/** What the body of an answer that is no refusal says. */
export type Said = {
  /** The words of a fault, or of anything else beside what was asked for. */
  readonly words: string | undefined
  /** All of it. */
  readonly body: Json
}

const LONGEST_WORDS = 200

/** What services tell faults in. */
const FAULTS = ['error', 'errors', 'message', 'detail'] as const

/** Whether a value says nothing. */
export const saysNothing = (value: Json): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0)

/** What an answer says, by its body. */
export const saidIn = (body: Json): Said => {
  const told = isObject(body) ? FAULTS.map((name) => body[name]).find((value) => !saysNothing(value)) : undefined
  if (told === undefined) return { words: undefined, body }
  const words = typeof told === 'string' ? told.trim() : JSON.stringify(told)
  return { words: words.slice(0, LONGEST_WORDS), body }
}
