import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Change } from '../records/change.ts'
import { nounOf } from '../records/snapshot.ts'

/** Returns a refusal with the name of what it is about. */
export const named = (error: KpiError, { action, record }: Change): KpiError => {
  const { code, message, issues, mayBeDone, missingScope } = error
  return new KpiError(code, `${action} ${nounOf(record)}: ${message}`, {
    issues,
    mayBeDone,
    missingScope,
    cause: error,
  })
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
