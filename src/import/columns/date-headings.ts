import type { Day } from '../../domain/day.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { createDateColumn } from '../formats/date-column.ts'
import { type DateFormat, dateFormat, knownFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import { datePartOf, type HeaderFindings, unassignedColumns } from './header.ts'
import { isPartOfYear, isWholeDate } from './unusual-headers.ts'

/** Describes a column for a day or period, or for a part of a year that the row names. */
type DateHeading = { readonly at: number } & ({ readonly day: Day } | { readonly part: string })

/** Describes the columns for days or periods of a file, and which header row says so. */
export type DateHeadings = {
  readonly columns: readonly DateHeading[]
  /** Returns what the other header row says of a column; undefined if there is only one. */
  readonly other: ((at: number) => string) | undefined
  readonly format: DateFormat | undefined
  readonly issues: readonly Issue[]
}

const HEADER_LINE = 1
/** Stands for any year in which all parts of one are read. */
const SOME_YEAR = '2000'
const YEAR = /^\d{4}$/

/** Tells whether a column is named for years. */
export const isYearName = (name: string): boolean => datePartOf(name) === 'year'

/** Returns the columns whose texts are dates by the format that the user gave, or by any. */
const datesAmong = (
  places: readonly number[],
  textOf: (at: number) => string,
  asked: DateFormat | undefined,
): number[] =>
  places.filter((at) => {
    const text = textOf(at).trim()
    return asked ? typeof asked.read(text) === 'number' : isWholeDate(text)
  })

/** Reads the headings as dates in the one format that fits them all. */
const readHeadings = (
  places: readonly number[],
  textOf: (at: number) => string,
  asked: DateFormat | undefined,
): Pick<DateHeadings, 'columns' | 'format' | 'issues'> => {
  const column = createDateColumn('header', asked ?? PLAIN_FORMAT, asked !== undefined)
  for (const at of places) column.note(textOf(at).trim(), HEADER_LINE)
  const format = column.proven()?.format
  const doubt = column.doubt()
  if (doubt !== undefined) return { columns: [], format, issues: [{ field: 'header', message: doubt }] }
  const columns = places.flatMap((at) => {
    const day = format?.read(textOf(at).trim())
    return typeof day === 'number' ? [{ at, day }] : []
  })
  return { columns, format, issues: issuesOf(columns, textOf) }
}

/** Returns the faults of two columns for one day, unless another header row tells them apart. */
const issuesOf = (columns: readonly { at: number; day: Day }[], textOf: (at: number) => string): Issue[] => {
  const first = new Map<Day, number>()
  return columns.flatMap(({ at, day }) => {
    const before = first.get(day)
    if (before === undefined) first.set(day, at)
    return before === undefined || before === at
      ? []
      : [
          {
            field: 'header',
            message: `"${textOf(before).trim()}" and "${textOf(at).trim()}" are the same day or period in columns ${before + 1} and ${at + 1}; leave one out (--ignore "#${at + 1}")`,
          },
        ]
  })
}

/** Describes the rows of labels above the columns. */
type Labels = { readonly lower: (at: number) => string; readonly upper: ((at: number) => string) | undefined }

const withoutDoubles = (issues: readonly Issue[], isTold: boolean): readonly Issue[] =>
  isTold ? issues.filter(({ message }) => !message.includes('are the same day or period')) : issues

/** Tells which of two header rows gives the dates: the one with more of them, as names may look like dates. */
const isDateRow = (dates: readonly string[], others: readonly string[]): boolean =>
  dates.length > others.length || (dates.length === others.length && new Set(dates).size >= new Set(others).size)

/** Sets how many columns must be dates for a file to have a column for each: a single one may have such a name by chance. */
const LEAST = 2

/**
 * Finds the columns for days or periods: their headings are dates, in either of two header rows, or parts of a year
 * below the year. `least` of the columns at `places` must be.
 */
export const findDateHeadings = (
  found: HeaderFindings,
  places: readonly number[],
  upper: readonly string[] | undefined,
  asked: string | undefined,
  least = LEAST,
): DateHeadings | undefined => {
  const given = asked === undefined ? undefined : dateFormat(asked)
  const format = given instanceof Fault ? undefined : given
  const labels: Labels = {
    lower: (at) => found.header[at] ?? '',
    upper: upper && ((at) => upper[at] ?? ''),
  }
  const { lower, upper: above } = labels
  const inYears = above ? places.filter((at) => YEAR.test(above(at).trim()) && isPartOfYear(lower(at).trim())) : []
  const underYears = above ? places.filter((at) => YEAR.test(above(at).trim())) : []
  if (inYears.length >= least && inYears.length * 2 > underYears.length) {
    const textOf = (at: number): string => `${lower(at).trim()} ${above?.(at).trim() ?? ''}`
    return { ...readHeadings(inYears, textOf, undefined), other: undefined }
  }
  const below = datesAmong(places, lower, format)
  const over = above ? datesAmong(unassignedColumns(found), above, format) : []
  const isBelow = isDateRow(below.map(lower), above ? over.map(above) : [])
  if (below.length >= least && isBelow) {
    const { issues, ...read } = readHeadings(below, lower, format)
    const other = above && !below.every((at) => isWholeDate(above(at).trim())) ? above : undefined
    return { ...read, issues: withoutDoubles(issues, other !== undefined), other }
  }
  if (above && over.length >= least) {
    const { issues, ...read } = readHeadings(over, above, format)
    return { ...read, issues: withoutDoubles(issues, true), other: lower }
  }
  const parts = places.filter((at) => isPartOfYear(lower(at).trim()))
  if (parts.length < Math.max(least, LEAST)) return undefined
  return {
    columns: parts.map((at) => ({ at, part: lower(at).trim() })),
    other: above,
    format: readPart(lower(parts[0] ?? 0).trim(), SOME_YEAR)?.format,
    issues: [],
  }
}

/** Lists the formats of a part of a year with the year behind it. */
const PARTS_OF_YEAR = ['MMM YYYY', '[Q]Q YYYY', '[W]WW YYYY', '[KW] WW YYYY'].map(knownFormat)

/** Returns the format of a part of a year with the year behind it, and the day; undefined if it is none. */
const readPart = (part: string, year: string): { readonly format: DateFormat; readonly day: Day } | undefined => {
  const text = `${part
    .replace(/^T(?=[ -]?\d)/i, 'Q')
    .replace(/^CW/i, 'W')
    .replaceAll('-', '')} ${year}`
  for (const format of PARTS_OF_YEAR) {
    const day = format.read(text)
    if (typeof day === 'number') return { format, day }
  }
  return undefined
}

/** Returns the day of a part of a year, such as `Jan` or `Q1`; undefined if it is none. */
export const dayOfPart = (part: string, year: string): Day | undefined => readPart(part, year)?.day
