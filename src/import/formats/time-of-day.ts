import { type Evidence, showCell } from './evidence.ts'

/** Says what to do where times are left out. */
export const SEVERAL_ROWS =
  '; where a day then has several rows, --on-duplicate avg, sum, max, min, count, first or last makes one of them'

/** Matches a time of day behind a date, with or without an offset. */
const TIME =
  /(?:T| {1,3})(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d{1,9})?)?(?: ?([AP])\.?M\.?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i

/** Describes a date with a time of day: the text of the date, and whether the time is midnight or has an offset. */
type TimedText = { readonly date: string; readonly isMidnight: boolean; readonly hasOffset: boolean }

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
  const isMidnight = numbers.every((number) => number === 0) || (numbers[0] === 12 && /a/i.test(half ?? ''))
  return {
    date: text.slice(0, match.index).trim(),
    isMidnight,
    hasOffset: offset !== undefined && !/^(?:z|utc)$/i.test(offset),
  }
}

/** Tells whether a text is a time of day, such as `08:30` or `8:30 PM`, and nothing else. */
export const isTimeOfDay = (text: string): boolean => text.includes(':') && splitTime(` ${text}`)?.date === ''

/** Watches the times of day in a column of dates. */
type TimesOfDay = {
  /** Returns the date without its time if times are dropped; else the text as it is, and notes the time. */
  readonly dateOf: (text: string, line: number) => string
  readonly isFound: () => boolean
  /** Returns why the times have to be settled, and how. */
  readonly doubt: () => string | undefined
  readonly remarks: () => readonly string[]
}

/** Creates a watcher of times; `isDropped` if the user said that they are left out. */
export const createTimesOfDay = (name: string, isDropped: boolean): TimesOfDay => {
  let first: Evidence | undefined
  let offset: Evidence | undefined
  return {
    dateOf: (text, line) => {
      if (!text.includes(':') && !text.includes('.')) return text
      const timed = splitTime(text)
      if (!timed) return text
      if (timed.hasOffset) offset ??= { text, line }
      if (isDropped) return timed.date
      // Midnight with an offset is another day elsewhere.
      if (!timed.isMidnight || timed.hasOffset) first ??= { text, line }
      return text
    },
    isFound: () => first !== undefined,
    doubt: () =>
      first &&
      `has times of day, such as ${showCell(first)}, and entries have only dates: --time drop leaves the times out${SEVERAL_ROWS}`,
    remarks: () =>
      isDropped && offset
        ? [`${name} has times with an offset, such as ${showCell(offset)}; the date is taken as it is written`]
        : [],
  }
}
