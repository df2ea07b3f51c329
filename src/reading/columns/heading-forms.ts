import { listFirst } from '../../domain/count-text.ts'
import type { Day } from '../../domain/day.ts'
import type { Issue } from '../../domain/errors.ts'
import { whyNoDay } from '../formats/date-column.ts'
import { type DateFormat, formatBySigns, knownFormat, memoize } from '../formats/date-format.ts'
import { KNOWN_FORMATS } from '../formats/known-formats.ts'
import { RARE_FORMATS, SHORT_YEAR_FORMATS } from '../formats/rare-formats.ts'
import { splitTime } from '../formats/time-of-day.ts'

/** Stands for any year in which all parts of one are read: it has 53 weeks. */
const SOME_YEAR = '2004'

/** Lists the formats of a part of a year with the year behind it. */
const PARTS_OF_YEAR = ['MMM YYYY', '[Q]Q YYYY', '[W]WW YYYY', '[KW] WW YYYY'].map(formatBySigns)

/** Matches a day without its year, such as `1.2.` or `1/2`. */
const DAY = /^(\d{1,2})([./])(\d{1,2})\.?$/

/** Returns a part of a year with the year behind it, as it is read. */
export const partWithYear = (part: string, year: string): string => {
  const [, one, sign, other] = DAY.exec(part) ?? []
  if (one !== undefined) return `${one}${sign}${other}${sign}${year}`
  return `${part
    .replace(/^T(?=[ -]?\d)/i, 'Q')
    .replace(/^CW/i, 'W')
    .replaceAll('-', '')} ${year}`
}

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
  read: (text) => (DAY.test(text) ? (dayIn(DAYS, partWithYear(text, SOME_YEAR)) ?? undefined) : undefined),
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
export const MOST_HEADINGS = 1 << 15

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
export const ignoreFlag = (header: readonly string[], places: readonly number[]): string => {
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
export const showHeadings = (places: readonly number[], textOf: (at: number) => string): string =>
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
export const faultOfForms = (
  header: readonly string[],
  places: readonly number[],
  textOf: (at: number) => string,
  format: DateFormat | undefined,
): Issue[] => {
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
export const faultsOfNoDates = (
  header: readonly string[],
  places: readonly number[],
  textOf: (at: number) => string,
): Issue[] =>
  places
    .filter((at) => isNoDate(textOf(at)))
    .slice(0, SHOWN_FAULTS)
    .map((at) => ({
      field: 'header',
      message: `"${textOf(at)}" ${whyNoDay(textOf(at))}; correct it, or leave the column out: ${ignoreFlag(header, [at])}`,
    }))
