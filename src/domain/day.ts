/** Counts a calendar day as days since 1970-01-01, negative before it. */
export type Day = number
/** Counts an instant as whole seconds since 1970-01-01T00:00:00 UTC. */
export type Instant = number

type CivilDate = { readonly year: number; readonly month: number; readonly day: number }

const SECONDS_PER_DAY = 86_400
const DAYS_PER_CYCLE = 146_097 // The Gregorian calendar repeats after 400 years.
const DAYS_FROM_0000_03_01 = 719_468
const INSTANT_TEXT = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})$/

/**
 * Returns the day of a year, month and day of month; months outside 1-12 belong to the years around. The calculation
 * lets years begin in March, so that the leap day is their last day.
 */
export const dayOfCivil = (year: number, month: number, day: number): Day => {
  const months = year * 12 + month - 3
  const shifted = Math.floor(months / 12)
  const fromMarch = months - shifted * 12
  const cycle = Math.floor(shifted / 400)
  const yearOfCycle = shifted - cycle * 400
  const dayOfYear = Math.floor((153 * fromMarch + 2) / 5) + day - 1
  const dayOfCycle = yearOfCycle * 365 + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100) + dayOfYear
  return cycle * DAYS_PER_CYCLE + dayOfCycle - DAYS_FROM_0000_03_01
}

/** Returns the year, month (1-12) and day (1-31) of a day. */
export const civil = (day: Day): CivilDate => {
  const sinceStart = day + DAYS_FROM_0000_03_01
  const cycle = Math.floor(sinceStart / DAYS_PER_CYCLE)
  const dayOfCycle = sinceStart - cycle * DAYS_PER_CYCLE
  const leapDays = Math.floor(dayOfCycle / 1460) - Math.floor(dayOfCycle / 36_524) + Math.floor(dayOfCycle / 146_096)
  const yearOfCycle = Math.floor((dayOfCycle - leapDays) / 365)
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + Math.floor(yearOfCycle / 4) - Math.floor(yearOfCycle / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  return {
    year: cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  }
}

/** Sets the first and last days of entries. */
export const FIRST_ENTRY_DAY = dayOfCivil(1900, 1, 1)
export const LAST_ENTRY_DAY = dayOfCivil(2199, 12, 31)
/** Sets the first day of a query, a year earlier, so that a query can begin at the start of the first period. */
export const FIRST_QUERY_DAY = dayOfCivil(1899, 1, 1)

const daysInMonth = (year: number, month: number): number => dayOfCivil(year, month + 1, 1) - dayOfCivil(year, month, 1)

/** Returns the day of a year, month and day of month; undefined if the calendar has no such day. */
export const existingDay = (year: number, month: number, day: number): Day | undefined => {
  const exists = year >= 0 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysInMonth(year, month))
  return exists ? dayOfCivil(year, month, day) : undefined
}

/** Returns the number that two digits at an index form; NaN if they are not digits. */
const twoDigitsAt = (text: string, at: number): number => {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN
}

/** Matches a time of day after a date: the time, to the minute or a fraction of a second, and its offset from UTC. */
const TIME = /^[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/
const MIDNIGHT = /^[0:.]+$/
const UTC = /^(?:Z|[+-][0:]+)?$/
const DATE_LENGTH = 10
const LONGEST_TIME = 25

const timeOf = (text: string): RegExpExecArray | undefined =>
  text.length <= DATE_LENGTH + LONGEST_TIME ? (TIME.exec(text.slice(DATE_LENGTH)) ?? undefined) : undefined

/** Tells whether a text is a date followed by a time of day, midnight or any other. */
export const hasTimeOfDay = (text: string): boolean => timeOf(text) !== undefined

const isMidnight = (text: string): boolean => {
  const [, time = '', zone = ''] = timeOf(text) ?? []
  return MIDNIGHT.test(time) && UTC.test(zone)
}

/**
 * Reads `YYYY-MM-DD`, also followed by midnight: `T00:00:00`, with a blank instead of the `T`, without seconds or with
 * fractions, with `Z` or `+00:00`. Returns undefined for any other form and for dates that do not exist.
 */
export const parseDay = (text: string): Day | undefined => {
  if (text.length !== DATE_LENGTH && !isMidnight(text)) return undefined
  if (text[4] !== '-' || text[7] !== '-') return undefined
  // Comparisons with NaN are false, so anything but digits yields no day.
  return existingDay(twoDigitsAt(text, 0) * 100 + twoDigitsAt(text, 2), twoDigitsAt(text, 5), twoDigitsAt(text, 8))
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** Returns `YYYY-MM-DD`. */
export const formatDay = (of: Day): string => {
  const { year, month, day } = civil(of)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

/** Reads `YYYY-MM-DDTHH:MM:SS` as UTC. */
export const parseInstant = (text: string): Instant | undefined => {
  const match = INSTANT_TEXT.exec(text)
  const day = match?.[1] === undefined ? undefined : parseDay(match[1])
  if (!match || day === undefined) return undefined
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4])]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  return day * SECONDS_PER_DAY + hours * 3600 + minutes * 60 + seconds
}

/** Returns `YYYY-MM-DDTHH:MM:SS` in UTC, without a zone. */
export const formatInstant = (instant: Instant): string => {
  const day = Math.floor(instant / SECONDS_PER_DAY)
  const second = instant - day * SECONDS_PER_DAY
  const [hours, minutes] = [Math.floor(second / 3600), Math.floor(second / 60) % 60]
  return `${formatDay(day)}T${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(second % 60)}`
}

/** Returns the day, in UTC, of an instant. */
export const dayOfInstant = (instant: Instant): Day => Math.floor(instant / SECONDS_PER_DAY)

/** Returns the same date of the next year; for a leap day the first of March. */
export const dayNextYear = (of: Day): Day => {
  const { year, month, day } = civil(of)
  return dayOfCivil(year + 1, month, day)
}

/** Returns the weekday: Monday is 0, Sunday 6. */
export const weekday = (day: Day): number => (((day + 3) % 7) + 7) % 7
