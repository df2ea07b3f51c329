import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Working } from '../../client/http/credentials.ts'
import type { ImportOptions } from '../options.ts'
import type { EntryKey } from './entry-key.ts'
import type { Marks } from './key-samples.ts'
import type { Tally } from './tally.ts'

/** Where the journal of a run lies, and for whom it is sent to where, by which its journal is known again. */
export type JournalPlace = {
  readonly folder: string
  /** The service, such as its base URL, or the folder of the embedded one. */
  readonly service: string
  /** Whose entries they are, known once the service has answered. */
  readonly account: () => Working
  /** Who asks there: never a secret, but different for different credentials. */
  readonly caller: string
  /** The file that is loaded, as a whole path. */
  readonly path: string
}

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

/** How entries are sent: together, or one at a time. */
export type Way = 'batch' | 'one'

/** What is written down of entries that follow each other, before they are sent. */
export type Intent = {
  readonly first: EntryKey
  readonly last: EntryKey
  readonly count: number
  /** Of what the file gives. */
  readonly digest: string
  readonly way: Way
  /** The places of those that are sent, where some are settled before. */
  readonly places: readonly number[] | undefined
  /** What became of the others. */
  readonly stage: Tally
  readonly sentAt: number
  /** Of each entry, and after them of those that were in it before; as it was where it is not given. */
  readonly marks?: Marks | undefined
}

/** The same, once it is written; with what became of it, where that is known. */
export type Interval = Omit<Intent, 'marks'> & {
  readonly id: number
  readonly outcome: Tally | undefined
  /** By what name it was sent, which is another one where that was with other credentials. */
  readonly run: string
}

/** What is written down of an entry that is sent by itself. */
export type One = {
  readonly key: EntryKey
  readonly digest: string
  /** The ids of what was there before, the latest last; null where there was nothing, undefined where that is not known. */
  readonly known: readonly number[] | null | undefined
  readonly sentAt: number
  readonly outcome?: Tally | undefined
}

/** What a run means to do and has done, kept so that the same command can go on. */
export type Journal = JournalHead & {
  /** How many entries have come to an end in earlier parts of the run. */
  readonly doneBefore: number
  /** The intervals of earlier parts of the run, in the order of their keys, so many from one on. */
  readonly earlier: (after: EntryKey | undefined, atMost: number) => Interval[]
  /** The marks of the entries of an interval, as they were when this part of the run began. */
  readonly marks: (interval: number) => Marks
  /** The entries of an interval that were sent by themselves. */
  readonly ones: (interval: number) => One[]
  /** Writes down what is about to be sent, and waits for the disk. */
  readonly intend: (intents: readonly Intent[]) => number[]
  /** The same for an interval that is written down already, and is another one now. */
  readonly intendAnew: (interval: number, intent: Intent) => void
  /** Writes again what was written of an interval before that. */
  readonly restore: (earlier: Interval) => void
  readonly intendOnes: (interval: number, ones: readonly One[]) => void
  /** Writes down what became of an interval, without waiting for the disk: where that is lost, it is found out again. */
  readonly acknowledge: (interval: number, outcome: Tally) => void
  readonly acknowledgeOne: (interval: number, key: EntryKey, outcome: Tally) => void
  /** Takes back what was not sent after all. */
  readonly withdraw: (intervals: readonly number[]) => void
  readonly withdrawOne: (interval: number, key: EntryKey) => void
  /** Removes it: there is nothing left to do. */
  readonly finish: () => void
  /** Ends its use when there is nothing left to do, and answers what removes it later. */
  readonly leave: () => () => void
  /** Ends its use; it stays where something was sent. */
  readonly close: () => void
}

/** What stands at the head of a journal. */
export type JournalHead = {
  /** The name of the whole run, of which the names of its requests are made. */
  readonly runId: string
  readonly service: string
  /** The file, as a whole path. */
  readonly path: string
  /** When the run began. */
  readonly beganAt: number
  /** Names the file's rows, by the fingerprint of their cells. */
  readonly content: string
  /** Whose entries they are. */
  readonly account: Working
  /** With whose credentials its requests are named: a service knows no name again that came with others. */
  readonly caller: string
  /** Whether it adds to what is there, so that nothing may be sent by another run. */
  readonly isAdding: boolean
}
