import { type Day, FIRST_QUERY_DAY, LAST_ENTRY_DAY, parseDay } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Query, QueryParameter } from './call.ts'

type Parameter<K extends QueryParameter['kind']> = Extract<QueryParameter, { kind: K }>

const parameterError = (name: string, text: string, expected: string): KpiError =>
  new KpiError('malformed', `the query parameter ${name} is "${text}", it must be ${expected}`)

const last = (query: Query, name: string): string | undefined => {
  const text = query.get(name.toLowerCase())?.at(-1)?.trim()
  return text === '' ? undefined : text
}

const DIGITS = /^\d+$/

/** Returns a number, capped at the largest safe integer: ids beyond it match nothing. */
const numberOf = (digits: string): number => Math.min(Number(digits), Number.MAX_SAFE_INTEGER)

/** Returns a whole number in a range; `undefined` if the parameter is missing. */
export const queryInteger = (query: Query, { name, least, most }: Parameter<'integer'>): number | undefined => {
  const text = last(query, name)
  if (text === undefined) return undefined
  const value = DIGITS.test(text) ? numberOf(text) : NaN
  if (value >= least && value <= most) return value
  const range =
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`
  throw parameterError(name, text, range)
}

/** Returns an existing date in the years 1899 to 2199. */
export const queryDay = (query: Query, { name }: Parameter<'day'>): Day | undefined => {
  const text = last(query, name)
  if (text === undefined) return undefined
  const day = parseDay(text)
  if (day === undefined || day < FIRST_QUERY_DAY || day > LAST_ENTRY_DAY) {
    throw parameterError(name, text, 'a date that exists, YYYY-MM-DD, in the years 1899 to 2199')
  }
  return day
}

/** Returns a boolean; `undefined` if the parameter is missing. */
export const queryBoolean = (query: Query, { name }: Parameter<'boolean'>): boolean | undefined => {
  const text = last(query, name)?.toLowerCase()
  if (text === undefined) return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw parameterError(name, text, 'true or false')
}

/** Returns the ids of all lists of the parameter; `undefined` if there is none. */
export const queryIds = (query: Query, { name }: Parameter<'ids'>): ReadonlySet<number> | undefined => {
  const parts = (query.get(name.toLowerCase()) ?? []).flatMap((text) => text.split(',')).map((part) => part.trim())
  const ids = parts.filter((part) => part !== '')
  for (const id of ids) if (!DIGITS.test(id)) throw parameterError(name, id, 'a list of ids with commas between them')
  return ids.length === 0 ? undefined : new Set(ids.map(numberOf))
}

/** Reads the part of a target after `?`. */
export const parseQuery = (text: string): Query => {
  const query = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const key = name.toLowerCase()
    const values = query.get(key)
    if (values) values.push(value)
    else query.set(key, [value])
  }
  return query
}
