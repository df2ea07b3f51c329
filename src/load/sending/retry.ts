import type { KpiError } from '../../domain/errors.ts'
import type { Sending } from './sending.ts'
import { isPassing } from './refusal.ts'

/** How long to wait before the next try, in seconds: what fails after the last one is down. */
const PAUSES = [1, 2, 4, 8, 16]
/** Whoever wants to be asked later than that is not waited for. */
const LONGEST_PAUSE = 60

/** Waits before the next try, after so many that failed; throws what made it fail where that has gone on for too long. */
export const pauseFor = async (
  { clock, signal }: Pick<Sending, 'clock' | 'signal'>,
  failure: KpiError,
  failed: number,
): Promise<void> => {
  const pause = PAUSES[failed]
  if (pause === undefined || (failure.retryAfter ?? 0) > LONGEST_PAUSE) throw failure
  await clock.sleep(Math.max(pause, failure.retryAfter ?? 0) * 1000, signal)
}

/**
 * Does what may fail for a while, again and again with pauses between, a bounded number of times. `attempt` is told the
 * number of the try, from 0.
 */
export const patiently = async <T>(
  timing: Pick<Sending, 'clock' | 'signal'>,
  attempt: (tries: number) => Promise<T>,
): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries)
    } catch (error) {
      if (!isPassing(error)) throw error
      await pauseFor(timing, error, tries)
      if (timing.signal.aborted) throw error
    }
  }
}
