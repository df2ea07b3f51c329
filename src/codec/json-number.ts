import { type Decimal, exactNumber, formatDecimal } from '../domain/decimal.ts'
import { JsonReader } from './json-reader.ts'

/** Describes a number in JSON as its text, because a double would lose digits. */
export type RawNumber = { readonly rawJSON: string }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

const LONG_NUMBER_LENGTH = 16
const [ZERO, NINE, POINT] = ['0', '9', '.'].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/**
 * Tells whether a text may hold a long number. It checks only every 16th character, since every run of 16 digits has
 * one of them: batches have thousands of entries.
 */
const mayHoldLongNumber = (text: string): boolean => {
  const isOfNumber = (at: number): boolean => {
    const code = text.charCodeAt(at)
    return (code >= ZERO && code <= NINE) || code === POINT
  }
  for (let at = LONG_NUMBER_LENGTH - 1; at < text.length; at += LONG_NUMBER_LENGTH) {
    if (!isOfNumber(at)) continue
    let [start, end] = [at, at + 1]
    while (isOfNumber(start - 1)) start -= 1
    while (isOfNumber(end)) end += 1
    if (end - start >= LONG_NUMBER_LENGTH) return true
  }
  return false
}

const NO_LIMITS = { depth: Infinity, members: Infinity, keys: Infinity, isKept: () => true }

const parseWithReader = (text: string): unknown => {
  const reader = new JsonReader(text, NO_LIMITS)
  reader.read(Infinity)
  return reader.value
}

/** Parses JSON without losing digits: a number too long for a double becomes a `RawNumber`. Throws SyntaxError. */
export const parseExactJson = (text: string): unknown =>
  mayHoldLongNumber(text) ? parseWithReader(text) : JSON.parse(text)

/** Returns a decimal as the shortest JSON number that equals it. */
export const jsonOfDecimal = (value: Decimal): number | RawNumber =>
  exactNumber(value) ?? JSON.rawJSON(formatDecimal(value))
