import { mapFlag } from '../options/flag-text.ts'
import type { Issue } from '../../domain/errors.ts'
import type { ImportOptions } from '../options/options.ts'
import { columnsHolding, type Contents, type Sample } from './contents.ts'
import { isYearName } from './date-headings.ts'
import type { DatePart } from '../formats/date-words.ts'
import { datePartOf, type HeaderFindings, unassignedColumns } from './header.ts'
import { roleText } from './role-text.ts'
import { isWholeDate } from './unusual-headers.ts'

/** Lists the parts that make a date together; of those in one line, a file may mean either. */
const WHOLE: readonly (readonly (readonly DatePart[])[])[] = [
  [['year', 'month', 'day']],
  [
    ['year', 'month'],
    ['year', 'week'],
  ],
  [['year', 'quarter']],
]

/** Tells whether more than half of the texts that are given are dates. */
const areDates = (texts: readonly string[]): boolean => {
  const given = texts.map((text) => text.trim()).filter((text) => text !== '')
  return 2 * given.filter(isWholeDate).length > given.length
}

/** Tells whether columns make a date together in most of the first rows. */
const makeDates = ({ header }: HeaderFindings, sample: Sample, places: readonly number[]): boolean => {
  const textOf = roleText({ header, roles: new Map(), joined: new Map([['date', places]]) }, 'date')
  return areDates(sample.map(textOf))
}

/** Returns the columns that make a date together, in each way in which they may. */
const findParts = (found: HeaderFindings, sample: Sample): number[][] => {
  const date = found.roles.get('date')
  const places = [...unassignedColumns(found), ...(date === undefined ? [] : [date])]
  const placeOf = (part: DatePart): number | undefined =>
    places.find((at) => datePartOf(found.header[at] ?? '') === part) ?? (part === 'day' ? date : undefined)
  const made = WHOLE.map((ways) =>
    ways
      .map((way) => way.map(placeOf).filter((at) => at !== undefined))
      .filter((way, at) => way.length === ways[at]?.length && new Set(way).size === way.length)
      .filter((way) => makeDates(found, sample, way)),
  )
  return made.find((ways) => ways.length > 0) ?? []
}

/** Tells whether the column of dates, if there is one, holds dates by itself. */
const hasDates = ({ header, roles }: HeaderFindings, sample: Sample): boolean => {
  const at = roles.get('date')
  return at !== undefined && !isYearName(header[at] ?? '') && areDates(sample.map((cells) => cells[at] ?? ''))
}

/** Returns a column as flags name it: by its place if its name means something in a flag. */
const flagName = (header: readonly string[], at: number): string => {
  const name = header[at]?.trim() ?? ''
  return /[,+="]/.test(name) || header.filter((one) => one.trim() === name).length > 1 ? `#${at + 1}` : name
}

const flagOf = (header: readonly string[], places: readonly number[]): string =>
  mapFlag('date', ...places.map((at) => flagName(header, at)))

/** Returns the fault of a date in several columns, with the flag for each way in which they may make it. */
const faultOfParts = (header: readonly string[], ways: readonly (readonly number[])[]): Issue => {
  const flags = ways.map((way) => flagOf(header, way)).join(' or ')
  const [places = [], ...others] = ways
  const names = places.map((at) => `"${header[at]?.trim()}"`)
  const message =
    others.length > 0
      ? `is in several columns; say in which: ${flags}`
      : `is made up of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}: ${flags}`
  return { field: 'date', message }
}

/**
 * Adds the fault of a date in several columns, such as year, month and day, which the user has to confirm. It replaces
 * other faults of the date, and no more follow from these columns.
 */
export const askForDateParts = (found: HeaderFindings, { date, map }: ImportOptions, sample: Sample): void => {
  if (date !== undefined || map.has('date') || sample.length === 0 || hasDates(found, sample)) return
  const ways = findParts(found, sample)
  const places = [...new Set(ways.flat())]
  const [first] = places
  if (first === undefined) return
  const { header, issues, roles, joined } = found
  const others = issues.filter(({ field }) => field !== 'date')
  issues.splice(0, issues.length, ...others, faultOfParts(header, ways))
  roles.set('date', first)
  joined.set('date', places)
}

/**
 * Finds the column of dates by its cells if none has such a name: the only one of dates, which may have no name at all,
 * else the only one named for years.
 */
export const recognizeDate = (found: HeaderFindings, contents: Contents, { ignore, columns }: ImportOptions): void => {
  const isUnnamed = (at: number): boolean =>
    found.header[at]?.trim() === '' && !ignore.includes(`#${at + 1}`) && (columns?.includes(`#${at + 1}`) ?? true)
  const unnamed = [...found.header.keys()].filter((at) => isUnnamed(at) && contents.peek(at) === 'dates')
  const named = columnsHolding(found, contents, 'dates')
  const dates = named.length > 0 ? named : unnamed
  const years = columnsHolding(found, contents, 'years').filter((at) => isYearName(found.header[at] ?? ''))
  const [one, ...others] = dates.length > 0 ? dates : years
  if (one === undefined || others.length > 0) return
  found.roles.set('date', one)
  found.ignored.delete(one)
}
