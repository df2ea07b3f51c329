import { setInterval } from 'node:timers'

const TICK_MS = 1

/** Measures how long this thread keeps everything else waiting. */
export type StallMeter = {
  /** Does something, and answers the longest time that the processor was at work for it without a pause, in milliseconds. */
  readonly during: (work: () => Promise<void>) => Promise<number>
} & Disposable

const busy = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Starts a meter. It measures time of the processor, not of the clock, between two ticks of a timer: on a machine that has
 * much else to do the result is the same.
 */
export const startStallMeter = (): StallMeter => {
  let [last, longest] = [busy(), 0]
  const tick = (): void => {
    const now = busy()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(tick, TICK_MS)
  timer.unref()
  return {
    during: async (work) => {
      ;[last, longest] = [busy(), 0]
      await work()
      tick()
      return longest
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
