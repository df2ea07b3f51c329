import { type Day, dayOfCivil, FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY, parseDay } from '../../domain/day.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import type { Calendar } from '../../domain/period.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { KNOWN_FORMATS } from '../formats/known-formats.ts'
import { foldedNames, foldName } from './header.ts'

const YEAR = /^(?:fy ?)?(\d{4})$/
const YEAR_AND_QUARTER = /^(\d{4})[ -/]?q([1-4])$/
const QUARTER_AND_YEAR = /^q([1-4])[ -/]?(\d{4})$/
const YEAR_AND_MONTH = /^(\d{4})-(\d{2})$/

/** Lists the words that may stand before a period: `Target 2027`. */
const TARGET_WORDS = foldedNames(kpi.fields.target_default.called)

/** Names the columns with the first day of the target of a row. */
const FROM_NAMES = foldedNames(
  'from, from day, valid from, target from, gültig ab, gilt ab, ab, valable dès, à partir de, válido desde, desde, valido dal, dal, geldig vanaf, vanaf, gäller från, obowiązuje od',
)

/** Tells whether a column is called for the first day of the target of its row. */
export const isFromName = (header: string): boolean => FROM_NAMES.has(foldName(header))

/** Returns a text in lower case, with one blank between its words, and without a word for a target before them. */
const periodText = (text: string): string => {
  const folded = text.trim().toLowerCase().split(/\s+/)
  const [first = '', ...others] = folded
  return (others.length > 0 && TARGET_WORDS.has(foldName(first)) ? others : folded).join(' ')
}

/**
 * Returns the first day of what a text names: a day, a month, or a quarter or year, which begin as those of the account do;
 * undefined if it names none.
 */
export const targetDayIn = (text: string, { fiscal_year_start: first }: Calendar): Day | undefined => {
  const word = periodText(text)
  const day = parseDay(word)
  if (day !== undefined) return day
  const [, year] = YEAR.exec(word) ?? []
  if (year !== undefined) return dayOfCivil(Number(year), first, 1)
  const [, ofQuarter, quarter] = YEAR_AND_QUARTER.exec(word) ?? []
  const [, other, ofOther] = QUARTER_AND_YEAR.exec(word) ?? []
  const [inYear, number] = [ofQuarter ?? ofOther, quarter ?? other]
  if (inYear !== undefined && number !== undefined) return dayOfCivil(Number(inYear), first + Number(number) * 3 - 3, 1)
  const [, ofMonth, month] = YEAR_AND_MONTH.exec(word) ?? []
  const isMonth = month !== undefined && Number(month) >= 1 && Number(month) <= 12
  return isMonth ? dayOfCivil(Number(ofMonth), Number(month), 1) : undefined
}

/** Tells whether a target may begin on a day: one that an entry may have. */
const isEntryDay = (day: Day): boolean => day >= FIRST_ENTRY_DAY && day <= LAST_ENTRY_DAY

/** Returns what is wrong with a column whose name is a day on which no target can begin; undefined if one can. */
export const faultOfTargetDay = (heading: string, day: Day): Issue | undefined =>
  isEntryDay(day)
    ? undefined
    : { field: 'header', message: `"${heading}" must be in the years 1900 to 2199, or be left out (--ignore)` }

/** Reads the first day of the target of a row: a period, or a day in any format in which it is no other day. */
export const readTargetDay = (text: string, calendar: Calendar): Day | Fault => {
  const day = parseDay(text.trim()) ?? targetDayIn(text, calendar)
  if (day !== undefined) return isEntryDay(day) ? day : Fault.must('be in the years 1900 to 2199')
  const readings = KNOWN_FORMATS.map((format) => format.read(text.trim()))
  const found = readings.filter((one) => typeof one === 'number')
  const [only, ...others] = [...new Set(found)].sort((one, other) => one - other)
  if (only === undefined && readings.includes(null)) return Fault.is('a date that does not exist')
  if (only === undefined)
    return Fault.must('be a day, a month, a quarter or a year: 2027-01-01, 2027-01, Q1 2027 or 2027')
  if (others.length === 0) return only
  return new Fault(`may be ${[only, ...others].map(formatDay).join(' or ')}: write it like that`)
}
