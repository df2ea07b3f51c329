import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { JournalPlace } from './place.ts'
import type { ImportOptions } from '../options.ts'

/** What does not change what a file means, so that a run goes on where it is said anew. */
const NOT_MEANING: ReadonlySet<string> = new Set([
  'createAssignments',
  'maxErrors',
  'addAgain',
] satisfies (keyof ImportOptions)[])

const plain = (value: unknown): string => JSON.stringify(value instanceof Map ? [...value] : value)

/** What the options make of a file, in the same order whatever order they were given in. */
const meaningOf = (options: ImportOptions): string[] =>
  Object.entries(options)
    .filter(([name, value]) => !NOT_MEANING.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${plain(value)}`)
    .toSorted((left, right) => (left < right ? -1 : 1))

/** The ending of a journal's name. */
export const JOURNAL_ENDING = '.journal'

/** Returns where the journal lies of a run that sends what rows mean, by these options, to a service for an account. */
export const journalPath = (
  { folder, service, account }: JournalPlace,
  fingerprint: string,
  options: ImportOptions,
): string => {
  const identity = [service, account().for, fingerprint, meaningOf(options)]
  return join(folder, `${hash('sha256', JSON.stringify(identity), 'hex').slice(0, 32)}${JOURNAL_ENDING}`)
}
