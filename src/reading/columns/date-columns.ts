import { mapFlag } from '../options/flag-text.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import type { ImportOptions } from '../options/options.ts'
import {
  columnsHolding,
  columnsLikeDates,
  type Contents,
  type Sample,
  type SampleRow,
  unnamedColumns,
  wholeNumber,
} from './contents.ts'
import { datePartOf, type HeaderFindings, isYearName, labelAt, unassignedColumns } from './header.ts'
import type { DatePart } from '../formats/period-words.ts'
import { roleText } from './roles.ts'
import { isPartOfYear, isWholeDate } from '../formats/known-formats.ts'
import { civil, type Day, dayOfCivil, weekday } from '../../domain/day.ts'
import { createDateColumn } from '../formats/date-column.ts'
import { type DateFormat, dateFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import { createTimesOfDay, splitTime } from '../formats/time-of-day.ts'
import type { TimePart } from './name-words.ts'

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
  return name === '' || /[,+="]/.test(name) || header.filter((one) => one.trim() === name).length > 1
    ? `#${at + 1}`
    : name
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

/** Returns the columns, also without a name, of which all cells are parts of a year, such as the names of months. */
const partColumns = (found: HeaderFindings, contents: Contents): number[] => {
  const nameless = [...found.header.keys()].filter((at) => found.header[at]?.trim() === '')
  return [...nameless, ...unassignedColumns(found)].filter((at) => {
    if (contents.peek(at) !== 'texts') return false
    const texts = contents.textsIn(at).filter((text) => text !== '')
    return new Set(texts).size > 1 && texts.every(isPartOfYear)
  })
}

/**
 * Finds the column of dates by its cells if none has such a name: the only one of dates, which may have no name at all.
 * Where what is missing is created, after it was shown, it may have any name; else it may be the only one named for
 * years, or of parts of a year.
 */
export const recognizeDate = (found: HeaderFindings, contents: Contents, options: ImportOptions): void => {
  const isCreating = options.create !== undefined
  const named = columnsHolding(found, contents, 'dates')
  if (named.length > 0 && !isCreating) return
  const unnamed = unnamedColumns(found, options).filter((at) => contents.peek(at) === 'dates')
  const dates = named.length > 0 ? named : unnamed
  const years = columnsHolding(found, contents, 'years').filter((at) => isYearName(found.header[at] ?? ''))
  const ofYears = isCreating ? [years, partColumns(found, contents)] : []
  const [one, ...others] = [dates, ...ofYears].find((some) => some.length > 0) ?? []
  if (one === undefined || others.length > 0) return
  found.roles.set('date', one)
  found.ignored.delete(one)
}

/** Bounds the columns that a message names. */
const SHOWN = 3

/** Returns how to read columns as the date whose cells look like dates; empty if there are none. */
export const orLikeDates = (found: HeaderFindings, contents: Contents, options: ImportOptions): string =>
  columnsLikeDates(found, contents, options)
    .slice(0, SHOWN)
    .map((at) => {
      const name = labelAt(found, at)
      const texts = contents.textsIn(at)
      const [holds, format] = contents.areInstants(at)
        ? ['numbers that look like seconds since 1970', ' --date-format UNIX']
        : ['dates', '']
      const isTimed = format !== '' && texts.some((text) => splitTime(text) !== undefined)
      const time = isTimed && options.time === undefined ? ' --time drop' : ''
      return `; ${name === '' ? `column ${at + 1}, which has no name,` : `"${name}"`} holds ${holds}: ${flagOf(found.header, [at])}${options.dateFormat === undefined ? format : ''}${time}`
    })
    .join('')

/** Returns the number of a day's ISO week, which is that of its Thursday. */
const weekOf = (day: Day): number => {
  const thursday = day - weekday(day) + 3
  return Math.floor((thursday - dayOfCivil(civil(thursday).year, 1, 1)) / 7) + 1
}

type Reading = (day: Day) => number

const monthsOf: Reading = (day) => civil(day).year * 100 + civil(day).month
const daysOf: Reading = (day) => monthsOf(day) * 100 + civil(day).day

/** Holds the numbers that a column named for a part of a date may repeat of the date of its row. */
const READINGS: Readonly<Record<TimePart, readonly Reading[]>> = {
  date: [daysOf, monthsOf],
  year: [(day) => civil(day).year],
  quarter: [(day) => Math.ceil(civil(day).month / 3)],
  month: [(day) => civil(day).month, monthsOf],
  week: [weekOf, (day) => civil(day + 3 - weekday(day)).year * 100 + weekOf(day)],
  day: [
    (day) => civil(day).day,
    (day) => day - dayOfCivil(civil(day).year, 1, 1) + 1,
    weekday,
    (day) => weekday(day) + 1,
    (day) => (weekday(day) + 1) % 7,
    (day) => ((weekday(day) + 1) % 7) + 1,
  ],
  time: [],
}

/** Returns the dates of some rows in the one format that they show; undefined if that is not clear. */
const readDates = (
  texts: readonly string[],
  asked: string | undefined,
): ((text: string) => Day | undefined) | undefined => {
  const given = asked === undefined ? undefined : dateFormat(asked)
  if (given instanceof Fault) return undefined
  const times = createTimesOfDay('', 'drop')
  const column = createDateColumn('', given ?? PLAIN_FORMAT, given === undefined ? 'assumed' : 'given', { times })
  for (const text of texts) column.note(text, 0)
  const format: DateFormat | undefined = column.proven()?.format
  return (
    format &&
    ((text) => {
      const day = format.read(times.dateOf(text, 0))
      return typeof day === 'number' ? day : undefined
    })
  )
}

/** Tells whether the numbers of a column repeat a part of the date of their row. */
export const repeatsDate = (
  found: HeaderFindings,
  rows: readonly SampleRow[],
  at: number,
  part: TimePart,
  asked: string | undefined,
): boolean => {
  if (!found.roles.has('date')) return false
  const textIn = roleText(found, 'date')
  const pairs = rows
    .map(({ cells }) => [textIn(cells).trim(), cells[at]?.trim() ?? ''] as const)
    .filter(([date, text]) => date !== '' && text !== '')
  const dayOf = readDates(
    pairs.map(([date]) => date),
    asked,
  )
  if (!dayOf || pairs.length === 0) return false
  return READINGS[part].some((reading) =>
    pairs.every(([date, text]) => {
      const day = dayOf(date)
      return day !== undefined && reading(day) === wholeNumber(text)
    }),
  )
}
