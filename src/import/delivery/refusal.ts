import { Aborted } from '../../client/transport.ts'
import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import type { Tally } from '../journal/tally.ts'

/** Lists errors that pass by themselves: the service is unavailable, failed, or wants to be asked later. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['unavailable', 'internal', 'too_slow', 'rate_limited'])

/** Lists errors caused by what was sent: the same request would fail again. */
const OF_CONTENT: ReadonlySet<ErrorCode> = new Set(['malformed', 'invalid', 'conflict', 'not_found', 'too_large'])

/** Tells whether asking again later may help. */
export const isTransient = (error: unknown): error is KpiError =>
  error instanceof KpiError &&
  (PASSING.has(error.code) || (error.code === 'conflict' && error.retryAfter !== undefined))

/** Tells whether a request is refused for what it holds. */
export const isRefused = (error: unknown): error is KpiError =>
  error instanceof KpiError && OF_CONTENT.has(error.code) && !isTransient(error)

/** Tells whether an error means that something cannot be read here, however often it is asked for. */
export const isUnreadable = (error: unknown): error is KpiError =>
  isRefused(error) ||
  (error instanceof KpiError && ['forbidden', 'unsupported', 'method_not_allowed'].includes(error.code))

/** Thrown if a run is stopped after a request, but before the step that follows it. */
export class AbortedHalfway extends Aborted {}

/** Tells whether a failed request may have been done all the same. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof AbortedHalfway || (error instanceof KpiError && error.mayBeDone)

/** Returns the reasons of a refusal. */
export const reasonsOf = ({ issues, message }: KpiError): readonly string[] =>
  issues.length > 0 ? issues.map(({ field, message: words }) => `${field}: ${words}`) : [message]

/**
 * Returns the entries of a batch that a refusal names, with the reasons; an empty map if the refusal is about the whole
 * batch.
 */
export const reasonsByPlace = ({ code, issues }: KpiError, count: number): Map<number, string[]> => {
  const named = new Map<number, string[]>()
  for (const { index, field, message } of code === 'invalid' ? issues : []) {
    if (index === undefined) return new Map()
    if (index < count) named.set(index, [...(named.get(index) ?? []), `${field}: ${message}`])
  }
  return named
}

/** Sets after how many refused entries, with none accepted, the run ends. */
const REFUSED_IN_VAIN = 20

/** Ends a run whose service refuses one entry after the other; call it only if none has been accepted. */
export const endIfAllRefused = ({ refused }: Pick<Tally, 'refused'>, { code, message }: KpiError): void => {
  if (refused.length < REFUSED_IN_VAIN) return
  throw new KpiError(code, `the service refuses one entry after another, and has accepted none: ${message}`)
}

/** Tells whether an error says that there is no such path. */
export const isNoPath = (error: unknown): error is KpiError =>
  error instanceof KpiError && (error.code === 'not_found' || error.code === 'method_not_allowed')
