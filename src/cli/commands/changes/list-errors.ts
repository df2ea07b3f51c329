import { mayBeDone } from '../../../changes/send/refusal.ts'
import { Aborted } from '../../../client/transport.ts'
import { KpiError, OF_CONTENT } from '../../../domain/errors.ts'
import { EXIT, exitCodes, IncompleteRun } from '../../exit.ts'

/** Holds the words of the errors of a list: the command that continues, and what stands behind the number of those that were done. */
export type ErrorWords = { readonly goOn?: (number: number) => string; readonly doneWords?: string }

/** Returns an error with the place in the list that it is about. */
const numbered = (error: Error, number: number, total: number): Error =>
  error instanceof KpiError && total > 1
    ? new KpiError(error.code, `no. ${number} of ${total}: ${error.message}`, { issues: error.issues, cause: error })
    : error

/** Tells whether an error concerns only the record that was sent. */
export const isRefusal = (error: Error): error is KpiError =>
  error instanceof KpiError && OF_CONTENT.has(error.code) && !error.mayBeDone

const SHOWN_REFUSALS = 20

const refusalLine = ({ message, issues, namesIssue }: KpiError): string =>
  namesIssue || issues.length === 0
    ? message
    : `${message} (${issues.map((one) => `${one.field}: ${one.message}`).join('; ')})`

const refusalLines = (refusals: readonly KpiError[]): string[] => {
  const more = refusals.length - SHOWN_REFUSALS
  return [...refusals.slice(0, SHOWN_REFUSALS).map(refusalLine), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** Returns the error for a list of which some were refused: `partial` where others were done. */
const refusedError = (refusals: readonly KpiError[], done: number, doneWords: string): Error | undefined => {
  const [only] = refusals
  if (!only || (done === 0 && refusals.length === 1)) return only
  const exit = done > 0 ? EXIT.partial : EXIT.failed
  return new IncompleteRun(exit, done > 0 ? 'rejected' : only.code, [
    ...refusalLines(refusals),
    `${done} ${doneWords}, ${refusals.length} refused`,
  ])
}

/** Tells whether the rest was left because of the service or the user, not because of its content. */
export const isCutOff = (error: Error): boolean =>
  error instanceof Aborted ||
  mayBeDone(error) ||
  (error instanceof KpiError && exitCodes[error.code] === EXIT.unreachable)

/** Returns the error for a list that may be done in part: what is left, and how to continue. */
const leftOver = (error: Error, number: number, total: number, goOn: NonNullable<ErrorWords['goOn']>): IncompleteRun =>
  new IncompleteRun(EXIT.workLeft, 'work_left', [
    `no. ${number} of ${total}: ${error.message}`,
    `stopped with ${total - number + 1} of ${total} left; ${goOn(number)}`,
    ...(mayBeDone(error) ? [`it is not known whether no. ${number} was done: check before you continue`] : []),
  ])

/** Returns the error that ended a list, behind what was refused before it. */
const afterRefusals = (refusals: readonly KpiError[], error: Error): Error => {
  if (refusals.length === 0) return error
  const lines = error instanceof IncompleteRun ? error.lines : [error.message]
  const { exit, code } =
    error instanceof IncompleteRun
      ? error
      : { exit: error instanceof KpiError ? exitCodes[error.code] : EXIT.failed, code: 'stopped' }
  return new IncompleteRun(exit, code, [...refusalLines(refusals), ...lines])
}

/** Collects what was refused of a list, and makes the error that its command ends with. */
export const createListErrors = (
  total: number,
  { goOn = () => 'run the same command again', doneWords = 'done' }: ErrorWords = {},
) => {
  const refusals: KpiError[] = []
  return {
    /** Takes the refusal of the item at a place, counted from 1. */
    refuse: (number: number, error: KpiError): void => {
      const named = numbered(error, number, total)
      if (named instanceof KpiError) refusals.push(named)
    },
    /** Returns the error of a list that ended before the item at a place, where `done` were done. */
    ended: (number: number, error: Error, done: number): Error => {
      const isBegun = done > 0 || refusals.length > 0
      const isLeft = total > 1 && isCutOff(error) && (isBegun || mayBeDone(error))
      return afterRefusals(refusals, isLeft ? leftOver(error, number, total, goOn) : numbered(error, number, total))
    },
    /** Returns the error of a list that came to its end: what was refused, if anything. */
    refused: (done: number): Error | undefined => refusedError(refusals, done, doneWords),
  }
}
