import { type Day, formatDay } from '../../domain/day.ts'
import type { TimesAs } from '../options/options.ts'
import { type Evidence, showCell } from './evidence.ts'

/** Says what to do where times are left out. */
export const SEVERAL_ROWS =
  '; where a day then has several rows, --on-duplicate avg, sum, max, min, count, first or last makes one of them'

/** Matches a time of day behind a date, with or without an offset. */
const TIME =
  /(?:T| {1,3})(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d{1,9})?)?(?: ?([AP])\.?M\.?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i

const [NOON, MIDNIGHT] = [12 * 60, 24 * 60]

/** Describes a date with a time of day: the text of the date, the time, and whether it has an offset. */
type TimedText = {
  readonly date: string
  readonly isMidnight: boolean
  /**
   * Holds the minutes of the day at which midnight of another time zone may be, from noon on: offsets are quarters of an
   * hour. Times within a minute of midnight are midnight.
   */
  readonly shifted: number | undefined
  /** Tells whether the day that begins at the nearest midnight is the one after the date. */
  readonly isBefore: boolean
  readonly hasOffset: boolean
}

const isHour = (hour: number, half: string | undefined): boolean =>
  half === undefined ? hour <= 23 : hour >= 1 && hour <= 12

/** Tells whether a time is the end of its day, as meters write it. */
const isEndOfDay = ([hour, minute, second]: readonly [number, number, number], half: string | undefined): boolean =>
  half === undefined && hour === 24 && minute === 0 && second === 0

/** Matches a count of seconds or milliseconds since 1970, of the years from 2001 on. */
const INSTANT = /^(1\d{9})(\d{3})?$/
const MINUTES_A_DAY = 24 * 60

/** Tells whether a text may be a count of seconds or milliseconds since 1970. */
export const isInstant = (text: string): boolean => (text.length === 10 || text.length === 13) && INSTANT.test(text)

/** Returns a count of seconds since 1970 as that of the midnight before it in UTC, and its time; undefined if it is midnight. */
const splitInstant = (text: string): TimedText | undefined => {
  const [, seconds = '', milliseconds = ''] = INSTANT.exec(text) ?? []
  const ofDay = Number(seconds) % (MINUTES_A_DAY * 60)
  if (ofDay === 0 && Number(milliseconds) === 0) return undefined
  const [minutes, rest] = [Math.floor(ofDay / 60), ofDay % 60]
  return {
    date: String(Number(seconds) - ofDay) + milliseconds.replaceAll(/\d/g, '0'),
    isMidnight: false,
    shifted: rest === 0 && minutes >= NOON && minutes % 15 === 0 ? minutes : undefined,
    isBefore: minutes >= NOON,
    hasOffset: false,
  }
}

/** Splits the time of day off a date; undefined if there is none. */
export const splitTime = (text: string): TimedText | undefined => {
  if (isInstant(text)) return splitInstant(text)
  const match = TIME.exec(text)
  if (!match) return undefined
  const [, hour = '', minute = '', second = '0', half, offset] = match
  const numbers = [Number(hour), Number(minute), Number(second)] as const
  const isTime = isHour(numbers[0], half) && numbers[1] <= 59 && numbers[2] <= 59
  if (!isTime && !isEndOfDay(numbers, half)) return undefined
  const isPm = /p/i.test(half ?? '')
  const hour24 = half === undefined ? numbers[0] : (numbers[0] % 12) + (isPm ? 12 : 0)
  const at = hour24 * 60 + numbers[1]
  const isQuarter = at >= NOON && at < MIDNIGHT && at % 15 === 0 && numbers[2] === 0
  return {
    date: text.slice(0, match.index).trim(),
    isMidnight: at === 0 && numbers[2] === 0,
    shifted: at === 0 || at === MIDNIGHT - 1 ? MIDNIGHT : isQuarter ? at : undefined,
    isBefore: at >= NOON && at < MIDNIGHT,
    hasOffset: offset !== undefined && !/^(?:z|utc)$/i.test(offset),
  }
}

/** Tells whether a text is a time of day, such as `08:30` or `8:30 PM`, and nothing else. */
export const isTimeOfDay = (text: string): boolean => text.includes(':') && splitTime(` ${text}`)?.date === ''

/** Sets how many minutes summer time moves midnight. */
const SUMMER_TIME = 60

/** Tells whether times are midnight of one time zone, with its summer time. */
const areOneMidnight = (times: ReadonlySet<number>): boolean =>
  times.size <= 2 && Math.max(...times) - Math.min(...times) <= SUMMER_TIME

/** Returns the two days that times may mean which are midnight, or nearly so, or midnight of another time zone. */
const whichDay = (cell: Evidence, isNear: boolean, read: (text: string) => Day | null | undefined): string => {
  const day = read(splitTime(cell.text)?.date ?? '')
  const [before, begins] = typeof day === 'number' ? [` (${formatDay(day)})`, ` (${formatDay(day + 1)})`] : ['', '']
  const times = isNear
    ? `within a minute of midnight, such as ${showCell(cell)}, as a workbook shows dates of another time zone`
    : `such as ${showCell(cell)}, as midnight of another time zone is written`
  return `has only times ${times}: --time round takes the day that begins then${begins}, --time drop the date as it is written${before}`
}

/** Creates a watcher of times; `as` is what the user said of them. */
export const createTimesOfDay = (name: string, as: TimesAs | undefined) => {
  // Hold the first cell with a time, the first in doubt, the first before midnight, and the first that is no midnight as
  // the others are.
  let [timed, first, before, other]: (Evidence | undefined)[] = []
  let offset: Evidence | undefined
  const midnights = new Set<number>()
  /** Tells whether a time may be midnight, in the same time zone as those before. */
  const mayBeMidnight = ({ shifted, hasOffset }: TimedText): boolean => {
    // A time with an offset is that of its own time zone.
    if (other || shifted === undefined || (hasOffset && shifted !== MIDNIGHT)) return false
    midnights.add(shifted)
    return areOneMidnight(midnights)
  }
  return {
    /** Returns the date without its time if that is settled; else the text as it is, and notes the time. */
    dateOf: (text: string, line: number): string => {
      if (!text.includes(':') && !text.includes('.') && !isInstant(text)) return text
      const time = splitTime(text)
      if (!time) return text
      const [{ date, isMidnight, isBefore, hasOffset }, cell] = [time, { text, line }]
      if (hasOffset) offset ??= cell
      if (as === 'drop') return date
      const isOne = mayBeMidnight(time)
      // Midnight with an offset is another day elsewhere.
      const isPlain = isMidnight && !hasOffset
      if (!isPlain) timed ??= cell
      if (isOne && (as === 'round' || isPlain)) return as === 'round' ? date : text
      first ??= isPlain ? timed : cell
      if (isOne && isBefore) before ??= cell
      if (!isOne || isMidnight) other ??= isPlain ? timed : cell
      return text
    },
    /** Returns how many days after the date of a text its day is: 1 where its time is rounded to the midnight behind it. */
    daysAfter: (text: string): 0 | 1 => (as === 'round' && splitTime(text)?.isBefore === true ? 1 : 0),
    isFound: (): boolean => first !== undefined,
    /** Returns why the times have to be settled, and how; `read` reads a date. */
    doubt: (read: (text: string) => Day | null | undefined): string | undefined => {
      if (!first) return undefined
      if (before && !other) {
        const days = whichDay(before, midnights.size === 1 && midnights.has(MIDNIGHT), read)
        return isInstant(before.text)
          ? `${days}; either with --date-format UNIX, as they count seconds since 1970`
          : days
      }
      const cell = other ?? first
      if (isInstant(cell.text))
        return `has times of day, such as ${showCell(cell)}, which looks like a count of seconds since 1970, and entries have only dates: --date-format UNIX --time drop takes the day in UTC${SEVERAL_ROWS}`
      const rounded = as === 'round' ? ' that are not midnight of one time zone' : ''
      return `has times of day${rounded}, such as ${showCell(cell)}, and entries have only dates: --time drop leaves the times out${SEVERAL_ROWS}`
    },
    remarks: (): string[] =>
      as !== undefined && offset
        ? [`${name} has times with an offset, such as ${showCell(offset)}; the date is taken as it is written`]
        : [],
  }
}
