import type { Client } from '../../client/client.ts'
import type { Clock } from '../../client/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { Knowledge } from './learned.ts'
import type { Losses } from './losses.ts'
import type { Reference } from '../reference.ts'
import type { Beliefs } from './beliefs.ts'
import type { Standing } from '../standing/standing.ts'

/** What sending works with. */
export type Sending = {
  readonly client: Client
  /** Whether the service is ours, where a request with an Idempotency-Key is done once. */
  readonly isOurs: boolean
  /** Whether actuals are added to what is stored, so that nothing may be sent again that may have been done. */
  readonly isAdding: boolean
  /** Whether what others have entered is not to be written over. */
  readonly keepsOthers: boolean
  /** To be called where something may have been stored of what has not come to an end. */
  readonly touch: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly knowledge: Knowledge
  readonly losses: Losses
  readonly beliefs: Beliefs
  /**
   * Whether it need not be tried any more what batches make of what is there; whether an entry that was tried was not seen to
   * be stored, though the answer said so; whether the answers to batches are lost, so that this run sends none; and how many
   * entries a batch has at the most.
   */
  readonly trial: { isOver: boolean; isUntrue: boolean; isLost: boolean; most: number }
  readonly reference: Reference
  /** What was there before anything was sent. */
  readonly standing: Standing
  /** What is there now, asked anew. */
  readonly now: Standing
}

/** Why a row is rejected that was not to be written over. */
export const ENTERED_MEANWHILE = 'there is an entry by now, which came while this row was sent, and is left alone'

/** Why a row is rejected of which nobody can tell whether it was stored. */
export const LOST =
  'the answer was lost, so it may or may not have been stored; look at what is stored before you import it again'
