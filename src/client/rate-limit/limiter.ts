import type { TextAnswer } from '../http/response.ts'
import { type Clock, type Gate, Stopped, type Turn, type Usage, type Waiting } from '../transport.ts'
import { accept, lose, refuse, send } from './estimate.ts'
import { probe } from './kinds.ts'
import { type Told, toldBy } from './rate-limit-headers.ts'
import { forget, freshPace, LONGEST_WAIT_MS, MINUTE_MS, type Pace, underWay as allUnderWay } from './state.ts'
import { usedOf, waitOf } from './wait-time.ts'

/** Describes where the state of a limit is kept: for one limiter, or for those of several processes. */
export type Share = {
  /** Works on what is known, with nobody between. */
  readonly update: <T>(now: number, work: (pace: Pace) => T) => T
  /** Tells whether other processes may use it. */
  readonly isShared: () => boolean
  readonly close: () => void
}

/** Creates the state of a single limiter. */
export const loneShare = (pace: Pace = freshPace()): Share => ({
  update: (now, work) => {
    forget(pace, now)
    return work(pace)
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
const sharedRateWait = (pace: Pace, rate: number | undefined, now: number): number => {
  if (rate === undefined) return 0
  const sent = pace.log.filter(([at]) => at > now - MINUTE_MS)
  let excess = sent.reduce((sum, [, count]) => sum + count, allUnderWay(pace)) - rate
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
  let underWay = 0
  const answered: number[] = []
  const forget = (now: number): void => {
    // Of a clock that was set back, nothing is known but that what is ahead is not so.
    while ((answered[0] ?? Infinity) <= now - MINUTE_MS) answered.shift()
    for (let at = answered.length - 1; (answered[at] ?? 0) > now; at -= 1) answered[at] = now
  }
  return {
    wait: (now) => {
      forget(now)
      const excess = answered.length + underWay - rate
      if (excess < 0) return 0
      const leaving = answered[excess]
      return leaving === undefined ? Infinity : leaving + MINUTE_MS - now + 1
    },
    enter: () => void (underWay += 1),
    leave: (now) => {
      underWay -= 1
      answered.push(now)
    },
  }
}

/** Describes what a rate limiter works with. */
export type Pacing = {
  readonly clock: Clock
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Sets the most requests in a minute, where that is less than the service allows. */
  readonly rate?: number | undefined
  readonly share?: Share
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

const stopped = (): Stopped => new Stopped('stopped while requests waited for their turn')

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
export const createGate = (pacing: Pacing): Gate => {
  const { clock, signal, share = loneShare(), name, random } = pacing
  const rate = createRate(pacing.rate)
  const waiting = createWaiting(clock, signal)
  let line: Promise<unknown> = Promise.resolve()
  let [turns, isUnderWay, refused, waitedMs, hasToldLong] = [0, 0, 0, 0, false]
  let waits: Waiting | undefined

  const waitsFor = (now: number, wait: number, isRated: boolean, { limit, windowMs }: Pace): void => {
    const allowed = isRated
      ? { requests: pacing.rate ?? 1, windowMs: MINUTE_MS }
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
    return share.update(now, (pace) => {
      const rated = Math.max(rate.wait(now), sharedRateWait(pace, pacing.rate, now))
      if (rated === 0) probe(pace, now)
      const left = Math.max(rated, rated > 0 ? 0 : waitOf(pace, now))
      waitsFor(now, left, rated > 0, pace)
      if (left === 0) send(pace, turn, now)
      return left
    })
  }
  const tellLong = (wait: number): void => {
    if (wait < LONG_WAIT_MS || wait === Infinity || hasToldLong) return
    hasToldLong = true
    pacing.note(`the service asks to wait for ${Math.round(wait / 60_000)} minutes`)
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
  const heard = (turn: string, answer: TextAnswer | undefined): Told['refusal'] => {
    const now = clock.now()
    if (!answer) {
      share.update(now, (pace) => lose(pace, turn, now))
      return undefined
    }
    const told = toldBy(answer, now)
    share.update(now, (pace) => (told.refusal ? refuse : accept)(pace, turn, now, told))
    return told.refusal
  }
  const leave = (turn: string, answer: TextAnswer | undefined): boolean => {
    isUnderWay -= 1
    const refusal = heard(turn, answer)
    if (refusal) refused += 1
    rate.leave(clock.now())
    waiting.wakeAll()
    return refusal !== undefined
  }
  const enter = async (): Promise<Turn> => {
    const turn = `${name}${(turns += 1)}`
    // One after the other, in the order in which they came.
    const passing = line.then(() => pass(turn))
    line = passing.catch(() => undefined)
    await passing
    return { leave: (answer) => leave(turn, answer) }
  }
  const usage = (): Usage | undefined => {
    const now = clock.now()
    return share.update(now, (pace) =>
      pace.limit === null ? undefined : { used: usedOf(pace, now), limit: pace.limit, windowMs: pace.windowMs },
    )
  }
  return { enter, traffic: () => ({ refused, waitedMs }), usage, waiting: () => waits, close: share.close }
}
