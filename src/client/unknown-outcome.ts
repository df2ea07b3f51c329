import { KpiError } from '../domain/errors.ts'
import { Aborted } from './transport.ts'

/** Returns a failure with what is known now: whether the request may have been done. */
export const withOutcome = (error: KpiError, mayBeDone: boolean): KpiError => {
  if (error.mayBeDone === mayBeDone) return error
  const { code, message, issues, unlisted, retryAfter, missingScope } = error
  const wait = retryAfter !== undefined && { retryAfter }
  return new KpiError(code, message, { issues, unlisted, missingScope, mayBeDone, cause: error.cause, ...wait })
}

/**
 * Does what follows a change of which nobody knows yet whether it was done, if `isUnknown`: errors and stops tell then that
 * it may be.
 */
export const followUnknown = async <T>(isUnknown: boolean, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (isUnknown && error instanceof KpiError) throw withOutcome(error, true)
    if (isUnknown && error instanceof Aborted) throw new Aborted(error.message, { mayBeDone: true, cause: error })
    throw error
  }
}
