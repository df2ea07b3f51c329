import type { TextAnswer } from './answer.ts'
import type { Traffic, Usage, Waiting } from './transport.ts'

/** One request's turn at a gate. */
export type Turn = {
  /**
   * To be called once there is an answer, or none will come; says whether the request was only put off for the limit, and
   * is to be sent again after another turn.
   */
  readonly leave: (answer?: TextAnswer) => boolean
}

/** Says when the next request to a service may go. */
export type Gate = {
  /** Waits for a turn; throws `Stopped` where the wait is given up. */
  readonly enter: () => Promise<Turn>
  readonly traffic: () => Traffic
  /** How much of the limit is used; undefined where none is known. */
  readonly usage: () => Usage | undefined
  /** What the next request waits for, where it does. */
  readonly waiting: () => Waiting | undefined
  readonly close: () => void
}
