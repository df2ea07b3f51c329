import type { TextAnswer } from '../http/response.ts'
import { type Clock, type RateLimiter, Aborted, type Permit, type Usage, type Waiting } from '../transport.ts'
import { noteAccepted, noteLost, noteRefused, noteSent } from './estimate.ts'
import { probeKind } from './kinds.ts'
import { type RateLimitInfo, readRateLimitInfo } from './rate-limit-headers.ts'
import {
  forgetOldRequests,
  initialState,
  LONGEST_WAIT_MS,
  MINUTE_MS,
  type LimitState,
  countUnderWay as allUnderWay,
} from './state.ts'
import { countUsed, waitTime } from './wait-time.ts'

/** Describes where the state of a limit is kept: for one limiter, or for those of several processes. */
export type SharedState = {
  /** Works on what is known, with nobody between. */
  readonly update: <T>(now: number, work: (state: LimitState) => T) => T
  /** Tells whether other processes may use it. */
  readonly isShared: () => boolean
  readonly close: () => void
}

/** Creates the state of a single limiter. */
export const localState = (state: LimitState = initialState()): SharedState => ({
  update: (now, work) => {
    forgetOldRequests(state, now)
    return work(state)
  },
  isShared: () => false,
  close: () => undefined,
})

/** Limits the rate on this side: at most so many requests in any minute. */
type Rate = {
  /** Returns how long until the next request may go. */
  readonly wait: (now: number) => number
  /** Notes a request that is sent. */
  readonly enter: () => void
  /** Notes an answer: the request counts from now on; until then it counted as sent at any moment. */
  readonly leave: (now: number) => void
}

/** Returns how long until so many requests a minute allow one more, counting those of other processes. */
const sharedRateWait = (state: LimitState, rate: number | undefined, now: number): number => {
  if (rate === undefined) return 0
  const sent = state.log.filter(([at]) => at > now - MINUTE_MS)
  let excess = sent.reduce((sum, [, count]) => sum + count, allUnderWay(state)) - rate
  if (excess < 0) return 0
  for (const [at, count] of sent) {
    excess -= count
    if (excess < 0) return at + MINUTE_MS - now + 1
  }
  return Infinity
}

const NONE: Rate = { wait: () => 0, enter: () => undefined, leave: () => undefined }

/** Creates a limit of so many requests a minute, or none where no rate is given. */
const createRate = (rate: number | undefined): Rate => {
  if (rate === undefined) return NONE
  let countUnderWay = 0
  const answered: number[] = []
  const forgetOldRequests = (now: number): void => {
    // Of a clock that was set back, nothing is known but that what is ahead is not so.
    while ((answered[0] ?? Infinity) <= now - MINUTE_MS) answered.shift()
    for (let at = answered.length - 1; (answered[at] ?? 0) > now; at -= 1) answered[at] = now
  }
  return {
    wait: (now) => {
      forgetOldRequests(now)
      const excess = answered.length + countUnderWay - rate
      if (excess < 0) return 0
      const leaving = answered[excess]
      return leaving === undefined ? Infinity : leaving + MINUTE_MS - now + 1
    },
    enter: () => void (countUnderWay += 1),
    leave: (now) => {
      countUnderWay -= 1
      answered.push(now)
    },
  }
}

/** Describes what a rate limiter works with. */
export type LimiterOptions = {
  readonly clock: Clock
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Sets the most requests in a minute, where that is less than the service allows. */
  readonly rate?: number | undefined
  readonly share?: SharedState
  /** Names this limiter among those that share the state; some letters. */
  readonly name: string
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  readonly note: (text: string) => void
}

/** Sets how often the state is read again while requests of others are under way, whose answers make room. */
const LOOK_SOON_MS = 100
/**
 * Bounds the requests under way by the number of connections: one that waits for a connection would go later than
 * planned.
 */
const MOST_UNDER_WAY = 10
/** Sets how often the shared state is read again. */
const LOOK_MS = 1000
/** Spreads the waits of those who share a limit, so that none is always first. */
const SPREAD_MS = 15
/** Sets the shortest wait that is worth a message. */
const LONG_WAIT_MS = 600_000

const stopped = (): Aborted => new Aborted('stopped while requests waited for their turn')

/** Says why a wait is ended. */
const WOKEN = 'something happened'

