import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { KpiError } from '../../domain/errors.ts'
import type { Writer } from '../../store/db.ts'
import { createKeyedSemaphore } from '../../store/queue.ts'
import { type ThrottleState, type LimitStore, type Millis, refusedLogins } from '../../store/rate-limits/limits.ts'
import { createVersionedCache } from '../versioned-cache.ts'
import { monotonicTime } from './rate-limit.ts'

const WINDOW_MS = 60_000
/** Bounds the counters that are remembered; a new one replaces the oldest. */
const MOST_COUNTERS = 100_000
const FORGOTTEN_A_LOGIN = 100
/**
 * Sets how many wrong logins are counted at a time: each takes a connection of a database, and waits for the others.
 */
const COUNTED_AT_A_TIME = 2
const ALL = 0

/** Describes how many wrong credentials a minute a counter allows, and what they have in common. */
type Allowance = { readonly most: number; readonly shared: string }

const OF_PAIR: Allowance = { most: 10, shared: 'with this name or key' }
const OF_NETWORK: Allowance = { most: 100, shared: 'from this address' }

/** Names the counters of one login attempt by hashes, as an address or a login name may be long. */
export type LoginAttempt = {
  /** Counts the wrong credentials of an address and a login name. */
  readonly pair: string
  /** Names the counter of an address, whatever the login name. */
  readonly network: string
}

/**
 * Returns an IPv4 address as it is, and the first 64 bits of an IPv6 address: its owner has all addresses with them.
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

/** Names the counters of an attempt from an address with a login name, as logins are compared. */
export const attemptOf = (address: string, login: string): LoginAttempt => ({
  pair: hash(address, login.trim().toLowerCase()),
  network: hash(networkOf(address)),
})

/** Throttles attempts to guess credentials. */
export type LoginThrottle = {
  /** Refuses a pair of login name and address that has to wait, whatever its credentials are. */
  readonly requireUnthrottled: (attempt: LoginAttempt) => Promise<void>
  /** Looks at credentials of a pair once those before them have been looked at and counted. */
  readonly inTurn: <T>(attempt: LoginAttempt, look: () => Promise<T>) => Promise<T>
  /**
   * Counts wrong credentials; throws where the pair has to wait, as others came in between, or where the network has.
   * Good credentials are never counted, so a throttled network keeps nobody out who has them.
   */
  readonly noteWrong: (attempt: LoginAttempt) => Promise<void>
}

const heldFor = (waitMs: Millis, { most, shared }: Allowance): KpiError => {
  const seconds = Math.ceil(waitMs / 1000)
  const message = `more than ${most} wrong credentials a minute ${shared}; try again in ${seconds} s`
  return new KpiError('rate_limited', message, { retryAfter: seconds })
}

/** Returns those times of a counter that count, and how long it has to wait. */
const judge = (
  times: readonly Millis[],
  { most }: Allowance,
  now: Millis,
): { lately: readonly Millis[]; waitMs: Millis } => {
  const lately = times.filter((at) => at > now - WINDOW_MS)
  const deciding = lately.at(-most)
  return { lately, waitMs: deciding === undefined ? 0 : deciding + WINDOW_MS - now }
}

/** Forgets counters that need not wait any more, and answers how many are left. */
const forgetOld = async (tx: Writer, { pairs, lastAt }: ThrottleState): Promise<number> =>
  pairs - (await refusedLogins.forget(tx, lastAt - WINDOW_MS, FORGOTTEN_A_LOGIN))

const makeRoom = async (tx: Writer, head: ThrottleState, mostCounters: number): Promise<void> => {
  const pairs = await forgetOld(tx, head)
  const dropped = pairs > mostCounters ? await refusedLogins.forget(tx, head.lastAt, pairs - mostCounters) : 0
  await refusedLogins.save(tx, { ...head, pairs: pairs - dropped })
}

/** Describes what became of a wrong login at one of its counters; `added` is 1 where the counter is new. */
type Counted = { readonly waitMs: Millis; readonly added: number }

/** Counts a wrong login, unless the counter is full; a full one is kept as one that was used just now. */
const countWrong = async (tx: Writer, counter: string, allowance: Allowance, now: Millis): Promise<Counted> => {
  const { lately, waitMs } = judge(await refusedLogins.timesOf(tx, counter), allowance, now)
  const times = waitMs > 0 ? lately : [...lately, now]
  return { waitMs, added: Number(await refusedLogins.keep(tx, counter, times, now)) }
}

/**
 * Counts a wrong login for its pair and for its network, and returns why it is refused. The pair counts on while its
 * network has to wait: else whoever fills the network's counter could try one login name without end.
 */
const countAttempt = async (
  tx: Writer,
  { pair, network }: LoginAttempt,
  { now }: LimitStore,
  mostCounters: number,
): Promise<KpiError | undefined> => {
  const before = await refusedLogins.lock(tx)
  const head = { ...before, ...monotonicTime(before, await now(tx)) }
  const ofPair = await countWrong(tx, pair, OF_PAIR, head.lastAt)
  if (ofPair.waitMs > 0) return heldFor(ofPair.waitMs, OF_PAIR)
  const ofNetwork = await countWrong(tx, network, OF_NETWORK, head.lastAt)
  await makeRoom(tx, { ...head, pairs: head.pairs + ofPair.added + ofNetwork.added }, mostCounters)
  return ofNetwork.waitMs > 0 ? heldFor(ofNetwork.waitMs, OF_NETWORK) : undefined
}

/**
 * Creates a login throttle, shared by all processes that use the store: ten wrong credentials a minute for each pair of
 * login name and address, after which its credentials are not looked up, and a hundred for each network, after which
 * wrong ones from there have to wait.
 */
export const createLoginThrottle = (store: LimitStore, mostCounters = MOST_COUNTERS): LoginThrottle => {
  const { db, now } = store
  const counting = createKeyedSemaphore(COUNTED_AT_A_TIME)
  const pairs = createKeyedSemaphore<string>(1)
  const noteSetBack = (): Promise<void> =>
    db.write(async (tx) => {
      const head = await refusedLogins.lock(tx)
      await refusedLogins.save(tx, { ...head, ...monotonicTime(head, await now(tx)) })
    })
  // Pairs that were free when the store had this stamp: only who is refused changes that.
  const free = createVersionedCache<true>(db)
  return {
    requireUnthrottled: async ({ pair }) => {
      if (free.find(pair)) return
      const stamp = db.stamp()
      const { waitMs, isSetBack } = await db.read(async (tx) => {
        const times = await refusedLogins.timesOf(tx, pair)
        // Nobody whose credentials are right need wait for the clock to be read.
        if (times.length < OF_PAIR.most) {
          free.keep(pair, true, stamp)
          return { waitMs: 0, isSetBack: false }
        }
        const head = await refusedLogins.head(tx)
        const clock = monotonicTime(head, await now(tx))
        return { waitMs: judge(times, OF_PAIR, clock.lastAt).waitMs, isSetBack: clock.shift !== head.shift }
      })
      if (isSetBack) await noteSetBack()
      if (waitMs > 0) throw heldFor(waitMs, OF_PAIR)
    },
    inTurn: ({ pair }, look) => pairs(pair, look),
    noteWrong: async (attempt) => {
      const count = () => db.write((tx) => countAttempt(tx, attempt, store, mostCounters))
      const refusal = await counting(ALL, count)
      if (refusal) throw refusal
    },
  }
}
