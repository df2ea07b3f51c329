import { listFirst } from '../../domain/count-text.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { monthOf } from '../formats/calendar-names.ts'
import { memoize, severalMonths } from '../formats/date-format.ts'
import { KNOWN_FORMATS } from '../formats/known-formats.ts'
import { stripAffixes } from '../../tabular/cells/affixed-number.ts'
import { shortYearsOf } from '../formats/rare-formats.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import type { Lookup } from '../directory/permissions.ts'
import { type HeaderFindings, unassignedColumns, roleOf } from './header.ts'

/** Sets how many headers are shown; there may be hundreds. */
const SHOWN = 3

const shownNames = (names: readonly string[]): string => listFirst(names, SHOWN, (name) => `"${name}"`)

/** Returns the columns whose headers have no meaning and name nothing. */
export const strangeColumns = (found: HeaderFindings, lookups: readonly Lookup[]): number[] =>
  unassignedColumns(found).filter((at) =>
    lookups.every(({ find }) => find(found.header[at]?.trim() ?? '') instanceof Fault),
  )

/** Matches a part of a year without the year, as a heading. */
const PART_OF_YEAR = /^(?:(?:KW|CW|W|Q|T)[ -]?\d{1,2}|\d{1,2}[./]\d{1,2}\.?)$/i

/** Tells whether a text is a part of a year without the year: a month's name, a week or a quarter. */
export const isPartOfYear = (name: string): boolean => PART_OF_YEAR.test(name) || monthOf(name) !== undefined

/** Bounds the texts that are remembered: a header of the most columns, and its first rows. */
const MOST_TEXTS = 1 << 16

const readsWholeDate = memoize(
  (text) =>
    shortYearsOf(text).length > 0 ||
    KNOWN_FORMATS.some((format) => typeof format.read(text) === 'number') ||
    severalMonths(text) !== undefined,
  MOST_TEXTS,
)

/** Sets how long a date is at most, with its time; a text may have many megabytes. */
const LONGEST_DATE = 100

/** Tells whether a text is a date, or a period of a known year. */
export const isWholeDate = (text: string): boolean => text.length <= LONGEST_DATE && readsWholeDate(text)

/** Returns the fault of headers that name no KPIs or users, in a file that can only be wide. */
export const faultOfUnknownHeadings = (
  found: HeaderFindings,
  lookups: readonly (readonly [what: string, Lookup])[],
): Issue[] => {
  if (lookups.some(([, { unread }]) => unread !== undefined)) return []
  const strange = strangeColumns(
    found,
    lookups.map(([, lookup]) => lookup),
  )
  const names = strange.map((at) => found.header[at]?.trim() ?? '')
  if (names.length === 0 || lookups.length === 0) return []
  const what = lookups.map(([one]) => one).join(' or ')
  return [
    {
      field: 'header',
      message: `is not one with a column for each ${what} either: no ${what} is called ${shownNames(names)}`,
    },
  ]
}

const isNumber = (cell: string): boolean => !isWholeDate(cell) && stripAffixes(cell) !== undefined

type Owners = { readonly user: Lookup; readonly kpi: Lookup }

/**
 * Returns the roles of the cells beside numbers and a date, in order; `undefined` if they are more than a user and a
 * KPI.
 */
const namesOf = (cells: readonly string[], wanted: readonly Role[], { user, kpi }: Owners): Role[] | undefined => {
  if (cells.length !== wanted.length) return undefined
  const [first = '', second = ''] = cells
  const isKnown = (lookup: Lookup, name: string): boolean => !(lookup.find(name) instanceof Fault)
  const isTurned = wanted.length === 2 && (isKnown(kpi, first) || isKnown(user, second)) && !isKnown(user, first)
  return isTurned ? wanted.toReversed() : [...wanted]
}

/** Returns the roles of the columns, as far as a row shows them. */
const columnsOf = (row: readonly string[], options: ImportOptions, owners: Owners): readonly Role[] | undefined => {
  const wanted = (['user', 'kpi'] as const).filter((role) => options[role] === undefined)
  const date = row.findIndex(isWholeDate)
  const texts = [...row.keys()].filter((at) => at !== date && !isNumber(row[at] ?? ''))
  const numbers = [...row.keys()].filter((at) => isNumber(row[at] ?? ''))
  // If names are missing, the first numbers are ids.
  const owned = [...texts, ...numbers.splice(0, Math.max(0, wanted.length - texts.length))].toSorted((a, b) => a - b)
  const names = namesOf(
    owned.map((at) => row[at] ?? ''),
    wanted,
    owners,
  )
  if (!names || numbers.length < 1 || numbers.length > 2) return undefined
  const values: readonly Role[] = ['actual', 'target']
  return row.flatMap((_, at) =>
    at === date ? 'date' : (names[owned.indexOf(at)] ?? values[numbers.indexOf(at)] ?? []),
  )
}

/** Tells whether no column is the date, or only one whose header is itself a date. */
const lacksDate = ({ header, roles }: HeaderFindings, { date }: ImportOptions): boolean => {
  const at = roles.get('date')
  return at === undefined ? roles.size === 0 && date === undefined : isWholeDate(header[at]?.trim() ?? '')
}

/** Returns the fault of a first line that is a row: no column has a known name, one is a date and another a number. */
export const faultOfHeadless = (found: HeaderFindings, options: ImportOptions, owners: Owners): string | undefined => {
  const row = found.header.map((name) => name.trim())
  if (!lacksDate(found, options) || row.some((name) => roleOf(name) !== undefined)) return undefined
  const [date, ...others] = row.filter(isWholeDate)
  const number = row.findLast(isNumber)
  if (date === undefined || others.length > 0 || number === undefined) return undefined
  const columns =
    columnsOf(row, options, owners)?.join(', ') ?? 'user, kpi, date and actual, and whatever else there is'
  return `the first line looks like a row, and not like a header, as "${date}" is a date and "${number}" a number: write a line above it that names the columns, separated as its cells are: ${columns}`
}
