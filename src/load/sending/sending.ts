import type { Client } from '../../client/client.ts'
import type { Clock } from '../../client/clock.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reference } from '../reference.ts'
import type { Standing } from '../standing/standing.ts'
import type { Capabilities } from './capabilities.ts'
import type { LostAnswers } from './lost-answers.ts'

/** What sending works with. */
export type Sending = {
  readonly client: Client
  /** Whether the service is the bundled one, which does a request with an Idempotency-Key once, and is believed. */
  readonly isBundled: boolean
  /** Whether actuals are added to what is stored, so that nothing may be sent again that may have been done. */
  readonly isAdding: boolean
  /** Whether what others have entered is not to be written over. */
  readonly keepsOthers: boolean
  /** To be called where something may have been stored of what has not come to an end. */
  readonly touch: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly capabilities: Capabilities
  readonly lostAnswers: LostAnswers
  readonly reference: Reference
  /** Tells of something once, however often it is met; `about` is what. */
  readonly remark: (about: 'rounding' | 'several' | 'unlisted', text: string) => void
  /** What was stored before anything was sent. */
  readonly standing: Standing
  /** What is stored now, asked anew. */
  readonly now: Standing
}

/** Why a row is rejected that was not to be written over. */
export const ENTERED_MEANWHILE = 'there is an entry by now, which came while this row was sent, and is left alone'

/** Why a row is rejected of which nobody can tell whether it was stored. */
export const LOST =
  'the answer was lost, so it may or may not have been stored; look at what is stored before you import it again'
