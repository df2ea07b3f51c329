import type { Issue } from '../../domain/errors.ts'
import { monthOf } from '../formats/date-format.ts'
import type { ImportOptions } from '../options.ts'
import type { Sample } from './content.ts'
import { isYearName } from './date-headings.ts'
import { foldName, type HeaderFindings, unassignedColumns } from './header.ts'
import { isQuarterName, isWeekName } from './role-text.ts'

type Part = 'year' | 'quarter' | 'month' | 'week' | 'day'

const names = (list: string): ReadonlySet<string> => new Set(list.split(', ').map(foldName))
const MONTHS = names('month, monat, mois, mes, mese, mês, maand, månad, miesiąc, месяц, 月')
const DAYS = names('day, tag, jour, día, giorno, dia, dag, dzień, день, 日')

/** Returns the part of a date that a column is named for. */
const partNamed = (name: string): Part | undefined => {
  const folded = foldName(name)
  if (isYearName(name)) return 'year'
  if (MONTHS.has(folded)) return 'month'
  if (DAYS.has(folded)) return 'day'
  if (isQuarterName(name)) return 'quarter'
  return isWeekName(name) ? 'week' : undefined
}

/** Matches the cells of each part: a whole date is none. */
const CELLS: Readonly<Record<Part, RegExp>> = {
  year: /^\d{4}$/,
  quarter: /^[QT]?[1-4]$/i,
  month: /^\d{1,2}$/,
  week: /^(?:W|KW|CW)?\d{1,2}$/i,
  day: /^\d{1,2}$/,
}

/** Lists the sets of parts that make a day, or a period. */
const WHOLE: readonly (readonly Part[])[] = [
  ['year', 'month', 'day'],
  ['year', 'month'],
  ['year', 'quarter'],
  ['year', 'week'],
]

/** Tells whether most cells of a column are such parts: a footer is none. */
const holdsParts = (sample: Sample, at: number, part: Part): boolean => {
  const given = sample.map((cells) => cells[at]?.trim() ?? '').filter((text) => text !== '')
  const fits = given.filter((text) => CELLS[part].test(text) || (part === 'month' && monthOf(text) !== undefined))
  return fits.length * 2 > given.length
}

/** Returns the columns that each hold a part of a date; undefined if two are named for the same part. */
const partColumns = (found: HeaderFindings, sample: Sample): ReadonlyMap<Part, number> | undefined => {
  const columns = new Map<Part, number>()
  const date = found.roles.get('date')
  for (const at of [...unassignedColumns(found), ...(date === undefined ? [] : [date])]) {
    const part = partNamed(found.header[at] ?? '')
    if (part === undefined) continue
    if (columns.has(part) || !holdsParts(sample, at, part)) return undefined
    columns.set(part, at)
  }
  return columns
}

/** Returns the columns without a meaning that hold parts of dates, such as the year beside a whole date. */
export const datePartColumns = (found: HeaderFindings, sample: Sample): number[] =>
  unassignedColumns(found).filter((at) => {
    const part = partNamed(found.header[at] ?? '')
    return part !== undefined && holdsParts(sample, at, part)
  })

const quoted = (name: string): string => (/[, ]/.test(name) ? `"${name}"` : name)

const faultOfParts = (header: readonly string[]): Issue => ({
  field: 'date',
  message: `is in several columns, ${header.map((name) => `"${name}"`).join(', ')}: --map date=${quoted(header.join('+'))} joins them`,
})

/**
 * Finds a date that is written in several columns, such as its year, month and day. They are not joined unasked: the
 * year may be a fiscal one.
 */
export const recognizeDateParts = (found: HeaderFindings, options: ImportOptions, sample: Sample): void => {
  const { header, roles, joined, issues } = found
  const date = roles.get('date')
  const isWhole = date !== undefined && partNamed(header[date] ?? '') === undefined
  if (isWhole || options.date !== undefined || options.map.has('date')) return
  const columns = partColumns(found, sample)
  const parts = WHOLE.find((some) => some.length === columns?.size && some.every((part) => columns.has(part)))
  if (!columns || !parts) return
  const places = parts.flatMap((part) => columns.get(part) ?? [])
  roles.set('date', places[0] ?? 0)
  joined.set('date', places)
  issues.push(faultOfParts(places.map((at) => header[at]?.trim() ?? '')))
}
