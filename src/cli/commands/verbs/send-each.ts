import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type AnyRecord, fieldsShownOf, type NamedField, type Resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { isForPeople } from '../../output/print.ts'
import { doneTo, isShort } from '../../output/short-answer.ts'
import { isOfRecord, ListErrors } from '../changes/list-errors.ts'
import { type NamedRecords, nameRecords } from './list-options.ts'

/** Describes the results of working through a list: what was done, and why the rest was not. */
export type ListResult<T = unknown> = {
  readonly records: readonly AnyRecord[]
  /** Holds the items that were done, in the order of `records`. */
  readonly done: readonly T[]
  readonly total: number
  readonly failure: Error | undefined
}

/**
 * Runs `send` for each item in turn. A refusal of one does not keep the next from being sent; what concerns them all, such
 * as a service that is not reachable, ends the list, and the error says what is left.
 */
export const sendEach = async <T>(
  list: readonly T[],
  send: (one: T) => Promise<AnyRecord>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ListResult<T>> => {
  const [records, done]: [AnyRecord[], T[]] = [[], []]
  const total = list.length
  const errors = new ListErrors(total)
  for (const [at, one] of list.entries()) {
    try {
      if (signal?.aborted) throw new Aborted('it was interrupted')
      records.push(await send(one))
      done.push(one)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (isOfRecord(error)) errors.refuse(at + 1, error)
      else return { records, done, total, failure: errors.ended(at + 1, error, records.length) }
    }
  }
  return { records, done, total, failure: errors.refused(records.length) }
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
  const plain = { shown: isTable ? fields : fieldsShownOf(of, records), records }
  if (!isTable) return plain
  return nameRecords(client, of, records, { fields }, cli.printing()).catch((error: unknown) => {
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
      const named = await shownWith(cli, client, of, records, isOne ? fieldsShownOf(of, records) : of.brief)
      if (isOne) for (const record of named.records) await cli.printOne(named, record)
      else await cli.printMany(named.shown, named.records)
    }
  }
  if (failure) throw failure
}
