import { type Decimal, exactNumber, formatDecimal } from '../domain/decimal.ts'

/** A number in JSON kept as it is written, where a double would lose digits. */
export type RawNumber = { readonly rawJSON: string }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** A double names a decimal of up to 15 digits exactly; only longer numbers are kept as they are written. */
const LONG_NUMBER = /\d[\d.]{15}/

const keepLongNumbers = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && LONG_NUMBER.test(context.source)
    ? JSON.rawJSON(context.source)
    : value

const LONG = 16
const [ZERO, NINE, POINT] = ['0', '9', '.'].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/**
 * Whether a text may hold a long number. Only every 16th character is looked at, as no run of so many lies between two of
 * them: batches of thousands of entries are searched.
 */
const mayHoldLongNumber = (text: string): boolean => {
  const isOfNumber = (at: number): boolean => {
    const code = text.charCodeAt(at)
    return (code >= ZERO && code <= NINE) || code === POINT
  }
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isOfNumber(at)) continue
    let [start, end] = [at, at + 1]
    while (isOfNumber(start - 1)) start -= 1
    while (isOfNumber(end)) end += 1
    if (end - start >= LONG) return true
  }
  return false
}

/** `JSON.parse` that loses no digit: a number too long for a double comes as a `RawNumber`. Throws SyntaxError. */
export const parseExactJson = (text: string): unknown =>
  mayHoldLongNumber(text) ? JSON.parse(text, keepLongNumbers) : JSON.parse(text)

/** A decimal as the shortest JSON number that is exactly it. */
export const jsonOfDecimal = (value: Decimal): number | RawNumber =>
  exactNumber(value) ?? JSON.rawJSON(formatDecimal(value))
