import { type DateFormat, dateFormatFlags, knownFormat, memoize, PLAIN_FORMAT, severalMonths } from './date-format.ts'
import type { MeantParts } from './period-words.ts'
import { monthOf } from './calendar-names.ts'

const FOUND_OUT = [
  'DD.MM.YYYY | DD/MM/YYYY | MM/DD/YYYY | DD-MM-YYYY | MM-DD-YYYY | YYYY/MM/DD | YYYY.MM.DD | YYYYMMDD',
  'YYYY年MM月DD日 | YYYY年MM月 | DD. MM. YYYY | DD MM YYYY | YYYY. MM. DD | YYYY. MM. DD.',
  'D MMM YYYY | D. MMM YYYY | D-MMM-YYYY | D.MMM.YYYY | D/MMM/YYYY | D [de] MMM [de] YYYY | YYYY-MMM-DD',
  'MMM D, YYYY | MMM D YYYY | YYYY MMM D | YYYY D MMM',
  'YYYY-MM | MM/YYYY | MM.YYYY | MM-YYYY | YYYY/MM | MMM YYYY | MMM-YYYY | MMM [de] YYYY | YYYY-MMM | YYYY MMM',
  'YYYY-[W]WW-E | YYYY[W]WWE | YYYY-[W]WW | YYYY[W]WW | YYYY [W]WW | [W]WW YYYY | [W]WW/YYYY | [KW] WW/YYYY | [KW]WW/YYYY | [KW] WW YYYY',
  'YYYY-[Q]Q | YYYY[Q]Q | YYYY [Q]Q | [Q]Q YYYY | [Q]Q/YYYY | [Q]Q-YYYY | YYYY',
]

/**
 * Lists the formats that can be detected: not those with two-digit years, nor serial numbers, as these prove too
 * little.
 */
export const KNOWN_FORMATS: readonly DateFormat[] = [
  PLAIN_FORMAT,
  ...FOUND_OUT.flatMap((line) => line.split(' | ').map(knownFormat)),
]

const linesOf = (lines: readonly string[]): (readonly DateFormat[])[] =>
  lines.map((line) => line.split(' | ').map(knownFormat))

/**
 * Lists formats with two-digit years, which prove too little to be assumed. The first of each line that fits is
 * suggested: with dots the day comes first, with other signs the month may as well.
 */
const SHORT_YEARS = linesOf([
  'DD.MM.YY | MM.DD.YY | YY.MM.DD',
  'DD/MM/YY | YY/MM/DD',
  'MM/DD/YY',
  'DD-MM-YY | YY-MM-DD',
  'MM-DD-YY',
  'MMM-YY',
  'MMM YY',
  'MMM/YY',
  "MMM 'YY",
  'YY-MMM',
  'D-MMM-YY',
  'D MMM YY',
  'D. MMM YY',
  'D.MMM.YY',
  'D/MMM/YY',
])

/** Lists the formats with years of two digits that have signs between their parts. */
export const SHORT_YEAR_FORMATS: readonly DateFormat[] = SHORT_YEARS.flat()

const EXCEL = knownFormat('EXCEL')
const UNIX = knownFormat('UNIX')

/** Lists formats that numbers of other kinds fit as well, so that they are only suggested where all cells fit them. */
const OFTEN_NUMBERS: readonly DateFormat[] = [
  'YYYYMM | YYYYWW | YYYYQ | MMYYYY | WWYYYY | QYYYY | YYMMDD | DDMMYY | MMDDYY | DDMMYYYY | MMDDYYYY',
  'YYYY_MM_DD | YYYY_MM | YYYY_[W]WW | YYYY_[Q]Q',
  'YYYY.MM | YYYY.WW | YYYY.Q | YYYY MM | MM YYYY | MM-YY | MM/YY | MM.YY | WW-YY | WW/YY | WW.YY | YY-MM | YY/MM',
  'Q[Q]YY | Q[Q] YY | Q[Q]-YY | Q[Q]/YY | [Q]QYY | [Q]Q YY | [Q]Q-YY | [Q]Q/YY | YY[Q]Q | YY-[Q]Q',
  'Q[Q]YYYY | Q[Q] YYYY | Q[Q]-YYYY | Q[Q]/YYYY | [Q]QYYYY | YYYY/[Q]Q | YYYY-Q[Q]',
  '[W]WWYY | [W]WW-YY | [W]WW/YY | YY[W]WW | YY-[W]WW | [W]WWYYYY | [W]WW-YYYY | YYYY/[W]WW',
  'MMMYY | MMMYYYY | MMM/YYYY | DMMMYY | DMMMYYYY',
].flatMap((line) => line.split(' | ').map(knownFormat))

/** Lists how fiscal years and their quarters are written. */
const FISCAL: readonly DateFormat[] = ['FY', 'CY', 'AY', 'GJ'].flatMap((letters) =>
  ['YYYY', ' YYYY', 'YY', ' YY']
    .map((year) => `[${letters}]${year}`)
    .flatMap((year) => [
      year,
      ...['-[Q]Q', ' [Q]Q', '[Q]Q'].map((quarter) => year + quarter),
      ...['[Q]Q ', '[Q]Q-', '[Q]Q'].map((quarter) => quarter + year),
    ])
    .map(knownFormat),
)

/** Lists how fiscal years are written by the calendar years in which they begin and end. */
const SPANS: readonly DateFormat[] = ['/', '-', '–'].flatMap((sign) =>
  [`YYYY${sign}YY`, `YYYY${sign}YYYY`]
    .flatMap((years) => [years, `[FY]${years}`, `[FY] ${years}`])
    .concat(`[FY]YY${sign}YY`, `[FY] YY${sign}YY`)
    .map(knownFormat),
)

