import type { TextAnswer } from '../http/response.ts'
import { type Clock, type RateLimiter, Aborted, type Permit, type Usage, type Waiting } from '../transport.ts'
import { forgetEstimate, noteAccepted, noteLost, noteRefused, noteSent } from './estimate.ts'
import { probeKind } from './kinds.ts'
import { type RateLimitInfo, readRateLimitInfo } from './rate-limit-headers.ts'
import { dropOldRequests, initialState, LONGEST_WAIT_MS, MINUTE_MS, type LimitState, countInFlight } from './state.ts'
import { countUsed, waitTime } from './wait-time.ts'

/** Holds the state of a limit, for one limiter or for those of several processes. */
export type SharedState = {
  /** Reads and changes the state in one transaction. */
  readonly update: <T>(now: number, work: (state: LimitState) => T) => T
  /** Tells whether other processes may use it. */
  readonly isShared: () => boolean
  readonly close: () => void
}

/** Creates the state of a single limiter. */
export const localState = (state: LimitState = initialState()): SharedState => ({
  update: (now, work) => {
    dropOldRequests(state, now)
    return work(state)
  },
  isShared: () => false,
  close: () => undefined,
})

/** Limits the requests in any minute, as `--rate` asks, whatever the service allows. */
type Rate = {
  /** Returns the time until the next request may be sent. */
  readonly wait: (now: number) => number
  /** Notes a request that is sent. */
  readonly enter: () => void
  /** Notes an answer: the request counts for a minute from now. Until then, it counted without end. */
  readonly leave: (now: number) => void
}

/** Returns the time until a rate allows one more request, counting those of other processes. */
const sharedRateWait = (state: LimitState, rate: number | undefined, now: number): number => {
  if (rate === undefined) return 0
  const sent = state.log.filter(([at]) => at > now - MINUTE_MS)
  let excess = sent.reduce((sum, [, count]) => sum + count, countInFlight(state)) - rate
  if (excess < 0) return 0
  for (const [at, count] of sent) {
    excess -= count
    if (excess < 0) return at + MINUTE_MS - now + 1
  }
  return Infinity
}

const NONE: Rate = { wait: () => 0, enter: () => undefined, leave: () => undefined }

/** Creates a limit of requests a minute; without a rate, one that allows all. */
const createRate = (rate: number | undefined): Rate => {
  if (rate === undefined) return NONE
  let inFlight = 0
  const answered: number[] = []
  const dropOld = (now: number): void => {
    // After the clock was set back, treat future times as now.
    while ((answered[0] ?? Infinity) <= now - MINUTE_MS) answered.shift()
    for (let at = answered.length - 1; (answered[at] ?? 0) > now; at -= 1) answered[at] = now
  }
  return {
    wait: (now) => {
      dropOld(now)
      const excess = answered.length + inFlight - rate
      if (excess < 0) return 0
      const leaving = answered[excess]
      return leaving === undefined ? Infinity : leaving + MINUTE_MS - now + 1
    },
    enter: () => void (inFlight += 1),
    leave: (now) => {
      inFlight -= 1
      answered.push(now)
    },
  }
}

/** Describes what a rate limiter needs. */
export type LimiterOptions = {
  readonly clock: Clock
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Sets the most requests in a minute, if the user asks for fewer than the service allows. */
  readonly rate?: number | undefined
  readonly share?: SharedState
  /** Distinguishes this limiter from others that share the state; some letters. */
  readonly name: string
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  readonly note: (text: string) => void
}

/** Sets how often to read the state again while only answers to requests of other processes can make room. */
const SHORT_RECHECK_MS = 100
/**
 * Bounds the requests in flight by the number of connections: a request that waits for a connection would be sent
 * later than planned.
 */
const MAX_IN_FLIGHT = 10
/** Sets how often to read the shared state again during a wait. */
const RECHECK_MS = 1000
/** Spreads the waits of processes that share a limit, so that none is always first. */
const SPREAD_MS = 15
/** Sets the shortest wait that is worth a message. */
const LONG_WAIT_MS = 600_000

const stopped = (): Aborted => new Aborted('stopped while requests waited for their turn')

/** Holds the reason with which waits are aborted. */
const WOKEN = 'something happened'

/** Creates waits that end early when an answer may have made room. */
const createWaiting = ({ sleep }: Clock, signal: AbortSignal) => {
  let wake = new AbortController()
  signal.addEventListener('abort', () => wake.abort())
  return {
    wait: (milliseconds: number): Promise<void> => sleep(milliseconds, wake.signal),
    /** Waits until the next answer, however long that takes. */
    untilAnswer: (): Promise<void> =>
      new Promise((resolve) => wake.signal.addEventListener('abort', () => resolve(), { once: true })),
    wakeAll: (): void => {
      if (signal.aborted) return
      const woken = wake
      wake = new AbortController()
      // Pass a reason: without one, each abort would create an error with its stack.
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
  let [turns, inFlight, refused, waitedMs, hasNotedLong] = [0, 0, 0, 0, false]
  let waits: Waiting | undefined

  const setWaiting = (now: number, wait: number, isRated: boolean, { limit, windowMs }: LimitState): void => {
    const allowed = isRated
      ? { requests: limiting.rate ?? 1, windowMs: MINUTE_MS }
      : limit && { requests: limit, windowMs }
    const isLimited = wait > 0 && wait < Infinity
    waits = isLimited
      ? { until: now + wait, reason: isRated ? 'rate' : 'limit', ...(allowed && { allowed }) }
      : undefined
  }
  /** Enters and returns 0, or returns how long to wait. */
  const tryEnter = (turn: string): number => {
    const now = clock.now()
    if (inFlight >= MAX_IN_FLIGHT) return Infinity
    return share.update(now, (state) => {
      const rated = Math.max(rate.wait(now), sharedRateWait(state, limiting.rate, now))
      forgetEstimate(state, now)
      if (rated === 0) probeKind(state, now)
      const left = Math.max(rated, rated > 0 ? 0 : waitTime(state, now))
      setWaiting(now, left, rated > 0, state)
      if (left === 0) noteSent(state, turn, now)
      return left
    })
  }
  const noteLongWait = (wait: number): void => {
    if (wait < LONG_WAIT_MS || wait === Infinity || hasNotedLong) return
    hasNotedLong = true
    limiting.note(`the service asks to wait for ${Math.round(wait / 60_000)} minutes`)
  }
  const pause = async (wait: number): Promise<void> => {
    if (wait === Infinity && inFlight > 0) return waiting.untilAnswer()
    noteLongWait(wait)
    const spread = share.isShared() ? random() * SPREAD_MS : 0
    const [startedAt, isHeldUp] = [clock.uptime(), inFlight === 0]
    const longest = wait === Infinity ? SHORT_RECHECK_MS : share.isShared() ? RECHECK_MS : LONGEST_WAIT_MS
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
    inFlight += 1
    rate.enter()
  }
  const learnFrom = (turn: string, answer: TextAnswer | undefined): RateLimitInfo['refusal'] => {
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
    inFlight -= 1
    const refusal = learnFrom(turn, answer)
    if (refusal) refused += 1
    rate.leave(clock.now())
    waiting.wakeAll()
    return refusal !== undefined
  }
  const enter = async (): Promise<Permit> => {
    const turn = `${name}${(turns += 1)}`
    // Requests enter one after the other, in the order of their calls.
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
