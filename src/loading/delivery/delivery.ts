import type { Client } from '../../client/client.ts'
import type { Clock } from '../../client/transport.ts'
import type { Journal, DeliveryWay } from '../../runs/entries/journal.ts'
import type { Tally } from '../../runs/entries/tally.ts'
import type { NoteChanges } from '../undo/note-changes.ts'
import type { LostAnswers } from './retry.ts'
import type { JournaledInterval } from './write-ahead.ts'

/** Holds what every delivery needs, whatever the service. */
export type Run = {
  readonly client: Client
  /** Tells that actuals are added to stored values, so nothing that may have been stored may be sent again. */
  readonly isAdding: boolean
  /** Notes that something may have been stored that the journal does not acknowledge yet. */
  readonly touch: () => void
  /** Tells whether anything has been acknowledged, or may have been stored. */
  readonly hasBegun: () => boolean
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly lostAnswers: LostAnswers
  /** Notes what becomes of entries, for taking it back. */
  readonly notes: NoteChanges
  /** Names the run to the service, which keeps what its batches replace; undefined where it keeps nothing. */
  readonly kept: string | undefined
}

/**
 * Receives the outcome of some entries: its counts, the number of lines that they came from, and the number of entries.
 */
export type Sink = (tally: Tally, lines: number, entries: number) => void

/**
 * Sends the journaled intervals of an import to one kind of service. There are two: `bundled.ts` for the service of
 * this package, and `third-party/third-party.ts` for any other service with the same interface.
 */
export type Delivery = {
  /** Names how entries are sent, for the journal: in batches, or one by one if each is added by itself. */
  readonly way: DeliveryWay
  /** Sets how many intervals are journaled together before they are sent, because each write waits for the disk. */
  readonly journaledAhead: number
  /** Tells whether several intervals may be sent at a time. */
  readonly mayOverlap: () => boolean
  /**
   * Sends an interval until each entry has an outcome, acknowledges it in the journal, and gives each outcome to
   * `sink`. Throws if the service keeps failing; if nothing of the interval can have been stored, it is removed from
   * the journal first.
   */
  readonly deliver: (interval: JournaledInterval, sink: Sink) => Promise<void>
}

/** Says why a row is rejected if nobody can tell whether it was stored. */
export const OUTCOME_UNKNOWN =
  'the answer was lost, so it may or may not have been stored; check what is stored before you import it again'
