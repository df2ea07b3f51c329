import { isTimeOfDay } from '../formats/time-of-day.ts'
import type { Role } from '../options/options.ts'
import type { ColumnPlan } from './columns.ts'
import { datePartOf } from './header.ts'
import { isWholeDate } from './unusual-headers.ts'

/** Joins the parts of a name, such as a country and a store; those of a person's name are joined by a space. */
export const BETWEEN_NAMES = ' / '
const OF_PERSONS: ReadonlySet<Role> = new Set(['user', 'name'])
const BETWEEN_DATE_PARTS = '-'

const FEW_DIGITS = /^\d{1,2}$/

/** Returns a part of a date as it is read: a quarter or week that is only a number gets its letter. */
const datePart = (header: string, text: string): string => {
  if (!FEW_DIGITS.test(text)) return text
  const part = datePartOf(header)
  if (part === 'quarter') return `Q${text}`
  return part === 'week' ? `W${text.padStart(2, '0')}` : text
}

/** Joins the cells of several columns into one date, perhaps with its time, or one name; empty if none, or a part of a date, is given. */
const joinCells = (role: Role, headers: readonly string[], texts: readonly string[]): string => {
  if (role !== 'date') return texts.filter((text) => text !== '').join(OF_PERSONS.has(role) ? ' ' : BETWEEN_NAMES)
  const [first = '', ...others] = texts
  // A whole date needs no time beside it.
  if (others.every((text) => text === '') && isWholeDate(first)) return first
  if (texts.includes('')) return ''
  return texts
    .map((text, at) => datePart(headers[at] ?? '', text))
    .reduce((date, part) => date + (isTimeOfDay(part) ? ' ' : BETWEEN_DATE_PARTS) + part)
}

/** Returns a function that gives the text of a role in a row, which may be made of several columns. */
export const roleText = (
  { header, roles, joined }: Pick<ColumnPlan, 'header' | 'roles' | 'joined'>,
  role: Role,
): ((cells: readonly string[]) => string) => {
  const [at, places] = [roles.get(role), joined?.get(role)]
  if (places === undefined) return (cells) => (at === undefined ? '' : (cells[at] ?? ''))
  const headers = places.map((place) => header[place] ?? '')
  return (cells) =>
    joinCells(
      role,
      headers,
      places.map((place) => cells[place]?.trim() ?? ''),
    )
}

/** Returns the name of a role's column; of several, all their names. */
export const roleHeader = (
  { header, roles, joined }: Pick<ColumnPlan, 'header' | 'roles' | 'joined'>,
  role: Role,
): string => {
  const places = joined?.get(role) ?? [roles.get(role) ?? -1]
  return places.map((at) => header[at]?.trim() ?? '').join('+')
}
