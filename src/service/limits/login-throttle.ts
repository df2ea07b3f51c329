import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { KpiError } from '../../domain/errors.ts'
import { nameForm } from '../../domain/name-form.ts'
import type { Writer } from '../../store/db.ts'
import { createKeyedSemaphore } from '../../store/queue.ts'
import { type ThrottleState, type LimitStore, type Millis, refusedLogins } from '../../store/rate-limits/limits.ts'
import { createVersionedCache } from '../versioned-cache.ts'
import { monotonicTime } from './rate-limit.ts'

const WINDOW_MS = 60_000
/** Bounds the stored counters; a new one replaces the oldest. */
const MAX_COUNTERS = 100_000
const DELETED_PER_LOGIN = 100
/** Sets how many wrong logins to count at a time: each takes a database connection, and waits for the others. */
const MAX_CONCURRENT_COUNTS = 2
const SHARED_KEY = 0

/** Describes how many wrong credentials a minute a counter allows, and names in the error what they have in common. */
type Allowance = { readonly max: number; readonly shared: string }

const PAIR_ALLOWANCE: Allowance = { max: 10, shared: 'with this name or key' }
const NETWORK_ALLOWANCE: Allowance = { max: 100, shared: 'from this address' }

/** Holds the names of the counters of one login attempt: hashes, as an address or a login name may be long. */
export type LoginAttempt = {
  /** Names the counter of an address with a login name. */
  readonly pair: string
  /** Names the counter of a network, for any login name. */
  readonly network: string
}

/**
 * Returns the network of an address: of an IPv6 address the /64, which usually has one owner; an IPv4 address as it is.
 */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [withoutZone = ''] = address.split('%', 1)
  const { hostname } = new URL(`http://[${withoutZone}]`)
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/** Returns the counters of an attempt. It normalizes the login name as the lookup does. */
export const attemptOf = (address: string, login: string): LoginAttempt => ({
  pair: hash(address, nameForm(login)),
  network: hash(networkOf(address)),
})

/** Throttles attempts to guess credentials. */
export type LoginThrottle = {
  /** Throws if a pair of login name and address has to wait, even with valid credentials. */
  readonly requireUnthrottled: (attempt: LoginAttempt) => Promise<void>
  /** Runs the lookups of a pair one after the other, each after the one before was counted. */
  readonly inTurn: <T>(attempt: LoginAttempt, look: () => Promise<T>) => Promise<T>
  /**
   * Counts wrong credentials; throws if the pair or its network is now over the limit. Only wrong credentials count for
   * a network, so a throttled network never keeps out valid ones.
   */
  readonly noteWrong: (attempt: LoginAttempt) => Promise<void>
}

const throttledError = (waitMs: Millis, { max, shared }: Allowance): KpiError => {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `more than ${max} wrong credentials a minute ${shared}; try again in ${seconds} s`
  return new KpiError('rate_limited', message, { retryAfter: seconds })
}

/** Returns the times of a counter that lie in the window, and how long it has to wait. */
const judge = (
  times: readonly Millis[],
  { max }: Allowance,
  now: Millis,
): { recent: readonly Millis[]; waitMs: Millis } => {
  const recent = times.filter((at) => at > now - WINDOW_MS)
  const deciding = recent.at(-max)
  return { recent, waitMs: deciding === undefined ? 0 : deciding + WINDOW_MS - now }
}

/** Deletes expired counters, and returns how many are left. */
const deleteExpired = async (tx: Writer, { pairs, lastAt }: ThrottleState): Promise<number> =>
  pairs - (await refusedLogins.forget(tx, lastAt - WINDOW_MS, DELETED_PER_LOGIN))

const makeRoom = async (tx: Writer, head: ThrottleState, maxCounters: number): Promise<void> => {
  const pairs = await deleteExpired(tx, head)
  const dropped = pairs > maxCounters ? await refusedLogins.forget(tx, head.lastAt, pairs - maxCounters) : 0
  await refusedLogins.save(tx, { ...head, pairs: pairs - dropped })
}

