import { KpiError } from '../domain/errors.ts'
import { Aborted } from './transport.ts'

/** Returns a failure with what is known now: whether the request may have been done. */
export const withOutcome = (error: KpiError, mayBeDone: boolean): KpiError => {
  if (error.mayBeDone === mayBeDone) return error
  const { code, message, issues, unlisted, retryAfter, missingScope } = error
  const wait = retryAfter !== undefined && { retryAfter }
  return new KpiError(code, message, { issues, unlisted, missingScope, mayBeDone, cause: error.cause, ...wait })
}

/** Returns a failure or a stop behind a change whose answer was lost: it tells that the change may be done. */
export const asUnknown = (error: KpiError | Aborted): KpiError | Aborted =>
  error instanceof KpiError ? withOutcome(error, true) : new Aborted(error.message, { mayBeDone: true, cause: error })

/**
 * Does what follows a change of which nobody knows yet whether it was done, if `isUnknown`: errors and stops tell then that
 * it may be.
 */
export const followUnknown = async <T>(isUnknown: boolean, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw isUnknown && (error instanceof KpiError || error instanceof Aborted) ? asUnknown(error) : error
  }
}
