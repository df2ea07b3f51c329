import { Fault, type Issue } from '../../domain/errors.ts'
import { type DateFormat, dateFormat, dateFormatFlags, memoize } from '../formats/date-format.ts'
import { KNOWN_FORMATS } from '../formats/known-formats.ts'
import { ignoreFlag, looksLikeDate, MOST_HEADINGS, showHeadings } from './heading-forms.ts'
import { isWholeDate } from './unusual-headers.ts'

/** Holds the signs of footnotes. */
const SIGNS = new Set('*∗†‡§#⁰¹²³⁴⁵⁶⁷⁸⁹')
/** Matches the number of a footnote behind a date. */
const NUMBERED = /(?: ?[([]\d[)\]]| \d\))$/u

const withoutSigns = (text: string): string => {
  let [from, to] = [0, text.length]
  while (SIGNS.has(text.charAt(from))) from += 1
  while (to > from && SIGNS.has(text.charAt(to - 1))) to -= 1
  return text.slice(from, to).trim()
}

/** Matches a heading with one pair of brackets: what stands before, in and behind it. */
const BRACKETS = /^([^()[\]]*)[([]([^()[\]]*)[)\]]([^()[\]]*)$/u
const YEAR_SIGN = /^YR/

/** Returns a date that stands before brackets with the same date, as the World Bank writes years: `2023 [YR2023]`. */
const dateTwice = (text: string): string | undefined => {
  const [, before = '', inner = '', behind] = BRACKETS.exec(text) ?? []
  return behind === '' && before.trim() === inner.replace(YEAR_SIGN, '') ? before.trim() : undefined
}

/** Returns a heading that is a date but for the sign of a footnote, or for the date in brackets, without these. */
export const withoutSign = memoize((text: string): string => {
  const bare = dateTwice(text) ?? withoutSigns(text.replace(NUMBERED, ''))
  if (bare === text || looksLikeDate(text)) return text
  return looksLikeDate(bare) || markedHeading(bare) ? bare : text
}, MOST_HEADINGS)

/** Lists words that say of a period that its values are estimated, planned or not final, or do not cover all of it. */
const WORDS = [
  'est estimate estimated forecast fcst prelim preliminary prov provisional proj projected projection plan planned',
  'budget bud revised rev actual act outlook target ytd vorläufig prognose geschätzt hochrechnung soll ist',
  'prévision provisoire estimé previsión provisorio estimado presupuesto previsione',
]
  .join(' ')
  .replaceAll(' ', '|')

const MARK = String.raw`(?:\p{L}{1,2}|${WORDS})\.?`

/** Matches headings with letters or words beside what may be a date. */
const MARKED: readonly RegExp[] = [
  new RegExp(String.raw`^(?<date>.*[^\p{L}\s])(?<mark> ?${MARK})$`, 'iu'),
  new RegExp(String.raw`^(?<date>.+)(?<mark> ${MARK})$`, 'iu'),
  new RegExp(String.raw`^${MARK} ?(?<date>\d.*)$`, 'iu'),
  new RegExp(String.raw`^${MARK} (?<date>\S.*)$`, 'iu'),
]
const LETTER = /\p{L}/u

/** Describes a heading with letters or words beside a date: `2026e` may be an estimate. */
type MarkedHeading = {
  readonly date: string
  /** Holds the letters with the blank before them, as a date format names them; undefined if it cannot. */
  readonly mark: string | undefined
}

const markedByLetters = (text: string): MarkedHeading[] =>
  MARKED.flatMap((pattern) => {
    const { date, mark } = pattern.exec(text)?.groups ?? {}
    return date === undefined ? [] : [{ date: date.trim(), mark }]
  })

const markedByBrackets = (text: string): MarkedHeading[] => {
  const [all, before = '', inner = '', behind = ''] = BRACKETS.exec(text) ?? []
  if (all === undefined) return []
  const mark = behind === '' && all.endsWith(')') ? all.slice(before.trimEnd().length) : undefined
  return [
    ...(LETTER.test(inner) ? [{ date: before.trim() + behind.trim(), mark }] : []),
    ...(LETTER.test(before + behind) ? [{ date: inner.trim(), mark: undefined }] : []),
  ]
}

