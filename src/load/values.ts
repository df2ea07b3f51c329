import type { Day } from '../domain/day.ts'
import { parseDecimal } from '../domain/decimal.ts'
import { Fault } from '../domain/errors.ts'
import { checkDay, checkDecimal } from '../domain/field-value.ts'

/** A number in a cell, and whether decimals beyond the fourth were rounded away. */
export type NumberCell = { readonly value: bigint; readonly rounded: boolean }

const SHORT_NUMBER = /^-?\d{1,9}(?:\.\d{1,4})?$/

/** Reads a number with a decimal point. */
export const readNumberCell = (text: string): NumberCell | Fault => {
  // Most cells are short: their double, times ten thousand, is exact once rounded.
  if (SHORT_NUMBER.test(text)) return { value: BigInt(Math.round(Number(text) * 10_000)), rounded: false }
  const parsed = parseDecimal(text)
  const value = checkDecimal(parsed)
  if (value instanceof Fault) return new Fault(`"${text}" ${value.message}`)
  return { value, rounded: parsed?.rounded ?? false }
}

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

/** Reads a date, YYYY-MM-DD. */
export const readDateCell = (text: string): Day | Fault => {
  const day = checkDay(text)
  return day instanceof Fault ? new Fault(`"${text}" ${day.message}`) : day
}
