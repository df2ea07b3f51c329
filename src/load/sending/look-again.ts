import { Stopped } from '../../client/stopped.ts'
import { LAG_FACTOR } from './capabilities.ts'
import type { Sending } from './sending.ts'

/** Waits so many milliseconds before each later look at a list, as some show late what was written. */
export const LATER_LOOKS: readonly number[] = [2_000, 6_000]
/** Returns how long to wait before each later look at a service, once more where its list is known to lag longer. */
export const laterLooks = ({ capabilities }: Pick<Sending, 'capabilities'>): readonly number[] => {
  const rest = LAG_FACTOR * (capabilities.known().lagMs ?? 0) - LATER_LOOKS.reduce((sum, pause) => sum + pause)
  return rest > 0 ? [...LATER_LOOKS, rest] : LATER_LOOKS
}

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
