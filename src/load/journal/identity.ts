import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { JournalPlace } from './place.ts'
import type { ImportOptions } from '../options.ts'
import type { Table } from '../reading/table.ts'

/** What does not change what a file means, so that a run goes on where it is said anew. */
const NOT_MEANING: ReadonlySet<string> = new Set(['createAssignments', 'maxErrors'] satisfies (keyof ImportOptions)[])

const plain = (value: unknown): string => JSON.stringify(value instanceof Map ? [...value] : value)

/** What the options make of a file, in the same order whatever order they were given in. */
const meaningOf = (options: ImportOptions): string[] =>
  Object.entries(options)
    .filter(([name, value]) => !NOT_MEANING.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${plain(value)}`)
    .toSorted((left, right) => (left < right ? -1 : 1))

/** The ending of a journal's name. */
export const JOURNAL_ENDING = '.journal'

/** Where the journal lies of a run that sends what a file of this content means, by these options, to a service for an account. */
export const journalPath = (
  { folder, service, account }: JournalPlace,
  { content, reading: { encoding, separator } }: Pick<Table, 'content' | 'reading'>,
  options: ImportOptions,
): string => {
  const identity = [service, account().for, content, encoding, separator, meaningOf(options)]
  return join(folder, `${hash('sha256', JSON.stringify(identity), 'hex').slice(0, 32)}${JOURNAL_ENDING}`)
}
