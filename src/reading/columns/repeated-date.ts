import { civil, dayOfCivil, type Day, weekday } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { createDateColumn } from '../formats/date-column.ts'
import { type DateFormat, dateFormat, PLAIN_FORMAT } from '../formats/date-format.ts'
import { createTimesOfDay } from '../formats/time-of-day.ts'
import { wholeNumber } from './cell-kinds.ts'
import type { SampleRow } from './contents.ts'
import type { HeaderFindings } from './header.ts'
import type { TimePart } from './name-words.ts'
import { roleText } from './role-text.ts'

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
  const column = createDateColumn('', given ?? PLAIN_FORMAT, given === undefined ? 'assumed' : 'given', times)
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
