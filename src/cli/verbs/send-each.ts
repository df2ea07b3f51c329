import { KpiError } from '../../domain/errors.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { chooseColumns } from './list-options.ts'

/** An error that says which of many it is about. */
const numbered = (error: Error, number: number, total: number): Error =>
  error instanceof KpiError && total > 1
    ? new KpiError(error.code, `no. ${number} of ${total}: ${error.message}`, { issues: error.issues, cause: error })
    : error

/** What came of doing something for each of a list, up to the first that failed. */
export type Sent = {
  readonly records: readonly AnyRecord[]
  readonly total: number
  readonly failure: Error | undefined
}

/** Does something for each of a list, one after the other, up to the first that fails. */
export const sendEach = async <T>(list: readonly T[], send: (one: T) => Promise<AnyRecord>): Promise<Sent> => {
  const records: AnyRecord[] = []
  for (const one of list) {
    try {
      records.push(await send(one))
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return { records, total: list.length, failure: numbered(error, records.length + 1, list.length) }
    }
  }
  return { records, total: list.length, failure: undefined }
}

/** Prints what was done as a list, also where not all of it could be; then that is the error. */
export const printAllSent = async (cli: Cli, of: Resource, { records, failure }: Sent): Promise<void> => {
  await cli.printMany(chooseColumns(of, {}, cli.printing().format), records)
  if (failure) throw failure
}

/** Prints what was done, also where not all of it could be; then that is the error. */
export const printSent = async (cli: Cli, of: Resource, { records, total, failure }: Sent): Promise<void> => {
  const [only] = records
  if (only && total === 1) await cli.printOne(of, only)
  else if (only || !failure) await cli.printMany(chooseColumns(of, {}, cli.printing().format), records)
  if (failure) throw failure
}