/** Holds the outcome of counting a wrong login at one counter; `added` is 1 if the counter is new. */
type CountOutcome = { readonly waitMs: Millis; readonly added: number }

/** Counts a wrong login, unless the counter is full; marks the counter as just used in any case. */
const countWrong = async (tx: Writer, counter: string, allowance: Allowance, now: Millis): Promise<CountOutcome> => {
  const { recent, waitMs } = judge(await refusedLogins.timesOf(tx, counter), allowance, now)
  const times = waitMs > 0 ? recent : [...recent, now]
  return { waitMs, added: Number(await refusedLogins.keep(tx, counter, times, now)) }
}

/**
 * Counts a wrong login for its pair and its network, and returns the refusal, if any. It counts for the pair even if
 * the network is throttled: otherwise an attacker could fill the network's counter, and then try one login name without
 * end.
 */
const countAttempt = async (
  tx: Writer,
  { pair, network }: LoginAttempt,
  { now }: LimitStore,
  maxCounters: number,
): Promise<KpiError | undefined> => {
  const before = await refusedLogins.lock(tx)
  const head = { ...before, ...monotonicTime(before, await now(tx)) }
  const ofPair = await countWrong(tx, pair, PAIR_ALLOWANCE, head.lastAt)
  if (ofPair.waitMs > 0) return throttledError(ofPair.waitMs, PAIR_ALLOWANCE)
  const ofNetwork = await countWrong(tx, network, NETWORK_ALLOWANCE, head.lastAt)
  await makeRoom(tx, { ...head, pairs: head.pairs + ofPair.added + ofNetwork.added }, maxCounters)
  return ofNetwork.waitMs > 0 ? throttledError(ofNetwork.waitMs, NETWORK_ALLOWANCE) : undefined
}

/**
 * Creates a login throttle, shared by all processes that use the store. After ten wrong credentials in a minute from
 * one pair of login name and address, its credentials are not looked up. After a hundred from one network, further
 * wrong ones from there are refused as `rate_limited`.
 */
export const createLoginThrottle = (store: LimitStore, maxCounters = MAX_COUNTERS): LoginThrottle => {
  const { db, now } = store
  const counting = createKeyedSemaphore(MAX_CONCURRENT_COUNTS)
  const pairs = createKeyedSemaphore<string>(1)
  const noteSetBack = (): Promise<void> =>
    db.write(async (tx) => {
      const head = await refusedLogins.lock(tx)
      await refusedLogins.save(tx, { ...head, ...monotonicTime(head, await now(tx)) })
    })
  // Caches pairs without a wait. Only wrong logins change that, and they change the stamp.
  const free = createVersionedCache<true>(db)
  return {
    requireUnthrottled: async ({ pair }) => {
      if (free.find(pair)) return
      const stamp = db.stamp()
      const { waitMs, isSetBack } = await db.read(async (tx) => {
        const times = await refusedLogins.timesOf(tx, pair)
        // With few wrong logins, skip reading the clock, so that valid credentials need not wait for it.
        if (times.length < PAIR_ALLOWANCE.max) {
          free.keep(pair, true, stamp)
          return { waitMs: 0, isSetBack: false }
        }
        const head = await refusedLogins.head(tx)
        const clock = monotonicTime(head, await now(tx))
        return { waitMs: judge(times, PAIR_ALLOWANCE, clock.lastAt).waitMs, isSetBack: clock.shift !== head.shift }
      })
      if (isSetBack) await noteSetBack()
      if (waitMs > 0) throw throttledError(waitMs, PAIR_ALLOWANCE)
    },
    inTurn: ({ pair }, look) => pairs(pair, look),
    noteWrong: async (attempt) => {
      const count = () => db.write((tx) => countAttempt(tx, attempt, store, maxCounters))
      const refusal = await counting(SHARED_KEY, count)
      if (refusal) throw refusal
    },
  }
}
