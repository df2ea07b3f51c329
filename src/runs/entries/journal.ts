import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { EntryKey } from '../../domain/entry-key.ts'
import type { KeySamples } from './key-samples.ts'
import type { Tally } from './tally.ts'

/** Names the account of a run; the service may not have named it surely. */
type RunAccount = { readonly for: string; readonly isSure: boolean }

/** Describes where the journal of a run is kept, and the service and credentials that are part of its identity. */
export type JournalPlace = {
  readonly folder: string
  /** Names the service: by its base URL, or the folder of the embedded one. */
  readonly service: string
  /** Returns the account that the entries belong to; known once the service has answered. */
  readonly account: () => RunAccount
  /** Identifies the credentials: it differs for different ones, and is never a secret. */
  readonly caller: string
  /** Names the imported file by its absolute path. */
  readonly path: string
  /** Lists the imports that undos have begun to take back, also those whose journals are gone. */
  readonly undone: () => readonly UndoneImport[]
}

/** Describes an import that an undo has begun to take back. */
export type UndoneImport = {
  readonly runId: string | undefined
  /** Names its journal. */
  readonly journal: string | undefined
  /** Names the file from which it added to entries; undefined if it did not. */
  readonly addedFrom: string | undefined
  readonly account: string | undefined
  /** Names the file for messages. */
  readonly file: string
  readonly beganAt: number
  /** Tells whether some of it is left, or may be. */
  readonly isLeft: boolean
  /** Tells whether its undo has not come to its end: it goes on, or was cut off. */
  readonly isOpen: boolean
  /** Holds the command line that takes back the rest. */
  readonly command: string
}

/** Lists the options that do not change what a file means: a run can be continued with other values of them. */
const NOT_MEANING: ReadonlySet<string> = new Set([
  'createAssignments',
  'maxErrors',
  'addAgain',
  // Compare the day that the word was settled for instead.
  'dateWord',
  // The rows themselves tell which of them are left out.
  'ignoreRows',
])

/** Returns the value of an option as a text; JSON has neither maps nor sets, and the order of a set means nothing. */
const textOf = (option: unknown): string =>
  JSON.stringify(option, (_, value: unknown) => {
    if (value instanceof Map) return [...value]
    return value instanceof Set ? [...value].map(String).toSorted() : value
  })

/** Returns the options that give a file its meaning, in a fixed order. */
export const meaningOf = (options: object): string[] =>
  Object.entries<unknown>({ ...options })
    .filter(([name, value]) => !NOT_MEANING.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .toSorted((left, right) => (left < right ? -1 : 1))

/** Holds the extension of a journal's file name. */
export const JOURNAL_ENDING = '.journal'

/**
 * Returns the path of a run's journal, which depends on the service, the account, the rows and the options that give
 * them a meaning.
 */
export const journalPath = (
  { folder, service, account }: JournalPlace,
  fingerprint: string,
  options: object,
): string => {
  const identity = [service, account().for, fingerprint, meaningOf(options)]
  return join(folder, `${hash('sha256', JSON.stringify(identity), 'hex').slice(0, 32)}${JOURNAL_ENDING}`)
}

/** Names how entries are sent: in batches, or one at a time. */
export type DeliveryWay = 'batch' | 'one'

/** Describes consecutive entries that are journaled before they are sent. */
export type Intent = {
  readonly first: EntryKey
  readonly last: EntryKey
  readonly count: number
  /** Identifies the entries as the file gives them. */
  readonly digest: string
  readonly way: DeliveryWay
  /** Lists the places of the entries to send; undefined for all. The others have an outcome already. */
  readonly places: readonly number[] | undefined
  /** Holds the outcome of the others. */
  readonly stage: Tally
  readonly sentAt: number
  /**
   * Holds the sample of each entry, and after them those of entries that the interval held before; undefined leaves the
   * journaled samples unchanged.
   */
  readonly samples?: KeySamples | undefined
}

/** Describes an interval in the journal, with its outcome if that is known. */
export type Interval = Omit<Intent, 'samples'> & {
  readonly id: number
  readonly outcome: Tally | undefined
  /** Identifies the run that sent it; another one if that used other credentials. */
  readonly run: string
}

/** Describes what the journal holds about an entry that is sent by itself. */
export type SingleEntry = {
  readonly key: EntryKey
  readonly digest: string
  /** Lists the ids that existed before, the latest last; null if there were none, undefined if that is not known. */
  readonly known: readonly number[] | null | undefined
  readonly sentAt: number
  readonly outcome?: Tally | undefined
}

/** Records what a run is about to do and has done, so that the same command can continue it. */
export type Journal = JournalHead & {
  /** Counts the entries that earlier parts of the run have finished. */
  readonly doneBefore: number
  /** Returns at most `atMost` intervals of earlier parts of the run, in the order of their keys, after a key. */
  readonly earlier: (after: EntryKey | undefined, atMost: number) => Interval[]
  /** Returns the key samples of an interval, as they were when this part of the run began. */
  readonly samples: (interval: number) => KeySamples
  /** Returns the entries of an interval that were sent by themselves. */
  readonly ones: (interval: number) => SingleEntry[]
  /** Records intervals that are about to be sent, waits for the disk, and returns their ids. */
  readonly intend: (intents: readonly Intent[]) => number[]
  /** Rewrites an interval that has changed since it was journaled. */
  readonly intendAnew: (interval: number, intent: Intent) => void
  /** Restores an interval as it was before it was rewritten. */
  readonly restore: (earlier: Interval) => void
  readonly intendOnes: (interval: number, ones: readonly SingleEntry[]) => void
  /**
   * Records the outcome of an interval, which is written with the next intervals or when the journal is closed: an
   * outcome that is lost is found out again.
   */
  readonly acknowledge: (interval: number, outcome: Tally) => void
  readonly acknowledgeOne: (interval: number, key: EntryKey, outcome: Tally) => void
  /** Removes intervals that were not sent after all. */
  readonly withdraw: (intervals: readonly number[]) => void
  readonly withdrawOne: (interval: number, key: EntryKey) => void
  /** Removes the journal: nothing is left to do. */
  readonly finish: () => void
  /** Closes the journal when nothing is left to do, and returns a function that removes it later. */
  readonly leave: () => () => void
  /** Closes the journal; it is kept if it holds intervals. */
  readonly close: () => void
}

/** Describes the head of a journal. */
export type JournalHead = {
  /** Identifies the whole run; the Idempotency-Keys of its requests begin with it. */
  readonly runId: string
  readonly service: string
  /** Names the file by its absolute path. */
  readonly path: string
  /** Says when the run began. */
  readonly beganAt: number
  /** Identifies the file's rows, by the fingerprint of their cells. */
  readonly content: string
  /** Names the account that the entries belong to. */
  readonly account: RunAccount
  /**
   * Identifies the credentials of its Idempotency-Keys: a service does not recognize the keys under other credentials.
   */
  readonly caller: string
  /** Tells whether the run adds to existing entries, so that no other run may send the same ones. */
  readonly isAdding: boolean
  /** Holds the day that a word for the date of all rows stood for when the run began; missing where none was given. */
  readonly settledDate?: { readonly word: string; readonly day: string }
}
