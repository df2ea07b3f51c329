import type { Sending } from './sending.ts'
import { isPassing } from './refusal.ts'

/** How long to wait before the next try, in seconds: what fails after the last one is down. */
const PAUSES = [1, 2, 4, 8, 16]
/** Whoever wants to be asked later than that is not waited for. */
const LONGEST_PAUSE = 60

/**
 * Does what may fail for a while, again and again with pauses between, a bounded number of times. `attempt` is told the
 * number of the try, from 0.
 */
export const patiently = async <T>(
  { clock, signal }: Pick<Sending, 'clock' | 'signal'>,
  attempt: (tries: number) => Promise<T>,
): Promise<T> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries)
    } catch (error) {
      const pause = PAUSES[tries]
      if (!isPassing(error) || pause === undefined || (error.retryAfter ?? 0) > LONGEST_PAUSE) throw error
      await clock.sleep(Math.max(pause, error.retryAfter ?? 0) * 1000, signal)
      if (signal.aborted) throw error
    }
  }
}
