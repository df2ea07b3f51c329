import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'

/** Returns an error with what it is about in front. */
export const named = (error: KpiError, label: string): KpiError => {
  const { code, message, issues, mayBeDone, missingScope } = error
  if (label === '') return error
  return new KpiError(code, `${label}: ${message}`, { issues, mayBeDone, missingScope, cause: error })
}

/** Returns the reasons of a refusal. */
export const reasonsOf = ({ issues, message }: KpiError): readonly string[] =>
  issues.length > 0 ? issues.map(({ field, message: words }) => `${field}: ${words}`) : [message]

/** Returns the reasons why a change was refused, in the words of the service. */
export const reasonsOfChange = (refusal: KpiError): readonly string[] =>
  reasonsOf(refusal.cause instanceof KpiError ? refusal.cause : refusal)

/** Tells whether a request may have taken effect although it failed, or the run was stopped while it was sent again. */
export const mayBeDone = (error: unknown): boolean =>
  (error instanceof Aborted || error instanceof KpiError) && error.mayBeDone
