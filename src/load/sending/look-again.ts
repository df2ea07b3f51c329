import { Stopped } from '../../client/stopped.ts'
import type { Sending } from './sending.ts'

/** What a list shows of a write lags behind it in some services: how long until it is asked again, in milliseconds. */
export const LATER_LOOKS = [2_000, 6_000]

/** Looks at what is there, and again after a while as long as that is not enough, a bounded number of times. */
export const lookAgain = async <T>(
  { clock, signal }: Pick<Sending, 'clock' | 'signal'>,
  look: () => Promise<T>,
  isEnough: (seen: T) => boolean,
): Promise<T> => {
  for (let looks = 0; ; looks += 1) {
    const seen = await look()
    const pause = LATER_LOOKS[looks]
    if (pause === undefined || isEnough(seen)) return seen
    await clock.sleep(pause, signal)
    if (signal.aborted) throw new Stopped('stopped')
  }
}
