import { listFirst } from '../../domain/count-text.ts'
import type { Day } from '../../domain/day.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { whyNoDay } from '../formats/date-column.ts'
import {
  type DateFormat,
  dateFormat,
  dateFormatFlags,
  formatBySigns,
  knownFormat,
  memoize,
} from '../formats/date-format.ts'
import { isWholeDate, KNOWN_FORMATS, RARE_FORMATS, SHORT_YEAR_FORMATS } from '../formats/known-formats.ts'
import { DAY_WITHOUT_YEAR, partWithYear } from '../formats/part-of-year.ts'
import { splitTime } from '../formats/time-of-day.ts'

/** Stands for any year in which all parts of one are read: it has 53 weeks. */
const SOME_YEAR = '2004'

/** Lists the formats of a part of a year with the year behind it. */
const PARTS_OF_YEAR = ['MMM YYYY', '[Q]Q YYYY', '[W]WW YYYY', '[KW] WW YYYY'].map(formatBySigns)

/** Returns the day of a part of a year, such as `Jan` or `Q1`; undefined if it is none, null if the year has none. */
export const dayOfPart = (part: string, year: string): Day | null | undefined => {
  const readings = PARTS_OF_YEAR.map((format) => format.read(partWithYear(part, year)))
  return readings.find((day) => typeof day === 'number') ?? readings.find((day) => day === null)
}

/** Returns the day that any of the formats reads, or null if it does not exist. */
const dayIn = (formats: readonly DateFormat[], text: string): Day | null | undefined => {
  let found: null | undefined
  for (const format of formats) {
    const day = format.read(text)
    if (typeof day === 'number') return day
    if (day === null) found = null
  }
  return found
}

/** Lists what the parts of a year are called, without the year. */
const PARTS: readonly DateFormat[] = [
  ['a month without a year', 'MMM YYYY'],
  ['a quarter without a year', '[Q]Q YYYY'],
  ['a week without a year', '[W]WW YYYY | [KW] WW YYYY'],
].map(([text = '', formats = '']) => {
  const some = formats.split(' | ').map(formatBySigns)
  return { text, read: (part) => dayIn(some, partWithYear(part, SOME_YEAR)) }
})

const DAYS = ['DD.MM.YYYY', 'MM.DD.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY'].map(knownFormat)

/** Reads days without a year, which only a second header row may give. */
const DAY_OF_YEAR: DateFormat = {
  text: 'a day without a year',
  read: (text) => (DAY_WITHOUT_YEAR.test(text) ? (dayIn(DAYS, partWithYear(text, SOME_YEAR)) ?? undefined) : undefined),
}

/** Tells whether a text is a day without its year. */
export const isDayOfYear = (text: string): boolean => DAY_OF_YEAR.read(text) !== undefined

/** Returns the day of a part in a year that has all parts. */
export const dayInSomeYear = (part: string): Day | null | undefined => dayOfPart(part, SOME_YEAR)

/** Returns the format of a part of a year with the year behind it. */
export const formatOfPart = (part: string): DateFormat | undefined =>
  PARTS_OF_YEAR.find((format) => typeof format.read(partWithYear(part, SOME_YEAR)) === 'number')

/** Returns what most parts of years are, of those that are months, quarters or weeks. */
export const kindOfMost = (parts: readonly string[]): DateFormat | undefined => {
  const counts = PARTS.map(({ read }) => parts.filter((part) => typeof read(part) === 'number').length)
  const most = Math.max(...counts)
  return most === 0 ? undefined : PARTS[counts.indexOf(most)]
}

/** Reads dates with a time of day, which no heading may have. */
const TIMED: DateFormat = {
  text: 'a date with a time of day',
  read: (text) => {
    const date = splitTime(text)?.date
    return date === undefined ? undefined : dayIn(KNOWN_FORMATS, date)
  },
}

/** Sets how long the serial numbers of days in most years are. */
const SERIAL_DIGITS = 5

/** Lists rarer forms, which only show that a heading is a date where others are. */
const RARE: readonly DateFormat[] = RARE_FORMATS.map(({ text, read }) => ({
  text,
  read: (heading) => (text === 'EXCEL' && heading.length !== SERIAL_DIGITS ? undefined : (read(heading) ?? undefined)),
}))

const FORMS: readonly DateFormat[] = [...KNOWN_FORMATS, ...SHORT_YEAR_FORMATS, ...PARTS, DAY_OF_YEAR, TIMED, ...RARE]

/** Bounds the headings that are remembered: twice as many as there may be columns. */
const MOST_HEADINGS = 1 << 15

/** Returns the forms in which a heading names a day or period, and those in which it is one that does not exist. */
const formsOf = memoize((text) => {
  const days = FORMS.map((form) => form.read(text))
  return {
    dates: FORMS.filter((_, at) => typeof days[at] === 'number'),
    hasNoSuch: days.includes(null),
  }
}, MOST_HEADINGS)

