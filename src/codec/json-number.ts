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

/** `JSON.parse` that loses no digit: a number too long for a double comes as a `RawNumber`. Throws SyntaxError. */
export const parseExactJson = (text: string): unknown =>
  LONG_NUMBER.test(text) ? JSON.parse(text, keepLongNumbers) : JSON.parse(text)

/** A decimal as the shortest JSON number that is exactly it. */
export const jsonOfDecimal = (value: Decimal): number | RawNumber =>
  exactNumber(value) ?? JSON.rawJSON(formatDecimal(value))