/** Sets how long such a heading is at most. */
const LONGEST = 40

const findMarked = memoize((text: string): MarkedHeading | null => {
  if (text.length > LONGEST || looksLikeDate(text)) return null
  return [...markedByLetters(text), ...markedByBrackets(text)].find(({ date }) => looksLikeDate(date)) ?? null
}, MOST_HEADINGS)

/** Returns the parts of a heading with letters or words beside a date; undefined if it is none, or a date as it is. */
export const markedHeading = (text: string): MarkedHeading | undefined => findMarked(text) ?? undefined

/** Returns the date in a heading with a mark beside it; else the heading. */
export const dateIn = (text: string): string => {
  const bare = withoutSign(text)
  return markedHeading(bare)?.date ?? bare
}

/** Tells whether a heading has letters or words beside a date by the format that the user gave, or by any. */
export const isMarkedDate = (text: string, asked: DateFormat | undefined): boolean => {
  const { date = '' } = markedHeading(text) ?? {}
  return isWholeDate(date) || typeof asked?.read(date) === 'number'
}

/** Returns a date format without the letters that end it; undefined if none do. */
const withoutLetters = (text: string): string | undefined => {
  const at = text.lastIndexOf('[')
  return text.endsWith(']') && LETTER.test(text.slice(at)) ? text.slice(0, at).trimEnd() : undefined
}

/** Returns a format with letters behind the date that reads dates without these as well, as only some have them. */
export const orUnmarked = (format: DateFormat): DateFormat => {
  const text = withoutLetters(format.text.trim())
  const plain = text === undefined ? undefined : dateFormat(text)
  if (plain === undefined || plain instanceof Fault) return format
  return { text: plain.text, read: (cell) => plain.read(cell) ?? format.read(cell) }
}

/** Bounds the formats that are remembered: most headings of a file have the same mark. */
const MOST_FORMATS = 1000

const formatBy = memoize(dateFormat, MOST_FORMATS)

/** Returns the format that reads a heading with its letters; undefined if there is none. */
const formatWithMark = ({ date, mark }: MarkedHeading, format: DateFormat | undefined): DateFormat | undefined => {
  const plain = format ?? KNOWN_FORMATS.find((one) => typeof one.read(date) === 'number')
  if (mark === undefined || !plain) return undefined
  const made = formatBy(`${plain.text}${mark.startsWith(' ') ? ' ' : ''}[${mark.trim()}]`)
  return made instanceof Fault || typeof made.read(date + mark) !== 'number' ? undefined : made
}

/** Returns how to read headings with marks: by a date format if one reads them all, else as they are to be written. */
const readingOf = (marked: readonly MarkedHeading[], formats: readonly (DateFormat | undefined)[]): string => {
  const [one, it] = [formats[0], marked.length > 1 ? 'them' : 'it']
  const example = marked[0]?.date
  return one && formats.every((format) => format?.text === one.text)
    ? `${dateFormatFlags([one])} reads ${it} as ${example}${marked.length > 1 ? ' and so on' : ''}`
    : `to import ${it}, write the date alone, such as ${example}, in the form of the others`
}

/**
 * Returns the fault of headings with letters or words beside a date, of which some may be estimates; `format` is that of
 * the other dates, and `mayAsk` tells whether another one may be given.
 */
export const faultOfMarked = (
  header: readonly string[],
  places: readonly number[],
  textOf: (at: number) => string,
  format: DateFormat | undefined,
  mayAsk: boolean,
): Issue[] => {
  const all = places.filter((at) => markedHeading(textOf(at)))
  if (all.length === 0) return []
  const marked = all.flatMap((at) => markedHeading(textOf(at)) ?? [])
  const reading = readingOf(
    marked,
    marked.map((one) => (mayAsk ? formatWithMark(one, format) : undefined)),
  )
  const [are, it] =
    all.length > 1
      ? ['are dates with marks, and may be estimates', 'them']
      : ['is a date with a mark, and may be an estimate', 'it']
  const message = `${showHeadings(all, textOf)} ${are}: ${ignoreFlag(header, all)} leaves ${it} out; ${reading}`
  return [{ field: 'header', message }]
}
