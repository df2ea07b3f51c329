import type { Writer } from '../store/db.ts'
import { type LimitStore, type Millis, requestLog } from '../store/limits.ts'
import { gather } from './gather.ts'
import { steadyTime } from './steady-clock.ts'

/** How long a request counts. */
export const RATE_WINDOW_MS = 60_000

/** So often what has left the window is forgotten, and so much of it: more than was added, so that the log shrinks. */
const FORGET_EACH = 8
const FORGOTTEN_A_REQUEST = 3

/** What became of a request. */
export type Verdict = {
  readonly isAccepted: boolean
  readonly limit: number
  /** How many requests count at the moment, this one included where it was accepted. */
  readonly used: number
  /** Until fewer count; for a refused one, until the next would be accepted. */
  readonly waitMs: Millis
}

/** Counts a request of an account. */
export type RateLimit = (account: number) => Promise<Verdict>

/**
 * Counts requests of one account that come at the same moment. Accepted ones are numbered in the order of time, so that
 * those within the window are counted by the number of its first, whatever the limit is.
 */
const countAll = async (
  tx: Writer,
  { now }: LimitStore,
  limit: number,
  account: number,
  requests: number,
): Promise<Verdict[]> => {
  const before = await requestLog.lock(tx, account)
  const clock = steadyTime(before, await now(tx))
  const start = clock.lastAt - RATE_WINDOW_MS
  const first = await requestLog.firstAfter(tx, account, start)
  const used = first ? before.accepted - first.number + 1 : 0
  const taken = Math.min(requests, Math.max(0, limit - used))
  const after = { ...clock, accepted: before.accepted + taken }
  if (taken > 0) {
    await requestLog.add(tx, account, before.accepted + 1, taken, clock.lastAt)
    if (after.accepted % FORGET_EACH < taken) {
      await requestLog.forget(tx, account, start, (taken + FORGET_EACH) * FORGOTTEN_A_REQUEST)
    }
  }
  if (taken > 0 || clock.shift !== before.shift) await requestLog.save(tx, account, after)
  // Where the limit was higher before, more have to leave the window than its first.
  const leaving = used > limit ? await requestLog.find(tx, account, before.accepted - limit + 1) : first
  const waitMs = (leaving?.at ?? clock.lastAt) - start
  return Array.from({ length: requests }, (_, at) => ({
    isAccepted: at < taken,
    limit,
    used: used + Math.min(at + 1, taken),
    waitMs,
  }))
}

const tally = (accounts: readonly number[]): [account: number, requests: number][] => {
  const requests = new Map<number, number>()
  for (const account of accounts) requests.set(account, (requests.get(account) ?? 0) + 1)
  // All who count go through the accounts in one order, so that none waits for another that waits for it.
  return [...requests].sort(([a], [b]) => a - b)
}

/**
 * A limit of requests a minute for each account: never more in any 60 seconds, by one clock for all who count in the
 * same place. Requests that come together are counted in one transaction.
 */
export const createRateLimit = (store: LimitStore, limit: number): RateLimit =>
  gather((accounts) =>
    store.db.write(async (tx) => {
      const verdicts = new Map<number, Verdict[]>()
      for (const [account, requests] of tally(accounts)) {
        verdicts.set(account, await countAll(tx, store, limit, account, requests))
      }
      return verdicts
    }),
  )
