import { isWaitedFor, waitUntil } from '../../client/retry.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError, isTransient } from '../../domain/errors.ts'
import type { Run } from './delivery.ts'

/** Counts lost answers in a row, to requests that must not be repeated and whose effect cannot be read back. */
export type LostAnswers = {
  readonly inARow: () => number
  /** Records whether the next answer was lost. */
  readonly note: (isLost: boolean) => void
}

/** Sets how many answers in a row may be lost before the run ends. */
const LOST_IN_A_ROW = 3

export const createLostAnswers = (): LostAnswers => {
  let inARow = 0
  return { inARow: () => inARow, note: (isLost) => void (inARow = isLost ? inARow + 1 : 0) }
}

/** Ends a run that loses several answers in a row, because with each the outcome of more rows stays unknown. */
export const endIfAnswersAreLost = ({ inARow }: LostAnswers, what: 'entries' | 'batches'): void => {
  if (inARow() < LOST_IN_A_ROW) return
  throw new KpiError(
    'unavailable',
    `the answers to ${inARow()} ${what} in a row were lost, so no more were sent; make sure that the service answers, and run the same command`,
  )
}

/** Waits for a service that shows writes late; throws if the run is stopped meanwhile. */
export const pause = async ({ clock, signal }: Pick<Run, 'clock' | 'signal'>, milliseconds: number): Promise<void> => {
  await clock.sleep(milliseconds, signal)
  if (signal.aborted) throw new Aborted('stopped')
}

/** Lists the pauses between tries, in seconds; where somebody waits for the run, it ends after the last one. */
const PAUSES = [1, 2, 4, 8, 16]
/** Sets the pause between later tries, for a service that is waited for. */
const LATER_PAUSE = 30
/** Sets the longest pause that a service may ask for, in seconds, and the longest where it is waited for. */
const LONGEST_PAUSE = 60
const LONGEST_WAIT = 300

/** Spaces out the tries of one operation. */
type Backoff = {
  /** Counts the failures in a row. */
  readonly failures: () => number
  /**
   * Waits before the next try; throws the failure if the last pause is over, or the service asks for a longer wait than
   * allowed. If the run is stopped it returns early and does not throw, so that the caller can still check what was sent.
   */
  readonly pause: (failure: KpiError) => Promise<void>
  /** Begins anew, after a success. */
  readonly reset: () => void
}

/** Says how a run waits for its service. */
type Timing = Pick<Run, 'clock' | 'signal'> & { readonly client: Pick<Run['client'], 'giveUpAt'> }

/** Creates the pauses between the tries of one operation. */
export const createBackoff = ({ clock, signal, client }: Timing): Backoff => {
  let failed = 0
  let end: number | undefined
  return {
    failures: () => failed,
    pause: async (failure) => {
      if (isWaitedFor(failure)) end ??= client.giveUpAt(clock.now())
      const until = isWaitedFor(failure) ? end : undefined
      const isPatient = until !== undefined
      const [seconds, asked] = [PAUSES[failed] ?? (isPatient ? LATER_PAUSE : undefined), failure.retryAfter ?? 0]
      if (seconds === undefined || (!isPatient && asked > LONGEST_PAUSE)) throw failure
      const asIs = Math.max(seconds, Math.min(asked, LONGEST_WAIT)) * 1000
      const wait = isPatient ? waitUntil(until, asIs, clock.now()) : asIs
      if (wait === undefined) throw failure
      failed += 1
      await clock.sleep(wait, signal)
    },
    reset: () => void ([failed, end] = [0, undefined]),
  }
}

/**
 * Retries an operation after temporary errors, a bounded number of times with pauses, or for as long as the run waits
 * for its service. `attempt` takes the number of the try, from 0.
 */
export const withRetries = async <T>(timing: Timing, attempt: (tries: number) => Promise<T>): Promise<T> => {
  const backoff = createBackoff(timing)
  for (;;) {
    try {
      return await attempt(backoff.failures())
    } catch (error) {
      if (!isTransient(error)) throw error
      await backoff.pause(error)
      if (timing.signal.aborted) throw error
    }
  }
}
