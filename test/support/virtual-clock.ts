import type { Clock } from '../../src/client/transport.ts'

type Sleeper = { readonly at: number; readonly wake: () => void }

/** A clock whose time goes on only where everybody sleeps: a run of hours takes as long as its computing does. */
export type VirtualClock = Clock & {
  /** Milliseconds since the beginning, with their fraction, whatever the clock was set to. */
  readonly elapsed: () => number
  /** Sets the clock forward, or back where negative; who sleeps sleeps no shorter and no longer for it. */
  readonly set: (milliseconds: number) => void
  /** Runs work to its end; time goes on to the next who wakes whenever nothing else is left to do. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
}

const START = Date.parse('2026-11-21T12:00:00Z')

/** What the process does with files, which is real, and takes its time, and what it has put off until its next turn. */
const isReal = (resource: string): boolean => /^(FSReq|CloseReq|Immediate)/.test(resource)

/** Rounds of the event loop without anything real, after which nothing follows from what has happened any more. */
const QUIET_ROUNDS = 3

const round = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Until all that follows from what has happened has happened, too, files included. */
const settled = async (): Promise<void> => {
  for (let quiet = 0; quiet < QUIET_ROUNDS;) {
    await round()
    quiet = process.getActiveResourcesInfo().some(isReal) ? 0 : quiet + 1
  }
}

/** How long it may take, in real milliseconds, until what waits for something real goes on. */
const STUCK_MS = 60_000

/** The place of a new sleeper: behind all that wake no later. */
const placeOf = (sleepers: readonly Sleeper[], at: number): number => {
  let [low, high] = [0, sleepers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sleepers[middle]?.at ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A clock of a test's own. Sleepers wake one at a time, in the order of their time and then of their coming, so that a run
 * that computes the same does the same. Work that waits where nobody sleeps would never end: that is an error.
 */
export const createVirtualClock = (start = START): VirtualClock => {
  const sleepers: Sleeper[] = []
  let [elapsed, offset] = [0, start]
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) {
        resolve()
        return
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const sleeper = { at: elapsed + Math.max(0, milliseconds), wake }
      const stop = (): void => {
        sleepers.splice(sleepers.indexOf(sleeper), 1)
        wake()
      }
      signal?.addEventListener('abort', stop)
      sleepers.splice(placeOf(sleepers, sleeper.at), 0, sleeper)
    })
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    let isDone = false
    const result = work().finally(() => (isDone = true))
    // What is thrown is thrown below; until then nobody listens.
    result.catch(() => undefined)
    for (let stuckAt = Infinity; ;) {
      await settled()
      if (isDone) return result
      const next = sleepers.shift()
      if (!next) {
        stuckAt = Math.min(stuckAt, performance.now() + STUCK_MS)
        if (performance.now() > stuckAt) throw new Error('nobody sleeps, and the work does not end')
        continue
      }
      stuckAt = Infinity
      elapsed = Math.max(elapsed, next.at)
      next.wake()
    }
  }
  return {
    now: () => Math.floor(offset + elapsed),
    sleep,
    uptime: () => elapsed,
    elapsed: () => elapsed,
    set: (milliseconds) => void (offset += milliseconds),
    run,
  }
}
