import type { Day } from '../domain/day.ts'
import { Fault } from '../domain/errors.ts'
import { checkDay } from '../domain/field-value.ts'

/** Remembers what a function said of the texts that it was asked, as a file says few things many times. */
export const remember = <T>(read: (text: string) => T, limit = 100_000): ((text: string) => T) => {
  const known = new Map<string, T>()
  let lastText: string | undefined
  let last: T
  const find = (text: string): T => {
    const before = known.get(text)
    if (before !== undefined) return before
    if (known.size >= limit) known.clear()
    const value = read(text)
    known.set(text, value)
    return value
  }
  return (text) => {
    if (text === lastText) return last
    last = find(text)
    lastText = text
    return last
  }
}

/** Reads the date of all rows, YYYY-MM-DD. */
export const readDateCell = (text: string): Day | Fault => {
  const day = checkDay(text)
  return day instanceof Fault ? new Fault(`"${text}" ${day.message}`) : day
}
