import type { Day } from '../../domain/day.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import type { Frequency } from '../../domain/period.ts'
import { createDateColumn } from '../formats/date-column.ts'
import { type DateFormat, dateFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import { monthsOfHeadings } from '../formats/date-doubts.ts'
import { englishMonth } from '../formats/calendar-names.ts'
import { type MeantParts, partsMeant } from '../formats/period-words.ts'
import { listFlag } from '../options/flag-text.ts'
import { type HeaderFindings, isYearName, unassignedColumns } from './header.ts'
import {
  type Headings,
  dateIn,
  dayInSomeYear,
  faultOfForms,
  faultOfMarked,
  faultsOfNoDates,
  formatOfPart,
  isDayOfYear,
  isMarkedDate,
  isNoSuchDate,
  kindOfMost,
  looksLikeDate,
  markedHeading,
  orUnmarked,
  withoutSign,
} from './heading-forms.ts'
import { isPartOfYear, isWholeDate, whatHeadingsLack } from '../formats/known-formats.ts'
import { partWithYear } from '../formats/part-of-year.ts'

/** Describes a column for a day or period, or for a part of a year that the row names. */
type DateHeading = { readonly at: number } & ({ readonly day: Day } | { readonly part: string })

/** Describes the columns for days or periods of a file, and which header row says so. */
export type DateHeadings = {
  readonly columns: readonly DateHeading[]
  /** Returns what the other header row says of a column; undefined if there is only one. */
  readonly other: ((at: number) => string) | undefined
  readonly format: DateFormat | undefined
  readonly issues: readonly Issue[]
  /** Lists the headings that were read without the sign of a footnote. */
  readonly signed?: readonly string[]
  /** Tells whether one had no year but the one that the user gave. */
  readonly usesYear?: boolean
}

/** Says how columns for days or periods are looked for. */
type HeadingSearch = {
  /** Holds the format that the user gave. */
  readonly asked?: string | undefined
  /** Holds the year that the user gave for headings without one. */
  readonly year?: string | undefined
  /** Sets how many columns must be dates. */
  readonly least?: number
  /** Tells whether a column holds what may be values, so that it may not be left out with a note only. */
  readonly holdsValues?: (at: number) => boolean
  /** Tells so by the first rows only, for columns that are read in any case. */
  readonly seemsToHoldValues?: (at: number) => boolean
  /** Holds the frequency that the user gave. */
  readonly frequency?: Frequency | undefined
}

const HEADER_LINE = 1
const YEAR = /^\d{4}$/

/** Describes labels of columns, of which some may be dates. */
type Labels = Headings & {
  readonly holdsValues: (at: number) => boolean
  readonly seemsToHoldValues: (at: number) => boolean
  readonly meant: MeantParts
  /** Tells whether a date format that the user gives would be that of these labels. */
  readonly mayAsk: boolean
}

/** Returns the columns whose labels are dates by the format that the user gave, or by any. */
const datesAmong = ({ places, textOf }: Pick<Labels, 'places' | 'textOf'>, asked: DateFormat | undefined): number[] =>
  places.filter((at) => (asked ? typeof asked.read(textOf(at)) === 'number' : isWholeDate(textOf(at))))

/** Tells whether enough labels are dates, or are written like dates that do not exist, or have letters beside a date. */
const areEnough = (
  { places, textOf, holdsValues }: Labels,
  dates: readonly number[],
  least: number,
  asked: DateFormat | undefined,
): boolean => {
  if (dates.length >= least) return true
  const marked = places.filter((at) => isMarkedDate(textOf(at), asked) && holdsValues(at))
  if (dates.length + marked.length === 0) return false
  const known = new Set(dates)
  const wrong = places.filter((at) => !known.has(at) && isNoSuchDate(textOf(at)))
  return dates.length + marked.length + wrong.length >= least
}

/** Returns the faults of columns that look like days or periods, and are none of those that are read. */
const faultsOfOthers = (
  { header, places, textOf, holdsValues, mayAsk }: Labels,
  isRead: (at: number) => boolean,
  format: DateFormat | undefined,
): Issue[] => {
  const unread = places.filter((at) => !isRead(at) && holdsValues(at))
  const others = new Set(unread.filter((at) => looksLikeDate(textOf(at))))
  const marked = faultOfMarked({ header, places: unread, textOf }, format, mayAsk)
  if (others.size === 0) return marked
  const all = places.filter((at) => isRead(at) || others.has(at))
  return [
    ...faultsOfNoDates({ header, places: [...others], textOf }),
    ...faultOfForms({ header, places: all, textOf }, format),
    ...marked,
  ]
}

/** Reads the labels as dates in the one format that fits them all. */
const readDates = (labels: Labels, dates: readonly number[], asked: DateFormat | undefined, isTold: boolean) => {
  const { textOf } = labels
  const basis = asked === undefined ? 'assumed' : 'given'
  const column = createDateColumn('header', asked ?? PLAIN_FORMAT, basis, { meant: labels.meant })
  for (const at of dates) column.note(textOf(at), HEADER_LINE)
  const format = column.proven()?.format
  const columns = dates.flatMap((at) => {
    const day = format?.read(textOf(at))
    return typeof day === 'number' ? [{ at, day }] : []
  })
  const read = new Set(columns.map(({ at }) => at))
  const issues = faultsOfOthers(labels, (at) => read.has(at), format)
  const [doubt] = column.doubts()
  if (issues.length === 0 && doubt !== undefined) issues.push({ field: 'header', message: doubt })
  return { columns, format, issues: [...issues, ...(isTold ? [] : faultsOfDoubles(columns, textOf))] }
}

/** Returns the faults of two columns for one day. */
const faultsOfDoubles = (
  columns: readonly { readonly at: number; readonly day: Day }[],
  textOf: (at: number) => string,
): Issue[] => {
  const first = new Map<Day, number>()
  return columns.flatMap(({ at, day }) => {
    const before = first.get(day)
    if (before === undefined) first.set(day, at)
    if (before === undefined || before === at) return []
    const message = `"${textOf(before)}" and "${textOf(at)}" are the same day or period in columns ${before + 1} and ${at + 1}; leave one out (--ignore "#${at + 1}")`
    return [{ field: 'header', message }]
  })
}

/** Refuses columns for days of which nothing says in which year they are. */
const refuseDays = (places: readonly number[], textOf: Labels['textOf']): DateHeadings => {
  const names = places.slice(0, 2).map((at) => `"${textOf(at)}"`)
  const message = `${names.join(' and ')} may be days without a year, or names: write the year into the header, or say that they are names with --layout wide`
  const columns = places.map((at) => ({ at, part: textOf(at) }))
  return { columns, format: undefined, other: undefined, issues: [{ field: 'header', message }] }
}

const MONTHS_A_YEAR = 12

/** Returns a function that gives headings with the names of months in English, as far as one language has them all. */
const inEnglish = ({ header, places, textOf }: Labels, year?: string): Labels['textOf'] => {
  // Read names of months without a year only where there are enough of them to ask for it.
  const mayBeMonths = year !== undefined || header.some(isYearName) || places.length >= MONTHS_A_YEAR
  const months = mayBeMonths ? monthsOfHeadings(places.map(textOf)) : undefined
  return (at) => {
    const month = months?.get(textOf(at))
    return month === undefined ? textOf(at) : englishMonth(month)
  }
}

/** Finds the columns for parts of a year, which are all months, quarters or weeks. */
const findParts = (given: Labels, dates: readonly number[], isTold: boolean) => {
  const textOf = inEnglish(given)
  const labels = { ...given, textOf }
  const { places } = labels
  const parts = places.filter((at) => dayInSomeYear(textOf(at)) !== undefined && !isDayOfYear(textOf(at)))
  const kind = kindOfMost(parts.map(textOf))
  if (!kind || parts.length + dates.length < LEAST) return undefined
  const isRead = (at: number): boolean => typeof kind.read(textOf(at)) === 'number'
  const ofParts = { ...labels, mayAsk: false }
  const read = parts.filter(isRead)
  const days = read.map((at) => ({ at, day: dayInSomeYear(textOf(at)) ?? 0 }))
  return {
    columns: read.map((at) => ({ at, part: textOf(at) })),
    format: formatOfPart(textOf(read[0] ?? 0)),
    issues: [...faultsOfOthers(ofParts, isRead, kind), ...(isTold ? [] : faultsOfDoubles(days, textOf))],
  }
}

/** Sets how many columns must be dates for a file to have a column for each: a single one may have such a name by chance. */
const LEAST = 2

const formatOf = (asked: string | undefined): DateFormat | undefined => {
  const format = asked === undefined ? undefined : dateFormat(asked)
  return format === undefined || format instanceof Fault ? undefined : orUnmarked(format)
}

/** Finds the columns for parts of a year below their year. */
const findInYears = (labels: Labels, above: Labels['textOf'], least: number): DateHeadings | undefined => {
  const isInYear = (at: number): boolean => YEAR.test(above(at)) && isPartOfYear(labels.textOf(at))
  const places = labels.places.filter(isInYear)
  const underYears = labels.places.filter((at) => YEAR.test(above(at)))
  if (places.length < least || places.length * 2 <= underYears.length) return undefined
  const textOf = (at: number): string => {
    const text = labels.textOf(at)
    return isInYear(at) ? partWithYear(text, above(at)) : text
  }
  const isMarked = (at: number): boolean => YEAR.test(markedHeading(above(at))?.date ?? '') && labels.holdsValues(at)
  const marked = new Set(labels.places.filter(isMarked))
  const rest = labels.places.filter((at) => !marked.has(at))
  const { issues, ...read } = readDates({ ...labels, places: rest, textOf, mayAsk: false }, places, undefined, false)
  const ofYears = faultOfMarked({ header: labels.header, places: [...marked], textOf: above }, undefined, false)
  return { ...read, issues: [...issues, ...ofYears], other: undefined }
}

/** Returns labels completed by the year that the user gave, if several are parts of a year. */
const inGivenYear = (labels: Labels, year: string | undefined): Labels => {
  if (year === undefined) return labels
  const textOf = inEnglish(labels, year)
  const parts = new Set(labels.places.filter((at) => isPartOfYear(textOf(at))))
  if (new Set([...parts].map(textOf)).size < LEAST) return labels
  return { ...labels, textOf: (at) => (parts.has(at) ? partWithYear(textOf(at), year) : labels.textOf(at)) }
}

/** Sets how many days apart parts of a year are at most of which the next one lies in the next year, and not before. */
const HALF_A_YEAR = 183
const DAYS_A_YEAR = 365

/** Refuses parts of a year that go on in the next one, such as `Nov`, `Dec`, `Jan`: the year that the user gave is not that of all. */
const faultsOfTwoYears = (
  columns: readonly DateHeading[],
  given: Labels['textOf'],
  read: Labels['textOf'],
  year: string,
): Issue[] => {
  const parts = columns.flatMap((one) => ('day' in one && given(one.at) !== read(one.at) ? [one] : []))
  const isBack = (at: number): boolean => (parts[at]?.day ?? 0) < (parts[at - 1]?.day ?? 0)
  const [turn, ...others] = [...parts.keys()].filter((at) => at > 0 && isBack(at))
  if (turn === undefined || others.length > 0) return []
  const [before, after] = [parts.slice(0, turn), parts.slice(turn)]
  const [first, last, next, end] = [before[0], before.at(-1), after[0], after.at(-1)]
  if (!first || !last || !next || !end || end.day >= first.day) return []
  if (next.day + DAYS_A_YEAR - last.day > HALF_A_YEAR) return []
  const without = (some: typeof parts): string =>
    listFlag(
      '--ignore',
      some.map(({ at }) => given(at)),
    )
  const message = `"${given(last.at)}" and "${given(next.at)}" lie in two years, and --year ${year} is one: import each part by itself, with --year ${year} ${without(after)} and with --year ${Number(year) + 1} ${without(before)}, or write the year into each heading`
  return [{ field: 'header', message }]
}

/** Tells which of two header rows gives the dates: the one with more of them, as names may look like dates. */
const isDateRow = (dates: readonly string[], others: readonly string[]): boolean =>
  dates.length > others.length || (dates.length === others.length && new Set(dates).size >= new Set(others).size)

/** Finds the columns whose labels in one header row are dates. */
const findDates = (
  labels: Labels,
  other: DateHeadings['other'],
  { asked, least = LEAST }: HeadingSearch,
  isTold: boolean,
): DateHeadings | undefined => {
  const format = formatOf(asked)
  const dates = datesAmong(labels, format)
  return areEnough(labels, dates, least, format) ? { ...readDates(labels, dates, format, isTold), other } : undefined
}

/** Refuses columns whose labels may be dates in forms that are never assumed, such as fiscal years. */
const refuseRare = (labels: Labels, other: DateHeadings['other'], least: number): DateHeadings | undefined => {
  const { places, textOf, seemsToHoldValues } = labels
  const dated = places.filter((at) => looksLikeDate(dateIn(textOf(at))) && seemsToHoldValues(at))
  if (!labels.mayAsk || dated.length < least) return undefined
  const message = whatHeadingsLack(
    dated.map((at) => dateIn(textOf(at))),
    labels.meant,
  )
  if (message === undefined) return undefined
  return { columns: [], format: undefined, other, issues: [{ field: 'header', message }] }
}

/** Returns the columns below dates of the upper of two header rows, if that has two dates or more. */
export const columnsBelowDates = (
  found: HeaderFindings,
  upper: readonly string[] | undefined,
  asked: string | undefined,
): readonly number[] => {
  if (!upper) return []
  const textOf = (at: number): string => upper[at]?.trim() ?? ''
  const dates = datesAmong({ places: unassignedColumns(found), textOf }, formatOf(asked))
  return new Set(dates.map(textOf)).size < LEAST ? [] : dates
}

/** Returns the labels of a header row without signs of footnotes, unless the format that the user gave has them. */
const textsOf =
  (row: readonly string[], asked: DateFormat | undefined): Labels['textOf'] =>
  (at) => {
    const text = row[at]?.trim() ?? ''
    return typeof asked?.read(text) === 'number' ? text : withoutSign(text)
  }

/** Finds the columns for days or periods in one or two header rows. */
const findInRows = (
  found: HeaderFindings,
  places: readonly number[],
  upper: readonly string[] | undefined,
  search: HeadingSearch,
): DateHeadings | undefined => {
  const { least = LEAST, holdsValues = () => true, seemsToHoldValues = holdsValues } = search
  const format = formatOf(search.asked)
  const meant = partsMeant('', search.frequency)
  const mayAsk = search.asked === undefined
  const rest = { header: found.header, holdsValues, seemsToHoldValues, meant, mayAsk }
  const labels = inGivenYear({ ...rest, places, textOf: textsOf(found.header, format) }, search.year)
  const ofAbove =
    upper && inGivenYear({ ...rest, places: unassignedColumns(found), textOf: textsOf(upper, format) }, search.year)
  const [lower, above] = [labels.textOf, ofAbove?.textOf]
  const below = datesAmong(labels, format)
  const isBelow = isDateRow(below.map(lower), ofAbove ? datesAmong(ofAbove, format).map(ofAbove.textOf) : [])
  const names = above && !below.every((at) => isWholeDate(above(at))) ? above : undefined
  const dates =
    refuseRare(labels, above, least) ??
    (ofAbove && refuseRare(ofAbove, lower, least)) ??
    (above && findInYears(labels, above, least)) ??
    (isBelow ? findDates(labels, names, search, names !== undefined) : undefined) ??
    (ofAbove && findDates(ofAbove, lower, search, true))
  if (dates) {
    const { year } = search
    const issuesOf = (row: readonly string[], { textOf }: Labels): Issue[] =>
      year === undefined ? [] : faultsOfTwoYears(dates.columns, textsOf(row, format), textOf, year)
    const issues = [...issuesOf(found.header, labels), ...(upper && ofAbove ? issuesOf(upper, ofAbove) : [])]
    const isCompleted = (row: readonly string[], { textOf }: Labels): boolean =>
      dates.columns.some(({ at }) => textsOf(row, format)(at) !== textOf(at))
    const usesYear =
      year !== undefined &&
      (isCompleted(found.header, labels) || (upper && ofAbove ? isCompleted(upper, ofAbove) : false))
    return { ...dates, usesYear, issues: [...dates.issues, ...issues] }
  }
  const parts = findParts(labels, below, above !== undefined)
  if (parts) return { ...parts, other: above }
  const partsAbove = ofAbove && findParts(ofAbove, [], true)
  if (partsAbove) return { ...partsAbove, other: lower }
  const days = places.filter((at) => isDayOfYear(lower(at)))
  return days.length < LEAST || found.roles.has('date') ? undefined : refuseDays(days, lower)
}

/**
 * Finds the columns for days or periods: their headings are dates, in either of two header rows, or parts of a year
 * below the year.
 */
export const findDateHeadings = (
  found: HeaderFindings,
  places: readonly number[],
  upper: readonly string[] | undefined,
  search: HeadingSearch,
): DateHeadings | undefined => {
  const dates = findInRows(found, places, upper, search)
  const format = formatOf(search.asked)
  const texts = (dates?.columns ?? []).flatMap(({ at }) => [found.header[at] ?? '', upper?.[at] ?? ''])
  const signed = texts.map((text) => text.trim()).filter((text) => textsOf([text], format)(0) !== text)
  return dates && { ...dates, signed: [...new Set(signed)] }
}
