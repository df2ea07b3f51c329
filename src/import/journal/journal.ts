import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { AccountIdentity } from '../../client/http/credentials.ts'
import type { ImportOptions } from '../options.ts'
import type { EntryKey } from '../entry-key.ts'
import type { KeySamples } from './key-samples.ts'
import type { Tally } from './tally.ts'

/** Describes where the journal of a run is kept, and the service and credentials that are part of its identity. */
export type JournalPlace = {
  readonly folder: string
  /** Names the service: by its base URL, or the folder of the embedded one. */
  readonly service: string
  /** Returns whose entries they are, known once the service has answered. */
  readonly account: () => AccountIdentity
  /** Names the credentials: never a secret, but different for different ones. */
  readonly caller: string
  /** Names the imported file by its absolute path. */
  readonly path: string
}

/** Lists the options that do not change what a file means, so that a run continues when they change. */
const NOT_MEANING: ReadonlySet<string> = new Set([
  'createAssignments',
  'maxErrors',
  'addAgain',
] satisfies (keyof ImportOptions)[])

const plain = (value: unknown): string => JSON.stringify(value instanceof Map ? [...value] : value)

/** Returns the options that give a file its meaning, in a fixed order. */
const meaningOf = (options: ImportOptions): string[] =>
  Object.entries(options)
    .filter(([name, value]) => !NOT_MEANING.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${plain(value)}`)
    .toSorted((left, right) => (left < right ? -1 : 1))

/** Holds the ending of a journal's name. */
export const JOURNAL_ENDING = '.journal'

/**
 * Returns the path of a run's journal: a hash of the service, the account, the rows and the options that change their
 * meaning, so that the same command finds it again.
 */
export const journalPath = (
  { folder, service, account }: JournalPlace,
  fingerprint: string,
  options: ImportOptions,
): string => {
  const identity = [service, account().for, fingerprint, meaningOf(options)]
  return join(folder, `${hash('sha256', JSON.stringify(identity), 'hex').slice(0, 32)}${JOURNAL_ENDING}`)
}

/** Names how entries are sent: in batches, or one at a time. */
export type DeliveryWay = 'batch' | 'one'

/** Describes consecutive entries in the journal, before they are sent. */
export type Intent = {
  readonly first: EntryKey
  readonly last: EntryKey
  readonly count: number
  /** Identifies the entries that the file gives. */
  readonly digest: string
  readonly way: DeliveryWay
  /** Lists the positions in the batch of the entries to send; undefined for all. */
  readonly places: readonly number[] | undefined
  /** Counts the outcomes of the others. */
  readonly stage: Tally
  readonly sentAt: number
  /**
   * Holds a sample of each key, and after them those of keys that were in it before; unchanged where it is undefined.
   */
  readonly samples?: KeySamples | undefined
}

/** Describes an interval in the journal, with its outcome where that is known. */
export type Interval = Omit<Intent, 'samples'> & {
  readonly id: number
  readonly outcome: Tally | undefined
  /** Names the run that sent it, which differs where that was with other credentials. */
  readonly run: string
}

/** Describes what the journal holds of an entry that is sent by itself. */
export type SingleEntry = {
  readonly key: EntryKey
  readonly digest: string
  /**
   * Lists the ids that existed before, the latest last; null where there was nothing, undefined where that is not
   * known.
   */
  readonly known: readonly number[] | null | undefined
  readonly sentAt: number
  readonly outcome?: Tally | undefined
}

/** Keeps what a run means to do and has done, so that the same command can continue it. */
export type Journal = JournalHead & {
  /** Counts the entries that earlier parts of the run have finished. */
  readonly doneBefore: number
  /** Returns the intervals of earlier parts of the run, in the order of their keys, so many from one on. */
  readonly earlier: (after: EntryKey | undefined, atMost: number) => Interval[]
  /** Returns the key samples of an interval, as they were when this part of the run began. */
  readonly samples: (interval: number) => KeySamples
  /** Returns the entries of an interval that were sent by themselves. */
  readonly ones: (interval: number) => SingleEntry[]
  /** Writes down what is about to be sent, and waits for the disk. */
  readonly intend: (intents: readonly Intent[]) => number[]
  /** Rewrites an interval that has changed since it was journaled. */
  readonly intendAnew: (interval: number, intent: Intent) => void
  /** Restores what was recorded of an interval before that. */
  readonly restore: (earlier: Interval) => void
  readonly intendOnes: (interval: number, ones: readonly SingleEntry[]) => void
  /** Writes down what became of an interval, without waiting for the disk: where that is lost, it is found out again. */
  readonly acknowledge: (interval: number, outcome: Tally) => void
  readonly acknowledgeOne: (interval: number, key: EntryKey, outcome: Tally) => void
  /** Takes back what was not sent after all. */
  readonly withdraw: (intervals: readonly number[]) => void
  readonly withdrawOne: (interval: number, key: EntryKey) => void
  /** Removes it: there is nothing left to do. */
  readonly finish: () => void
  /** Closes a journal with nothing left to do; returns a function that deletes it later. */
  readonly leave: () => () => void
  /** Closes it; keeps the file if anything was sent. */
  readonly close: () => void
}

/** Describes the head of a journal. */
export type JournalHead = {
  /** Names the whole run; the Idempotency-Keys of its requests are made of it. */
  readonly runId: string
  readonly service: string
  /** Names the file by its absolute path. */
  readonly path: string
  /** Says when the run began. */
  readonly beganAt: number
  /** Names the file's rows, by the fingerprint of their cells. */
  readonly content: string
  /** Says whose entries they are. */
  readonly account: AccountIdentity
  /** Names the credentials of its Idempotency-Keys, which a service does not recognize under others. */
  readonly caller: string
  /** Tells whether it adds to existing entries, so that no other run may send them. */
  readonly isAdding: boolean
}