/** Tells whether a heading looks like a day or period in any form that is known, with or without its year. */
export const looksLikeDate = (text: string): boolean => formsOf(text).dates.length > 0 || formsOf(text).hasNoSuch

/** Tells whether a heading is in all forms a day or period that does not exist. */
const isNoDate = (text: string): boolean => formsOf(text).dates.length === 0 && formsOf(text).hasNoSuch

/** Tells whether a heading is written like a day or period that does not exist, and so that it is hardly a name. */
export const isNoSuchDate = (text: string): boolean => !/^\d+$/.test(text) && isNoDate(text)

/** Describes columns, and what heads each. */
export type Headings = {
  readonly header: readonly string[]
  readonly places: readonly number[]
  readonly textOf: (at: number) => string
}

/** Describes columns whose headings are written in one form. */
type FormOfHeadings = { readonly form: string; readonly places: readonly number[] }

/** Returns headings in groups of one form each, the form that fits most of them first. */
const groupByForm = (places: readonly number[], textOf: (at: number) => string): FormOfHeadings[] => {
  const groups: FormOfHeadings[] = []
  const fitting = FORMS.map(({ text }) => ({ form: text, places: new Set<number>() }))
  for (const at of places) for (const form of formsOf(textOf(at)).dates) fitting[FORMS.indexOf(form)]?.places.add(at)
  for (;;) {
    const best = fitting.reduce((one, other) => (other.places.size > one.places.size ? other : one))
    if (best.places.size === 0) return groups
    const group = { form: best.form, places: [...best.places] }
    groups.push(group)
    for (const { places: left } of fitting) for (const at of group.places) left.delete(at)
  }
}

/** Returns the flag that leaves columns out: by their names, or by their places if these tell them apart. */
const ignoreFlag = (header: readonly string[], places: readonly number[]): string => {
  const counts = new Map<string, number>()
  for (const name of header) counts.set(name.trim(), (counts.get(name.trim()) ?? 0) + 1)
  const names = places.map((at) => {
    const name = header[at]?.trim() ?? ''
    const isPlain = /^[^,"#]+$/.test(name) && counts.get(name) === 1
    return isPlain ? name : `#${at + 1}`
  })
  const list = names.join(',')
  return `--ignore ${/[^\p{L}\p{N}.,:/_-]/u.test(list) ? `"${list}"` : list}`
}

const SHOWN = 2
/** Sets how many columns a flag names at most, unless no other flag names fewer. */
const MOST_IGNORED = 24

/** Returns the first of some headings, and how many more there are. */
const showHeadings = (places: readonly number[], textOf: (at: number) => string): string =>
  listFirst(places, SHOWN, (at) => `"${textOf(at)}"`)

/** Returns the flags of which each leaves out all groups but one; of long ones only the shortest. */
const flagsToKeep = (header: readonly string[], groups: readonly FormOfHeadings[]): string => {
  const others = groups.map((kept) => ({
    form: kept.form,
    places: groups.filter((group) => group !== kept).flatMap(({ places }) => places),
  }))
  const least = Math.min(MOST_IGNORED, ...others.map(({ places }) => places.length))
  const isShown = ({ places }: FormOfHeadings): boolean => places.length <= Math.max(least, MOST_IGNORED)
  const shown = others.some(isShown) ? others.filter(isShown) : others.slice(0, 1)
  return shown.map(({ form, places }) => `${ignoreFlag(header, places)} (keeps ${form})`).join(' or ')
}

/** Returns the fault of headings that are dates in several forms; `format` is that in which some of them are read. */
export const faultOfForms = ({ header, places, textOf }: Headings, format: DateFormat | undefined): Issue[] => {
  const isRead = (at: number): boolean => typeof format?.read(textOf(at)) === 'number'
  const read = places.filter(isRead)
  const others = groupByForm(
    places.filter((at) => !isRead(at)),
    textOf,
  )
  const groups = format && read.length > 0 ? [{ form: format.text, places: read }, ...others] : others
  if (groups.length < 2) return []
  const shown = groups.map((group) => `${showHeadings(group.places, textOf)} (${group.form})`)
  return [
    {
      field: 'header',
      message: `has dates in several formats: ${shown.join(', ')}; write all of them in one, or leave the others out: ${flagsToKeep(header, groups)}`,
    },
  ]
}

const SHOWN_FAULTS = 3

/** Returns the faults of headings that are written like days or periods, of which there are none. */
export const faultsOfNoDates = ({ header, places, textOf }: Headings): Issue[] =>
  places
    .filter((at) => isNoDate(textOf(at)))
    .slice(0, SHOWN_FAULTS)
    .map((at) => ({
      field: 'header',
      message: `"${textOf(at)}" ${whyNoDay(textOf(at))}; correct it, or leave the column out: ${ignoreFlag(header, [at])}`,
    }))

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
  { header, places, textOf }: Headings,
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
