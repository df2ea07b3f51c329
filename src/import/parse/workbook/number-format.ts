/** Names what a number format makes of a number. */
export type FormatKind = 'number' | 'percent' | 'date' | 'time' | 'boolean'

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

const isAmong = (ranges: typeof DATES, id: number): boolean => ranges.some(([from, to]) => id >= from && id <= to)

/** Returns what a built-in number format makes of a number. */
export const builtInFormat = (id: number): FormatKind => {
  if (PERCENT_IDS.has(id)) return 'percent'
  if (isAmong(DATES, id)) return 'date'
  return isAmong(TIMES, id) ? 'time' : 'number'
}

/** Matches what is no instruction in a number format: texts, escapes, fillers, and brackets but those of durations. */
const LITERAL = /"[^"]*"|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^[\]]*\]/gi
const DIGITS = /[0#?]/
/** Matches the format by which LibreOffice writes truth values, which are numbers there. */
const BOOLEAN = /^"TRUE";"TRUE";"FALSE"$/i

/** Returns what a number format makes of a number: of its sections, the first counts. */
export const formatKind = (code: string): FormatKind => {
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
