import { type Day, formatDay } from '../../domain/day.ts'
import type { TimesAs } from '../options.ts'
import { type Evidence, showCell } from './evidence.ts'

/** Says what to do where times are left out. */
export const SEVERAL_ROWS =
  '; where a day then has several rows, --on-duplicate avg, sum, max, min, count, first or last makes one of them'

/** Matches a time of day behind a date, with or without an offset. */
const TIME =
  /(?:T| {1,3})(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d{1,9})?)?(?: ?([AP])\.?M\.?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i

/** Describes a date with a time of day: the text of the date, the time, and whether it has an offset. */
type TimedText = {
  readonly date: string
  readonly isMidnight: boolean
  /** Tells whether the time is within a minute before or after midnight. */
  readonly isBefore: boolean
  readonly isAfter: boolean
  readonly hasOffset: boolean
}

const isHour = (hour: number, half: string | undefined): boolean =>
  half === undefined ? hour <= 23 : hour >= 1 && hour <= 12

/** Tells whether a time is the end of its day, as meters write it. */
const isEndOfDay = ([hour, minute, second]: readonly [number, number, number], half: string | undefined): boolean =>
  half === undefined && hour === 24 && minute === 0 && second === 0

/** Splits the time of day off a date; undefined if there is none. */
export const splitTime = (text: string): TimedText | undefined => {
  const match = TIME.exec(text)
  if (!match) return undefined
  const [, hour = '', minute = '', second = '0', half, offset] = match
  const numbers = [Number(hour), Number(minute), Number(second)] as const
  const isTime = isHour(numbers[0], half) && numbers[1] <= 59 && numbers[2] <= 59
  if (!isTime && !isEndOfDay(numbers, half)) return undefined
  const isPm = /p/i.test(half ?? '')
  const hour24 = half === undefined ? numbers[0] : (numbers[0] % 12) + (isPm ? 12 : 0)
  return {
    date: text.slice(0, match.index).trim(),
    isMidnight: hour24 === 0 && numbers[1] === 0 && numbers[2] === 0,
    isBefore: hour24 === 23 && numbers[1] === 59,
    isAfter: hour24 === 0 && numbers[1] === 0,
    hasOffset: offset !== undefined && !/^(?:z|utc)$/i.test(offset),
  }
}

/** Tells whether a text is a time of day, such as `08:30` or `8:30 PM`, and nothing else. */
export const isTimeOfDay = (text: string): boolean => text.includes(':') && splitTime(` ${text}`)?.date === ''

/** Watches the times of day in a column of dates. */
type TimesOfDay = {
  /** Returns the date without its time if that is settled; else the text as it is, and notes the time. */
  readonly dateOf: (text: string, line: number) => string
  /** Returns how many days after the date of a text its day is: 1 where its time is rounded to the midnight behind it. */
  readonly daysAfter: (text: string) => 0 | 1
  readonly isFound: () => boolean
  /** Returns why the times have to be settled, and how; `read` reads a date. */
  readonly doubt: (read: (text: string) => Day | null | undefined) => string | undefined
  readonly remarks: () => readonly string[]
}

/** Returns the two days that times around midnight may mean. */
const whichDay = (cell: Evidence, read: (text: string) => Day | null | undefined): string => {
  const day = read(splitTime(cell.text)?.date ?? '')
  const [before, begins] = typeof day === 'number' ? [` (${formatDay(day)})`, ` (${formatDay(day + 1)})`] : ['', '']
  return `has only times within a minute of midnight, such as ${showCell(cell)}, as a workbook shows dates of another time zone: --time round takes the day that begins then${begins}, --time drop the day before${before}`
}

/** Creates a watcher of times; `as` is what the user said of them. */
export const createTimesOfDay = (name: string, as: TimesAs | undefined): TimesOfDay => {
  // Hold the first cell with a time, the first within a minute before midnight, and the first further from midnight.
  let [first, before, other]: (Evidence | undefined)[] = []
  let offset: Evidence | undefined
  const noteTime = ({ isMidnight, isBefore, isAfter, hasOffset }: TimedText, cell: Evidence): void => {
    // Midnight with an offset is another day elsewhere.
    if (isMidnight && !hasOffset) return
    first ??= cell
    if (isBefore) before ??= cell
    else if (!isAfter || isMidnight) other ??= cell
  }
  return {
    dateOf: (text, line) => {
      if (!text.includes(':') && !text.includes('.')) return text
      const timed = splitTime(text)
      if (!timed) return text
      if (timed.hasOffset) offset ??= { text, line }
      if (as === 'drop' || (as === 'round' && (timed.isBefore || timed.isAfter))) return timed.date
      noteTime(timed, { text, line })
      return text
    },
    daysAfter: (text) => (as === 'round' && splitTime(text)?.isBefore === true ? 1 : 0),
    isFound: () => first !== undefined,
    doubt: (read) => {
      if (!first) return undefined
      if (before && !other) return whichDay(before, read)
      const rounded = as === 'round' ? ' further from midnight than a minute' : ''
      return `has times of day${rounded}, such as ${showCell(other ?? first)}, and entries have only dates: --time drop leaves the times out${SEVERAL_ROWS}`
    },
    remarks: () =>
      as !== undefined && offset
        ? [`${name} has times with an offset, such as ${showCell(offset)}; the date is taken as it is written`]
        : [],
  }
}
