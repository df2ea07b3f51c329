import { type DateFormat, dateFormatFlags, knownFormat, shortYearsOf } from './date-format.ts'

const SERIAL = /^\d{5}([.,]\d+)?$/
const SIX_DIGITS = /^\d{6}$/

/** Lists what six digits may be: months and weeks with their year, and days with two digits of it. */
const OF_SIX_DIGITS = ['YYYYMM', 'YYYYWW', 'YYMMDD', 'DDMMYY', 'MMDDYY'].map(knownFormat)

/** Lists how fiscal years and their quarters are written. */
const FISCAL = ['FY', 'CY', 'AY', 'GJ'].flatMap((letters) =>
  ['YYYY', ' YYYY', 'YY', ' YY']
    .map((year) => `[${letters}]${year}`)
    .flatMap((year) => [
      year,
      `${year}-[Q]Q`,
      `${year} [Q]Q`,
      `${year}[Q]Q`,
      `[Q]Q ${year}`,
      `[Q]Q-${year}`,
      `[Q]Q${year}`,
    ])
    .map(knownFormat),
)

const fitting = (formats: readonly DateFormat[], text: string): DateFormat[] =>
  formats.filter((format) => typeof format.read(text) === 'number')

/** Returns the formats in which a text is a date that proves too little for them to be assumed. */
export const unsaidFormatsOf = (text: string): DateFormat[] => [
  ...shortYearsOf(text),
  ...(SIX_DIGITS.test(text) ? fitting(OF_SIX_DIGITS, text) : []),
  ...fitting(FISCAL, text),
]

/**
 * Returns what a text that may be a date does not say, so that only the user can; `formats` are those that fit all such
 * texts of the column.
 */
export const whatIsUnsaid = (text: string, formats: readonly DateFormat[] = []): string | undefined => {
  const [first, ...others] = formats.length > 0 ? formats : unsaidFormatsOf(text)
  if (first === undefined)
    return SERIAL.test(text)
      ? 'looks like a serial number of a spreadsheet; save the column as dates, or use --date-format EXCEL'
      : undefined
  const flags = dateFormatFlags([first, ...others])
  if (SIX_DIGITS.test(text)) return `is six digits in a row; say how dates are written: ${flags}`
  return FISCAL.includes(first)
    ? `may be of a fiscal year: ${flags} reads it as the calendar year; if the year begins in another month, write its first day instead, such as 2025-04-01`
    : `has a year of two digits; say how dates are written: ${flags}`
}
