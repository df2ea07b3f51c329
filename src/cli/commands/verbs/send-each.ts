import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import { KpiError, OF_CONTENT } from '../../../domain/errors.ts'
import type { AnyRecord, NamedField, Resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, exitCodes, IncompleteRun } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { doneTo, isShort } from '../../output/short-answer.ts'
import { chooseColumns, type NamedRecords, nameRecords } from './list-options.ts'

/** Returns an error with the place in the list that it is about. */
const numbered = (error: Error, number: number, total: number): Error =>
  error instanceof KpiError && total > 1
    ? new KpiError(error.code, `no. ${number} of ${total}: ${error.message}`, { issues: error.issues, cause: error })
    : error

/** Describes the results of working through a list: what was done, and why the rest was not. */
export type ListResult<T = unknown> = {
  readonly records: readonly AnyRecord[]
  /** Holds the items that were done, in the order of `records`. */
  readonly done: readonly T[]
  readonly total: number
  readonly failure: Error | undefined
}

/**
 * Describes how a list is sent: the position to start from (counted from 1), the deadline, the command that continues, and
 * the words behind the number of those that were done.
 */
type Manner = {
  readonly start?: number
  readonly signal?: AbortSignal
  readonly goOn?: (number: number) => string
  readonly doneWords?: string
}

/** Tells whether an error concerns only the record that was sent. */
const isRefusal = (error: Error): error is KpiError =>
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

const mayBeDone = (error: Error): boolean => (error instanceof KpiError || error instanceof Aborted) && error.mayBeDone

/** Tells whether the rest was left because of the service or the user, not because of its content. */
export const isCutOff = (error: Error): boolean =>
  error instanceof Aborted ||
  mayBeDone(error) ||
  (error instanceof KpiError && exitCodes[error.code] === EXIT.unreachable)

/** Returns the error for a list that may be done in part: what is left, and how to continue. */
const leftOver = (error: Error, number: number, total: number, goOn: NonNullable<Manner['goOn']>): IncompleteRun =>
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
  { goOn = () => 'run the same command again', doneWords = 'done' }: Pick<Manner, 'goOn' | 'doneWords'> = {},
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

/**
 * Runs `send` for each item in turn. A refusal of one does not keep the next from being sent; what concerns them all, such
 * as a service that is not reachable, ends the list, and the error says what is left.
 */
export const sendEach = async <T>(
  list: readonly T[],
  send: (one: T) => Promise<AnyRecord>,
  { start = 1, signal, ...words }: Manner = {},
): Promise<ListResult<T>> => {
  const [records, done]: [AnyRecord[], T[]] = [[], []]
  const total = list.length
  const errors = createListErrors(total, words)
  for (const [at, one] of list.entries()) {
    if (at + 1 < start) continue
    try {
      if (signal?.aborted) throw new Aborted('it was interrupted')
      records.push(await send(one))
      done.push(one)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (isRefusal(error)) errors.refuse(at + 1, error)
      else return { records, done, total, failure: errors.ended(at + 1, error, records.length) }
    }
  }
  return { records, done, total, failure: errors.refused(records.length) }
}

/** Prints the records that were sent as a list, then throws the failure, if there was one. */
export const printAllSent = async (cli: Cli, of: Resource, { records, failure }: ListResult): Promise<void> => {
  await cli.printMany(chooseColumns(of, {}, cli.printing().format), records)
  if (failure) throw failure
}

/** Returns what records are shown with: in a table names, unless these cannot be read. */
const shownWith = async (
  cli: Cli,
  client: Client,
  of: Resource,
  records: readonly AnyRecord[],
  fields: readonly NamedField[],
): Promise<NamedRecords> => {
  const isTable = isForPeople(cli.printing().format)
  const plain = { shown: isTable ? fields : of.shown, records }
  if (!isTable) return plain
  return nameRecords(client, of, records, {}, cli.printing(), fields).catch((error: unknown) => {
    // Show ids: the requests were carried out, and the user must hear of them.
    if (error instanceof KpiError || error instanceof Aborted) return plain
    throw error
  })
}

/**
 * Prints the records that were sent, or at a terminal says what was done to them; then throws the failure, if there was
 * one.
 */
export const printSent = async (
  cli: Cli,
  client: Client,
  of: Resource,
  { records, total, failure }: ListResult,
  done: 'created' | 'updated',
): Promise<void> => {
  const isOne = records.length === 1 && total === 1
  if (records.length > 0 || !failure) {
    if (isShort(cli)) await cli.note(doneTo(done, of, records))
    else {
      const named = await shownWith(cli, client, of, records, isOne ? of.shown : of.brief)
      if (isOne) for (const record of named.records) await cli.printOne(named, record)
      else await cli.printMany(named.shown, named.records)
    }
  }
  if (failure) throw failure
}
