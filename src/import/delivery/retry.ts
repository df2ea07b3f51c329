import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Run } from './delivery.ts'
import { isTransient } from './refusal.ts'

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

/** Lists the pauses between tries, in seconds; a service that fails after the last one counts as down. */
const PAUSES = [1, 2, 4, 8, 16]
/** Sets the longest pause that a service may ask for, in seconds. */
const LONGEST_PAUSE = 60

/**
 * Waits before the next try; throws the failure if the last pause is over, or the service asks for a longer wait than
 * allowed. If the run is stopped it returns early and does not throw, so that the caller can still check what was sent.
 */
export const pauseBeforeRetry = async (
  { clock, signal }: Pick<Run, 'clock' | 'signal'>,
  failure: KpiError,
  failed: number,
): Promise<void> => {
  const seconds = PAUSES[failed]
  if (seconds === undefined || (failure.retryAfter ?? 0) > LONGEST_PAUSE) throw failure
  await clock.sleep(Math.max(seconds, failure.retryAfter ?? 0) * 1000, signal)
}

/**
 * Retries an operation after temporary errors, a bounded number of times with pauses. `attempt` takes the number of the
 * try, from 0.
 */
export const withRetries = async <T>(
  timing: Pick<Run, 'clock' | 'signal'>,
  attempt: (tries: number) => Promise<T>,
): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries)
    } catch (error) {
      if (!isTransient(error)) throw error
      await pauseBeforeRetry(timing, error, tries)
      if (timing.signal.aborted) throw error
    }
  }
}
