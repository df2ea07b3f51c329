import { setImmediate } from 'node:timers/promises'
import type { Writer } from '../../store/db.ts'
import {
  type ClockMark,
  type Counted,
  type LimitStore,
  type Millis,
  requestLog,
} from '../../store/rate-limits/limits.ts'

/**
 * Returns a monotonic time from a clock that may be set back: it stands still for that moment and goes on from there.
 * What was counted then seems younger than it is, by no more than was left of its minute, so that nobody gets through
 * who should not, and nobody waits for the clock to catch up.
 */
export const monotonicTime = ({ lastAt, shift }: ClockMark, now: Millis): ClockMark =>
  now + shift >= lastAt ? { lastAt: now + shift, shift } : { lastAt, shift: lastAt - now }

type QueuedCheck<K, T> = {
  readonly asked: K
  readonly resolve: (answer: T) => void
  readonly reject: (error: unknown) => void
}

/** Does all waiting work together, and gives each caller its answer. */
const settle = async <K, T>(
  waiting: readonly QueuedCheck<K, T>[],
  work: (asked: readonly K[]) => Promise<ReadonlyMap<K, T[]>>,
): Promise<void> => {
  try {
    const answers = await work(waiting.map(({ asked }) => asked))
    for (const { asked, resolve, reject } of waiting) {
      const answer = answers.get(asked)?.shift()
      if (answer === undefined) reject(new Error('a question was left without an answer'))
      else resolve(answer)
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

/**
 * Coalesces what is asked for at about the same time: in one turn of the event loop, or while earlier work is under
 * way. Each caller that asks for the same gets the next of its answers.
 */
const coalesce = <K, T>(work: (asked: readonly K[]) => Promise<ReadonlyMap<K, T[]>>): ((asked: K) => Promise<T>) => {
  let waiting: QueuedCheck<K, T>[] = []
  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await setImmediate()
      const taken = waiting
      waiting = []
      await settle(taken, work)
    }
    isRunning = false
  }
  let isRunning = false
  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}

/** Sets how long a request counts. */
export const RATE_WINDOW_MS = 60_000

/** Sets how often old requests are removed, and how many: more than were added, so that the log shrinks. */
const FORGET_EACH = 8
const FORGOTTEN_A_REQUEST = 3

/** Describes whether a request is accepted. */
export type RateLimitDecision = {
  readonly isAccepted: boolean
  readonly limit: number
  /** Counts the current requests, this one included where it was accepted. */
  readonly used: number
  /** Holds the milliseconds until fewer count; for a refused one, until the next would be accepted. */
  readonly waitMs: Millis
}

/** Counts a request of a key, or of an account's token. */
export type RateLimit = (counted: Counted) => Promise<RateLimitDecision>

/**
 * Counts requests of one key or token that come at the same moment. Accepted ones are numbered in the order of time, so
 * that those within the window are counted by the number of its first, whatever the limit is.
 */
const countAll = async (
  tx: Writer,
  { now }: LimitStore,
  limit: number,
  counted: Counted,
  requests: number,
): Promise<RateLimitDecision[]> => {
  const [before, time] = await Promise.all([requestLog.lock(tx, counted), now(tx)])
  const clock = monotonicTime(before, time)
  const start = clock.lastAt - RATE_WINDOW_MS
  const first = await requestLog.firstAfter(tx, counted, start)
  const used = first ? before.accepted - first.number + 1 : 0
  const taken = Math.min(requests, Math.max(0, limit - used))
  const after = { ...clock, accepted: before.accepted + taken }
  if (taken > 0) {
    await requestLog.add(tx, counted, before.accepted + 1, taken, clock.lastAt)
    if (after.accepted % FORGET_EACH < taken) {
      await requestLog.forget(tx, counted, start, (taken + FORGET_EACH) * FORGOTTEN_A_REQUEST)
    }
  }
  // One after the other: where one finds no room, SQLite may have ended the transaction.
  if (taken > 0 || clock.shift !== before.shift) await requestLog.save(tx, counted, after)
  // Where the limit was higher before, more have to leave the window than its first.
  const leaving = used > limit ? await requestLog.find(tx, counted, before.accepted - limit + 1) : first
  const waitMs = (leaving?.at ?? clock.lastAt) - start
  return Array.from({ length: requests }, (_, at) => ({
    isAccepted: at < taken,
    limit,
    used: used + Math.min(at + 1, taken),
    waitMs,
  }))
}

/** Names what is counted, in an order in which all who count go through it, so that none waits for another that waits for it. */
const nameOf = ({ account, key }: Counted): string => `${account}/${key}`

const countedOf = (name: string): Counted => {
  const [account = NaN, key = NaN] = name.split('/').map(Number)
  return { account, key }
}

const tally = (names: readonly string[]): [name: string, requests: number][] => {
  const requests = new Map<string, number>()
  for (const name of names) requests.set(name, (requests.get(name) ?? 0) + 1)
  return [...requests].sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * Creates a limit of requests a minute for each key, or each account's token: never more in any 60 seconds, by one
 * clock for all processes that use the store. Requests that come together are counted in one transaction.
 */
export const createRateLimit = (store: LimitStore, limit: number): RateLimit => {
  const count = coalesce((names: readonly string[]) =>
    store.db.write(async (tx) => {
      const verdicts = new Map<string, RateLimitDecision[]>()
      for (const [name, requests] of tally(names)) {
        verdicts.set(name, await countAll(tx, store, limit, countedOf(name), requests))
      }
      return verdicts
    }),
  )
  return (counted) => count(nameOf(counted))
}
