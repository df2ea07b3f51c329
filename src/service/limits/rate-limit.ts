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
 * Returns a monotonic time from a clock that may be set back: then it continues from the last time. So nobody waits
 * until the clock catches up, and requests that were counted before never leave the window too early.
 */
export const monotonicTime = ({ lastAt, shift }: ClockMark, now: Millis): ClockMark =>
  now + shift >= lastAt ? { lastAt: now + shift, shift } : { lastAt, shift: lastAt - now }

type QueuedCheck<K, T> = {
  readonly asked: K
  readonly resolve: (answer: T) => void
  readonly reject: (error: unknown) => void
}

/** Does all waiting work at once, and gives each caller its result. */
const settle = async <K, T>(
  waiting: readonly QueuedCheck<K, T>[],
  work: (asked: readonly K[]) => Promise<ReadonlyMap<K, T[]>>,
): Promise<void> => {
  try {
    const answers = await work(waiting.map(({ asked }) => asked))
    for (const { asked, resolve, reject } of waiting) {
      const answer = answers.get(asked)?.shift()
      if (answer === undefined) reject(new Error('a request was not counted'))
      else resolve(answer)
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

/**
 * Batches the calls of one turn of the event loop, and those during earlier work. Callers with the same argument get
 * its results in their order.
 */
const batchCalls = <K, T>(work: (asked: readonly K[]) => Promise<ReadonlyMap<K, T[]>>): ((asked: K) => Promise<T>) => {
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

/**
 * Sets how often to delete old requests, and how many per accepted one: more than were added, so that the log shrinks.
 */
const DELETE_EVERY = 8
const DELETED_PER_REQUEST = 3

/** Tells whether a request is accepted, and the state of the limit. */
export type RateLimitDecision = {
  readonly isAccepted: boolean
  readonly limit: number
  /** Counts the requests in the window, including this one if it was accepted. */
  readonly used: number
  /** Holds the milliseconds until fewer requests count; after a refusal, until the next one is accepted. */
  readonly waitMs: Millis
}

/** Counts a request of a key, or of an account's token. */
export type RateLimit = (counted: Counted) => Promise<RateLimitDecision>

/**
 * Counts concurrent requests of one key or token. It numbers accepted requests in the order of time, so the number in
 * the window is the last number minus the first plus one, at the same cost for any limit.
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
    if (after.accepted % DELETE_EVERY < taken) {
      await requestLog.forget(tx, counted, start, (taken + DELETE_EVERY) * DELETED_PER_REQUEST)
    }
  }
  // Run the statements one after the other: if the disk is full at one, SQLite may have ended the transaction.
  if (taken > 0 || clock.shift !== before.shift) await requestLog.save(tx, counted, after)
  // If the limit was lowered, more requests than the first have to leave the window.
  const leaving = used > limit ? await requestLog.find(tx, counted, before.accepted - limit + 1) : first
  const waitMs = (leaving?.at ?? clock.lastAt) - start
  return Array.from({ length: requests }, (_, at) => ({
    isAccepted: at < taken,
    limit,
    used: used + Math.min(at + 1, taken),
    waitMs,
  }))
}

/** Returns the name of a counter. Transactions lock counters in the order of their names, which avoids deadlocks. */
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
 * Creates a limit of requests in any 60 seconds for each key, or each account's token. All processes that use the store
 * share it, by the clock of the store. Concurrent requests are counted in one transaction.
 */
export const createRateLimit = (store: LimitStore, limit: number): RateLimit => {
  const count = batchCalls((names: readonly string[]) =>
    store.db.write(async (tx) => {
      const decisions = new Map<string, RateLimitDecision[]>()
      for (const [name, requests] of tally(names)) {
        decisions.set(name, await countAll(tx, store, limit, countedOf(name), requests))
      }
      return decisions
    }),
  )
  return (counted) => count(nameOf(counted))
}
