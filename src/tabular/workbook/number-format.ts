import { affixOfFormat, LOCAL_CURRENCY } from './currency-format.ts'

/** Names what a number format makes of a number; `sign` shows it as it is, with a percent sign. */
type FormatKind = 'number' | 'percent' | 'sign' | 'date' | 'time' | 'boolean'

/** Describes what a number format makes of a number, and the currency that it shows; `` for none. */
export type CellFormat = { readonly kind: FormatKind; readonly currency: string }

/** Lists the built-in formats of dates, and of times, by their ids; others of East Asian languages are among them. */
const DATES: readonly (readonly [from: number, to: number])[] = [
  [14, 17],
  [22, 22],
  [27, 31],
  [36, 36],
  [50, 54],
  [57, 58],
]
const TIMES: readonly (readonly [from: number, to: number])[] = [
  [18, 21],
  [32, 35],
  [45, 47],
  [55, 56],
]
const PERCENT_IDS = new Set([9, 10])
/** Lists the built-in formats of money, which have the currency of the computer that shows them. */
const CURRENCY_IDS = new Set([5, 6, 7, 8, 42, 44])

const isAmong = (ranges: typeof DATES, id: number): boolean => ranges.some(([from, to]) => id >= from && id <= to)

const builtInKind = (id: number): FormatKind => {
  if (PERCENT_IDS.has(id)) return 'percent'
  if (isAmong(DATES, id)) return 'date'
  return isAmong(TIMES, id) ? 'time' : 'number'
}

/** Returns what a built-in number format makes of a number. */
export const builtInFormat = (id: number): CellFormat => ({
  kind: builtInKind(id),
  currency: CURRENCY_IDS.has(id) ? LOCAL_CURRENCY : '',
})

/** Matches what is no instruction in a number format: texts, escapes, fillers, and brackets but those of durations. */
const LITERAL = /"[^"]*"|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi
const DIGITS = /[0#?]/
/** Matches the format by which LibreOffice writes truth values, which are numbers there. */
const BOOLEAN = /^"TRUE";"TRUE";"FALSE"$/i

const formatKind = (code: string): FormatKind => {
  if (BOOLEAN.test(code)) return 'boolean'
  const [first = ''] = code.replaceAll(LITERAL, '').split(';')
  if (/general|standard/i.test(first)) return 'number'
  const tokens = first.replaceAll(/am\/pm|a\/p/gi, 'h').toLowerCase()
  if (tokens.includes('%')) return 'percent'
  if (/[yd]/.test(tokens)) return 'date'
  if (/[hs]/.test(tokens) || /\[m+\]/.test(tokens)) return 'time'
  // Months alone are a date; beside digits, m stands for millions in formats that forget the quotes.
  return tokens.includes('m') && !DIGITS.test(tokens) ? 'date' : 'number'
}

/** Returns what a number format makes of a number: of its sections, the first counts. */
export const describeFormat = (code: string): CellFormat => {
  const kind = formatKind(code)
  if (kind !== 'number') return { kind, currency: '' }
  const { currency, isPercent } = affixOfFormat(code)
  return isPercent ? { kind: 'sign', currency: '' } : { kind, currency }
}
