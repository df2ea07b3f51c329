import { Fault, type Issue } from '../../domain/errors.ts'
import { KNOWN_FORMATS } from '../forms/known-formats.ts'
import { monthOf } from '../forms/month-names.ts'
import { shortYearsOf } from '../forms/short-years.ts'
import type { Lookup } from '../readable.ts'
import { type Findings, restOf } from './header.ts'

/** So many headers are shown; there may be hundreds. */
const SHOWN = 3

const shownNames = (names: readonly string[]): string =>
  names
    .slice(0, SHOWN)
    .map((name) => `"${name}"`)
    .join(', ') + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '')

/** The headers that mean nothing and name none of the things that columns may be headed by. */
const strangeNames = (found: Findings, lookups: readonly Lookup[]): string[] =>
  restOf(found)
    .map((at) => found.header[at]?.trim() ?? '')
    .filter((name) => lookups.every(({ find }) => find(name) instanceof Fault))

/** A part of a year without the year, as it stands at the head of a column. */
const PART_OF_YEAR = /^(?:(?:KW|CW|W|Q|T)[ -]?\d{1,2}|\d{1,2}[./]\d{1,2}\.?)$/i

/** Whether a text is a date, or a period of which the year is known. */
export const isWholeDate = (text: string): boolean =>
  shortYearsOf(text).length > 0 || KNOWN_FORMATS.some((format) => typeof format.read(text) === 'number')

const isDate = (name: string): boolean => PART_OF_YEAR.test(name) || monthOf(name) !== undefined || isWholeDate(name)

/** What is wrong where the columns are those of days or periods, at least two; one may be called so by chance. */
export const datesAcross = (found: Findings, lookups: readonly Lookup[]): Issue | undefined => {
  const dates = strangeNames(found, lookups).filter(isDate)
  if (dates.length < 2) return undefined
  return {
    field: 'header',
    message: `${shownNames(dates)} are dates: a file with a column for each day or period is not read; write a row for each of them, with columns user, kpi, date and actual`,
  }
}

/** That columns are not headed by KPIs or users, where they would have to be if the file is one with a column for each. */
export const nobodys = (found: Findings, lookups: readonly (readonly [what: string, Lookup])[]): Issue[] => {
  if (lookups.some(([, { unread }]) => unread !== undefined)) return []
  const names = strangeNames(
    found,
    lookups.map(([, lookup]) => lookup),
  )
  if (names.length === 0 || lookups.length === 0) return []
  const what = lookups.map(([one]) => one).join(' or ')
  return [
    {
      field: 'header',
      message: `is not one with a column for each ${what} either: no ${what} is called ${shownNames(names)}`,
    },
  ]
}
