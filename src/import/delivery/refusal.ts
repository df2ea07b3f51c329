import { Stopped } from '../../client/transport.ts'
import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import type { Tally } from '../journal/tally.ts'

/** What passes by itself: the service is not there, failed, or wants to be asked later. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['unavailable', 'internal', 'too_slow', 'rate_limited'])

/** What is about what was sent, and would be said of it again. */
const OF_CONTENT: ReadonlySet<ErrorCode> = new Set(['malformed', 'invalid', 'conflict', 'not_found', 'too_large'])

/** Whether to ask again after a while may help. */
export const isPassing = (error: unknown): error is KpiError =>
  error instanceof KpiError &&
  (PASSING.has(error.code) || (error.code === 'conflict' && error.retryAfter !== undefined))

/** Whether what was sent is refused for what it holds. */
export const isRefused = (error: unknown): error is KpiError =>
  error instanceof KpiError && OF_CONTENT.has(error.code) && !isPassing(error)

/** Whether an error says that what was asked for cannot be read here, however often it is asked for. */
export const isUnreadable = (error: unknown): error is KpiError =>
  isRefused(error) ||
  (error instanceof KpiError && ['forbidden', 'unsupported', 'method_not_allowed'].includes(error.code))

/** Thrown where a run is stopped between what was sent and what was to follow it. */
export class StoppedHalfway extends Stopped {}

/** Whether a request that failed may have been done all the same. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof StoppedHalfway || (error instanceof KpiError && error.mayBeDone)

/** What a refusal says, a reason each. */
export const reasonsOf = ({ issues, message }: KpiError): readonly string[] =>
  issues.length > 0 ? issues.map(({ field, message: words }) => `${field}: ${words}`) : [message]

/** Returns the entries of a batch that a refusal names, with the reasons; none where it is not about single entries. */
export const reasonsByPlace = ({ code, issues }: KpiError, count: number): Map<number, string[]> => {
  const named = new Map<number, string[]>()
  for (const { index, field, message } of code === 'invalid' ? issues : []) {
    if (index === undefined) return new Map()
    if (index < count) named.set(index, [...(named.get(index) ?? []), `${field}: ${message}`])
  }
  return named
}

/** So many entries refused one by one, and none taken, are not to blame themselves. */
const REFUSED_IN_VAIN = 20

/** Ends a run whose service refuses one entry after the other; to be called where it has taken none. */
export const refusedInVain = ({ refused }: Pick<Tally, 'refused'>, { code, message }: KpiError): void => {
  if (refused.length < REFUSED_IN_VAIN) return
  throw new KpiError(code, `the service refuses one entry after the other, and has taken none: ${message}`)
}

/** Tells whether an error says that there is no such path. */
export const isNoPath = (error: unknown): error is KpiError =>
  error instanceof KpiError && (error.code === 'not_found' || error.code === 'method_not_allowed')
