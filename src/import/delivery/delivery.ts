import type { Client } from '../../client/client.ts'
import type { Clock } from '../../client/transport.ts'
import type { Journal, DeliveryWay } from '../journal/journal.ts'
import type { Tally } from '../journal/tally.ts'
import type { LostAnswers } from './retry.ts'
import type { JournaledInterval } from './write-ahead.ts'

/** Holds what sending to any service works with. */
export type Run = {
  readonly client: Client
  /** Is true with `--on-conflict add`: a request that may have been carried out must not be repeated. */
  readonly isAdding: boolean
  /** Notes that this run may have changed what the service stores. */
  readonly touch: () => void
  /** Tells whether anything has been acknowledged, or may have been stored. */
  readonly hasBegun: () => boolean
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly lostAnswers: LostAnswers
}

/** Takes the outcome of some entries, with the number of their lines. */
export type Sink = (tally: Tally, lines: number, entries: number) => void

/**
 * Sends the journaled intervals of an import to one kind of service. There are two: `bundled.ts` for the service of this
 * package, and `third-party/third-party.ts` for any other that speaks the interface.
 */
export type Delivery = {
  /** Names how entries are sent, as the journal records it: in batches, or one at a time. */
  readonly way: DeliveryWay
  /** Bounds the intervals that one write to the journal covers: each write waits for the disk. */
  readonly journaledAhead: number
  /** Tells whether several intervals may be under way at a time. */
  readonly mayOverlap: () => boolean
  /**
   * Sends an interval until each entry has an outcome, acknowledges it in the journal, and tells `sink` of each part.
   * Throws where the service goes on failing; what surely was not sent is withdrawn from the journal then.
   */
  readonly deliver: (interval: JournaledInterval, sink: Sink) => Promise<void>
}

/** Says why a row is rejected when nobody can tell whether it was stored. */
export const OUTCOME_UNKNOWN =
  'the answer was lost, so it may or may not have been stored; check what is stored before you import it again'
