import type { ErrorCode, Issue, KpiError } from '../../domain/errors.ts'
import { shownPath } from '../request-target.ts'
import { jsonWithErrors } from './body-format.ts'

/** Names the media type of problem details (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/** Lists the titles of errors, which are the same for all errors of a code. */
export const problemTitles: Record<ErrorCode, string> = {
  malformed: 'The request cannot be read',
  invalid: 'Fields are not valid',
  unauthorized: 'The key is missing or wrong',
  forbidden: 'Not allowed',
  not_found: 'Nothing is there',
  method_not_allowed: 'The method is not possible there',
  conflict: 'In conflict with what is there',
  too_large: 'The body is too large',
  too_slow: 'The request was too slow',
  too_long: 'The address is too long',
  head_too_large: 'The head of the request is too large',
  media_type: 'The Content-Type is not supported',
  not_acceptable: 'No format that is accepted',
  key_reused: 'The Idempotency-Key was sent before with another body',
  locked: 'Something unforeseen happened',
  unsupported: 'This variant does not have that',
  rate_limited: 'The limit is reached',
  unavailable: 'Not available at the moment',
  unusable: 'Not available at the moment',
  internal: 'Something unforeseen happened',
}

/** Returns the problem type of an error code, by which programs tell errors apart. */
export const problemType = (code: ErrorCode): string => `urn:problem-type:kpi:${code}`

/** Returns the place of a fault in a body, as a JSON pointer (RFC 6901). */
const pointerOf = ({ index, field }: Issue): string => {
  if (index === undefined) return `/${field}`
  return field === 'entries' ? `/entries/${index}` : `/entries/${index}/${field}`
}

/** Returns the path of a request as a reference (RFC 3986). Masks secrets, as others might log it. */
const instanceOf = (target: string): string => encodeURI(shownPath(target.split('?')[0] ?? ''))

/** Returns an error as problem details, in parts. */
export const problemJson = ({ code, message, issues }: KpiError, status: number, target: string): Iterable<string> => {
  const type = problemType(code)
  const head = { type, title: problemTitles[code], status, detail: message, instance: instanceOf(target) }
  return jsonWithErrors(head, issues, (issue) => ({
    pointer: pointerOf(issue),
    field: issue.field,
    detail: issue.message,
  }))
}
