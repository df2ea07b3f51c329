import type { Issue } from '../../domain/errors.ts'
import { faultOfNoValue } from '../formats/evidence.ts'
import { stripAffixes } from '../formats/number.ts'
import { splitTime } from '../formats/time-of-day.ts'
import type { ImportOptions, Role } from '../options.ts'
import { isYearName } from './date-headings.ts'
import { type HeaderFindings, unassignedColumns } from './header.ts'
import { isWholeDate } from './unusual-headers.ts'

/** Holds the first rows of a file. */
export type Sample = readonly (readonly string[])[]

/** Names what the cells of a column are, as far as the first rows show it. */
type Content = 'numbers' | 'years' | 'dates' | 'texts' | 'mixed' | 'nothing'

const YEAR = /^(?:1[5-9]|20|21)\d{2}$/
const isNumber = (text: string): boolean => stripAffixes(text) !== undefined
const isYear = (text: string): boolean => YEAR.test(text)
const isDate = (text: string): boolean => isWholeDate(splitTime(text)?.date ?? text)

/** Returns the cells of a column that say what it holds: words for a missing value say nothing. */
const givenIn = (sample: Sample, at: number, missing: ImportOptions['missing']): string[] =>
  sample
    .map((cells) => cells[at]?.trim() ?? '')
    .filter((text) => text !== '' && faultOfNoValue(text) === undefined && missing?.has(text.toLowerCase()) !== true)

/** Returns what the cells of a column are; `mixed` if some are numbers, and others neither numbers nor dates. */
export const contentOf = (sample: Sample, at: number, missing?: ImportOptions['missing']): Content => {
  const given = givenIn(sample, at, missing)
  if (given.length === 0) return 'nothing'
  if (given.every(isYear)) return 'years'
  if (given.every(isNumber)) return 'numbers'
  if (given.every(isDate)) return 'dates'
  return given.some(isNumber) ? 'mixed' : 'texts'
}

const quoted = (name: string): string => (/[, ]/.test(name) ? `"${name}"` : name)

const SHOWN_MIXED = 3

/** Returns how to leave out a row of units, if the text may be one: it stands right below the header. */
const orUnits = (sample: Sample, at: number, text: string): string =>
  sample[0]?.[at]?.trim() === text && !text.endsWith('*') ? `, --ignore-rows ${quoted(text)} its row` : ''

/** Returns the fault of columns that hold numbers and other texts, which are not left out unasked. */
export const faultsOfMixed = (
  found: HeaderFindings,
  sample: Sample,
  places: readonly number[],
  missing: ImportOptions['missing'],
): Issue[] => {
  const faults = places.slice(0, SHOWN_MIXED).map((at) => {
    const name = found.header[at]?.trim() ?? ''
    const text = givenIn(sample, at, missing).find((one) => !isNumber(one)) ?? ''
    return {
      field: name,
      message: `has numbers, and other texts such as "${text}": --missing says which texts stand for no value, --ignore ${quoted(name)} leaves the column out${orUnits(sample, at, text)}`,
    }
  })
  const more = places.length - SHOWN_MIXED
  return more > 0
    ? [...faults, { field: 'header', message: `${more} more columns have numbers and other texts` }]
    : faults
}

/** Returns the columns without a meaning that hold something. */
export const columnsOf = (
  found: HeaderFindings,
  sample: Sample,
  missing: ImportOptions['missing'],
  ...contents: readonly Content[]
): number[] => unassignedColumns(found).filter((at) => contents.includes(contentOf(sample, at, missing)))

/**
 * Finds the column of dates by its cells if none has such a name: the only one of dates, else the only one named for
 * years.
 */
export const recognizeDate = (found: HeaderFindings, sample: Sample): void => {
  const dates = columnsOf(found, sample, undefined, 'dates')
  const years = columnsOf(found, sample, undefined, 'years').filter((at) => isYearName(found.header[at] ?? ''))
  const [one, ...others] = dates.length > 0 ? dates : years
  if (one !== undefined && others.length === 0) found.roles.set('date', one)
}

/** Returns the fault of several columns that may have a role. */
export const faultOfSeveral = (found: HeaderFindings, role: Role, places: readonly number[], orElse = ''): Issue => {
  const names = places.map((at) => found.header[at]?.trim() ?? '')
  const shown = names.slice(0, 4)
  const more = names.length > shown.length ? `, or one of ${names.length - shown.length} more columns` : ''
  return {
    field: role,
    message: `may be ${shown.map((name) => `"${name}"`).join(' or ')}${more}; say which: ${shown.map((name) => `--map ${role}=${quoted(name)}`).join(' or ')}${orElse}`,
  }
}
