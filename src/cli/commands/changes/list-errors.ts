import { Aborted, mayBeDone } from '../../../client/transport.ts'
import { isRefused, isTransient, KpiError } from '../../../domain/errors.ts'
import { EXIT, exitOf, IncompleteRun } from '../../exit.ts'

/** Holds the words of the errors of a list: the command that continues, and what stands behind the number of those that were done. */
type ErrorWords = { readonly goOn?: (number: number) => string; readonly doneWords?: string }

/** Returns an error with the place in the list that it is about. */
const numbered = (error: Error, number: number, total: number): Error =>
  error instanceof KpiError && total > 1
    ? new KpiError(error.code, `no. ${number} of ${total}: ${error.message}`, { issues: error.issues, cause: error })
    : error

/** Tells whether an error concerns only the record that was sent. */
export const isOfRecord = (error: Error): error is KpiError => isRefused(error) && !error.mayBeDone

const SHOWN_REFUSALS = 20

const refusalLine = ({ message, issues, namesIssue }: KpiError): string =>
  namesIssue || issues.length === 0
    ? message
    : `${message} (${issues.map((one) => `${one.field}: ${one.message}`).join('; ')})`

const refusalLines = (refusals: readonly KpiError[]): string[] => {
  const more = refusals.length - SHOWN_REFUSALS
  return [...refusals.slice(0, SHOWN_REFUSALS).map(refusalLine), ...(more > 0 ? [`and ${more} more`] : [])]
}

/** Tells whether the rest was left because of the service or the user, not because of its content. */
export const isCutOff = (error: Error): boolean => error instanceof Aborted || mayBeDone(error) || isTransient(error)

/** Collects what was refused of a list, and makes the error that its command ends with. */
export class ListErrors {
  readonly #refusals: KpiError[] = []
  readonly #total: number
  readonly #words: Required<ErrorWords>

  constructor(total: number, words: ErrorWords = {}) {
    this.#total = total
    this.#words = { goOn: () => 'run the same command again', doneWords: 'done', ...words }
  }

  /** Takes the refusal of the item at a place, counted from 1. */
  refuse(number: number, error: KpiError): void {
    const named = numbered(error, number, this.#total)
    if (named instanceof KpiError) this.#refusals.push(named)
  }

  /** Returns the error of a list that ended before the item at a place, where `done` were done: behind what was refused. */
  ended(number: number, error: Error, done: number): Error {
    const isBegun = done > 0 || this.#refusals.length > 0
    const isLeft = this.#total > 1 && isCutOff(error) && (isBegun || mayBeDone(error))
    const last = isLeft ? this.#leftOver(number, error) : numbered(error, number, this.#total)
    if (this.#refusals.length === 0) return last
    const lines = last instanceof IncompleteRun ? last.lines : [last.message]
    const code = last instanceof IncompleteRun ? last.code : 'stopped'
    return new IncompleteRun(exitOf(last), code, [...refusalLines(this.#refusals), ...lines])
  }

  /** Returns the error of a list that came to its end: what was refused, if anything; `partial` where others were done. */
  refused(done: number): Error | undefined {
    const [only, ...others] = this.#refusals
    if (!only || (done === 0 && others.length === 0)) return only
    const exit = done > 0 ? EXIT.partial : EXIT.failed
    return new IncompleteRun(exit, done > 0 ? 'rejected' : only.code, [
      ...refusalLines(this.#refusals),
      `${done} ${this.#words.doneWords}, ${this.#refusals.length} refused`,
    ])
  }

  /** Returns the error for a list that may be done in part: what is left, and how to continue. */
  #leftOver(number: number, error: Error): IncompleteRun {
    const total = this.#total
    return new IncompleteRun(EXIT.workLeft, 'work_left', [
      `no. ${number} of ${total}: ${error.message}`,
      `stopped with ${total - number + 1} of ${total} left; ${this.#words.goOn(number)}`,
      ...(mayBeDone(error) ? [`it is not known whether no. ${number} was done: check before you continue`] : []),
    ])
  }
}
