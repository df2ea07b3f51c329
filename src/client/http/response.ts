import { parseExactJson } from '../../codec/json-number.ts'
import { isObject, type Json } from '../../codec/json.ts'
import { type ErrorCode, type Issue, KpiError } from '../../domain/errors.ts'
import type { Calendar } from '../../domain/period.ts'
import { SCOPES } from '../../domain/scopes.ts'

/** Holds an answer over the network, as text. */
export type TextAnswer = {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
  /** Holds all headers, where they are known. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'conflict',
  408: 'too_slow',
  413: 'too_large',
  414: 'too_long',
  415: 'media_type',
  422: 'invalid',
  429: 'rate_limited',
  431: 'head_too_large',
  500: 'internal',
  501: 'method_not_allowed',
}

const codeOf = (status: number, issues: readonly Issue[], retryAfter: number | undefined): ErrorCode => {
  // Only a 403 with Retry-After is a rate limit.
  if (status === 403 && retryAfter !== undefined) return 'rate_limited'
  if (status === 400 && issues.length > 0) return 'invalid'
  if (status < 400) return 'not_acceptable'
  // Other statuses (402, 410, 423) do not depend on what was sent.
  return CODES[status] ?? 'unavailable'
}

const textIn = (fields: Readonly<Record<string, Json>>, ...names: readonly string[]): string | undefined =>
  names.map((name) => fields[name]).find((value) => typeof value === 'string')

/**
 * Returns the index and field that a JSON pointer into a batch names. For a whole entry the field is `entries`, the
 * name of its list.
 */
const placeOf = (pointer: string): { readonly index?: number; readonly field: string } => {
  const [, index, field = 'entries'] = /^#?\/entries\/(\d+)(?:\/(.*))?$/.exec(pointer) ?? []
  return index === undefined ? { field: pointer.split('/').at(-1) ?? '' } : { index: Number(index), field }
}

/**
 * Returns a fault as an issue: the classic interface has `index` and `message`, the newer one `pointer` and `detail`.
 */
const issueOf = (error: Json): Issue | undefined => {
  if (!isObject(error)) return undefined
  const message = textIn(error, 'message', 'detail')
  if (message === undefined) return undefined
  const place = placeOf(textIn(error, 'pointer') ?? '')
  const field = textIn(error, 'field') ?? place.field
  const index = typeof error['index'] === 'number' ? error['index'] : place.index
  return { ...(index !== undefined && { index }), field, message }
}

const parse = (body: string): Json => {
  try {
    return body === '' ? undefined : parseExactJson(body)
  } catch {
    return undefined
  }
}

/** Returns the seconds in `Retry-After`: a number of them, or a date. */
export const parseRetryAfter = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text.trim())) return Number(text)
  // An HTTP date begins with a weekday. `Date.parse` would take a plain number as a year.
  const date = /^\s*[a-z]/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

/** Returns the address of a redirect as messages show it: a user in it, and its query, may be secrets. */
const shownLocation = (location: string): string =>
  (location.split(/[?#]/)[0] ?? '').replace(/\/\/[^/@]{0,300}@/, '//…@')

/** Returns a time to wait, in the unit that it is readable in. */
const shownWait = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

/** Returns what a refusal says: the service's words where what was sent is at fault, else also who failed, and what to do. */
const messageOf = (service: string, status: number, words: string | undefined, retryAfter?: number): string => {
  if (words && status < 500) return words
  const said = `${service} answered with status ${status}${words ? `: ${words.replace(/\.$/, '')}` : ''}`
  const isFinal = status < 500 || status === 501 || /\bagain\b/.test(words ?? '')
  if (isFinal) return said
  return `${said}; try again ${retryAfter === undefined ? 'later' : `in ${shownWait(retryAfter)}`}`
}

/** Returns the error for a refused request, with the service's own message if it sent one; `service` names it. */
export const parseError = ({ status, header, body }: TextAnswer, now: number, service = 'the service'): KpiError => {
  const json = parse(body)
  const fields = isObject(json) ? json : {}
  const issues = Array.isArray(fields['errors'])
    ? fields['errors'].map(issueOf).filter((issue) => issue !== undefined)
    : []
  const retryAfter = parseRetryAfter(header('retry-after'), now)
  const words = textIn(fields, 'message', 'detail', 'title')?.trim()
  const message = messageOf(service, status, words, retryAfter)
  const location = header('location')
  const redirect =
    status >= 300 && status < 400 && location ? `, a redirect to ${shownLocation(location)}; correct the base URL` : ''
  const code = codeOf(status, issues, retryAfter)
  return new KpiError(code, message + redirect, {
    issues,
    // Answers have no field for the scope, so look for its name in the message.
    missingScope: code === 'forbidden' ? SCOPES.find((scope) => message.includes(scope)) : undefined,
    mayBeDone: status >= 500 && status !== 501,
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

/** Returns the JSON of a good answer. */
export const parseContent = ({ body, header }: TextAnswer): Json => {
  const json = parse(body)
  if (body !== '' && json === undefined) {
    const type = header('content-type') ?? 'no content type'
    const message = `the service answered something that is not JSON (${type}); check the base URL`
    throw new KpiError('unavailable', message, { mayBeDone: true, cause: new SyntaxError('no JSON') })
  }
  return json
}

/** Returns when weeks and years begin, as the bundled service says with each answer to good credentials. */
export const calendarIn = ({ header }: TextAnswer): Calendar | undefined => {
  const [weekStart, yearStart] = [header('x-week-start'), Number(header('x-fiscal-year-start'))]
  if (weekStart !== 'monday' && weekStart !== 'sunday') return undefined
  return yearStart >= 1 && yearStart <= 12 ? { week_start: weekStart, fiscal_year_start: yearStart } : undefined
}