const LINES: readonly (readonly DateFormat[])[] = [
  ...SHORT_YEARS,
  ...[...OFTEN_NUMBERS, ...FISCAL, ...SPANS, EXCEL, UNIX].map((format) => [format]),
]

/** Lists the formats that are suggested, and never assumed. */
export const RARE_FORMATS: readonly DateFormat[] = LINES.flat()

const SERIAL = /^\d{5}([.,]\d+)?$/

const isFiscal = (format: DateFormat): boolean => FISCAL.includes(format) || SPANS.includes(format)

const isFit = (format: DateFormat, text: string): boolean =>
  format === EXCEL ? SERIAL.test(text) : typeof format.read(text) === 'number'

/** Returns the part of a year that a format of two numbers has; undefined if it has letters, or days. */
const partIn = ({ text }: DateFormat): string | undefined => {
  if (/MMM|D|\[|EXCEL|UNIX/.test(text)) return undefined
  return text.includes('W') ? 'week' : text.includes('Q') ? 'quarter' : 'month'
}

/** Returns the formats of some that fit a text, and what numbers beside a year are meant to be. */
export const rareFormatsOf = (
  text: string,
  { sure }: Pick<MeantParts, 'sure'> = {},
  some: readonly DateFormat[] = RARE_FORMATS,
): DateFormat[] =>
  some.filter((format) => isFit(format, text) && [undefined, sure ?? partIn(format)].includes(partIn(format)))

/** Returns what a text that may be a date in these formats does not say, so that only the user can. */
export const whatIsUnsaid = (formats: readonly DateFormat[]): string | undefined => {
  const shown = LINES.flatMap((line) => line.find((format) => formats.includes(format)) ?? [])
  if (shown.length === 0) return undefined
  if (shown.every((format) => format === EXCEL))
    return 'looks like a serial number of a spreadsheet; save the column as dates, or use --date-format EXCEL'
  if (shown.every((format) => format === UNIX))
    return 'looks like a count of seconds since 1970, at midnight UTC: --date-format UNIX reads it as a date'
  if (shown.every(isFiscal))
    return `may be of a fiscal year: ${dateFormatFlags(shown)} reads it as the calendar year${SPANS.includes(shown[0] ?? EXCEL) ? ' in which it begins' : ''}; if the year begins in another month, write its first day instead, such as 2025-04-01`
  const isShort = shown.every(({ text }) => !text.includes('YYYY') && text !== EXCEL.text)
  return `${isShort ? 'has a year of two digits' : 'may be a date'}; say how dates are written: ${dateFormatFlags(shown)}`
}

/** Lists formats whose dates are hardly names, so that headings that are all of one may be dates. */
const OF_HEADINGS: readonly DateFormat[] = [
  ...OFTEN_NUMBERS.filter(({ text }) => text.includes('YYYY')),
  ...FISCAL,
  ...SPANS,
]

/** Returns what headings that are all dates in one of these formats do not say. */
export const whatHeadingsLack = (texts: readonly string[], meant: MeantParts): string | undefined => {
  if (texts.every((text) => /^\d+$/.test(text))) return undefined
  const fitting = texts.reduce<readonly DateFormat[]>((some, text) => rareFormatsOf(text, meant, some), OF_HEADINGS)
  const lacks = whatIsUnsaid(fitting)
  const known = KNOWN_FORMATS.find(({ read }) => texts.every((text) => typeof read(text) === 'number'))
  const orKnown = known ? `; if it is a month, say so with ${dateFormatFlags([known])}` : ''
  return lacks === undefined ? undefined : `"${texts[0]}" ${lacks}${orKnown}`
}

/** Matches seconds or milliseconds since 1970 of the years from 2001 on. */
const UNIX_TIME = /^1\d{9}(?:\d{3})?(?:[.,]\d+)?$/

/** Returns what a cell that is not in a format is: a date with a shorter year, or a number that counts days or seconds. */
export const whatCellIs = (text: string, expected: DateFormat): string | undefined => {
  if (expected.text.includes('YYYY') && SHORT_YEAR_FORMATS.some((format) => isFit(format, text)))
    return 'has a year of two digits'
  if (SERIAL.test(text)) return 'looks like a serial number of a spreadsheet'
  return UNIX_TIME.test(text) ? 'looks like a count of seconds since 1970' : undefined
}

/** Returns the formats in which a text is a date with a year of two digits. */
const shortYearsOf = (text: string): DateFormat[] =>
  SHORT_YEARS.flatMap((line) => line.find((format) => typeof format.read(text) === 'number') ?? [])

/** Matches a part of a year without the year, as a heading. */
const PART_OF_YEAR = /^(?:(?:KW|CW|W|Q|T)[ -]?\d{1,2}|\d{1,2}[./]\d{1,2}\.?)$/i

/** Tells whether a text is a part of a year without the year: a month's name, a week or a quarter. */
export const isPartOfYear = (name: string): boolean => PART_OF_YEAR.test(name) || monthOf(name) !== undefined

/** Bounds the texts that are remembered: a header of the most columns, and its first rows. */
const MOST_TEXTS = 1 << 16

const readsWholeDate = memoize(
  (text) =>
    shortYearsOf(text).length > 0 ||
    KNOWN_FORMATS.some((format) => typeof format.read(text) === 'number') ||
    severalMonths(text) !== undefined,
  MOST_TEXTS,
)

/** Sets how long a date is at most, with its time; a text may have many megabytes. */
const LONGEST_DATE = 100

/** Tells whether a text is a date, or a period of a known year. */
export const isWholeDate = (text: string): boolean => text.length <= LONGEST_DATE && readsWholeDate(text)