/** Waits that are ended early when something happened that may make room. */
const createWaiting = ({ sleep }: Clock, signal: AbortSignal) => {
  let wake = new AbortController()
  signal.addEventListener('abort', () => wake.abort())
  return {
    wait: (milliseconds: number): Promise<void> => sleep(milliseconds, wake.signal),
    /** Waits until something happens, however long that takes. */
    waitForNews: (): Promise<void> =>
      new Promise((resolve) => wake.signal.addEventListener('abort', () => resolve(), { once: true })),
    wakeAll: (): void => {
      if (signal.aborted) return
      const woken = wake
      wake = new AbortController()
      // Without a reason, an error with its stack would be made each time.
      woken.abort(WOKEN)
    },
  }
}

/** Creates a rate limiter, which learns the service's limit from its answers. */
export const createRateLimiter = (limiting: LimiterOptions): RateLimiter => {
  const { clock, signal, share = localState(), name, random } = limiting
  const rate = createRate(limiting.rate)
  const waiting = createWaiting(clock, signal)
  let line: Promise<unknown> = Promise.resolve()
  let [turns, isUnderWay, refused, waitedMs, hasToldLong] = [0, 0, 0, 0, false]
  let waits: Waiting | undefined

  const waitsFor = (now: number, wait: number, isRated: boolean, { limit, windowMs }: LimitState): void => {
    const allowed = isRated
      ? { requests: limiting.rate ?? 1, windowMs: MINUTE_MS }
      : limit && { requests: limit, windowMs }
    const isLimited = wait > 0 && wait < Infinity
    waits = isLimited
      ? { until: now + wait, reason: isRated ? 'rate' : 'limit', ...(allowed && { allowed }) }
      : undefined
  }
  /** Enters, or answers how long to wait. */
  const tryEnter = (turn: string): number => {
    const now = clock.now()
    if (isUnderWay >= MOST_UNDER_WAY) return Infinity
    return share.update(now, (state) => {
      const rated = Math.max(rate.wait(now), sharedRateWait(state, limiting.rate, now))
      if (rated === 0) probeKind(state, now)
      const left = Math.max(rated, rated > 0 ? 0 : waitTime(state, now))
      waitsFor(now, left, rated > 0, state)
      if (left === 0) noteSent(state, turn, now)
      return left
    })
  }
  const tellLong = (wait: number): void => {
    if (wait < LONG_WAIT_MS || wait === Infinity || hasToldLong) return
    hasToldLong = true
    limiting.note(`the service asks to wait for ${Math.round(wait / 60_000)} minutes`)
  }
  const pause = async (wait: number): Promise<void> => {
    if (wait === Infinity && isUnderWay > 0) return waiting.waitForNews()
    tellLong(wait)
    const spread = share.isShared() ? random() * SPREAD_MS : 0
    const [startedAt, isHeldUp] = [clock.uptime(), isUnderWay === 0]
    const longest = wait === Infinity ? LOOK_SOON_MS : share.isShared() ? LOOK_MS : LONGEST_WAIT_MS
    await waiting.wait(Math.min(wait, longest) + spread)
    if (isHeldUp) waitedMs += clock.uptime() - startedAt
  }
  const pass = async (turn: string): Promise<void> => {
    for (;;) {
      if (signal.aborted) throw stopped()
      const wait = tryEnter(turn)
      if (wait === 0) break
      await pause(wait)
    }
    isUnderWay += 1
    rate.enter()
  }
  const heard = (turn: string, answer: TextAnswer | undefined): RateLimitInfo['refusal'] => {
    const now = clock.now()
    if (!answer) {
      share.update(now, (state) => noteLost(state, turn, now))
      return undefined
    }
    const info = readRateLimitInfo(answer, now)
    share.update(now, (state) => (info.refusal ? noteRefused : noteAccepted)(state, turn, now, info))
    return info.refusal
  }
  const leave = (turn: string, answer: TextAnswer | undefined): boolean => {
    isUnderWay -= 1
    const refusal = heard(turn, answer)
    if (refusal) refused += 1
    rate.leave(clock.now())
    waiting.wakeAll()
    return refusal !== undefined
  }
  const enter = async (): Promise<Permit> => {
    const turn = `${name}${(turns += 1)}`
    // One after the other, in the order in which they came.
    const passing = line.then(() => pass(turn))
    line = passing.catch(() => undefined)
    await passing
    return { leave: (answer) => leave(turn, answer) }
  }
  const usage = (): Usage | undefined => {
    const now = clock.now()
    return share.update(now, (state) =>
      state.limit === null ? undefined : { used: countUsed(state, now), limit: state.limit, windowMs: state.windowMs },
    )
  }
  return { enter, traffic: () => ({ refused, waitedMs }), usage, waiting: () => waits, close: share.close }
}
