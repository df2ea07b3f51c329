import { type Pace, underWay } from './state.ts'
import { firstLeaves, rateOf, slidingWait, SPARE, usedOf } from './wait.ts'

/** What is told in whole seconds may be so much later than it is. */
export const SECONDS_MS = 1500
/** In shorter windows, kinds cannot be told apart by whole seconds. */
const SHORTEST_WINDOW_MS = 10_000
/** After so many mistakes the service is taken for one of sliding windows, by which no other has more requests than it takes. */
export const MOST_MISTAKES = 4

/** Whether a wait is as short as that for the next request into an empty bucket. */
export const isShort = (pace: Pace, wait: number): boolean =>
  wait <= Math.max(1000, Math.ceil(2 / rateOf(pace) / 1000) * 1000)

export const settle = (pace: Pace, kind: Pace['kind'], now: number): void => {
  pace.kind = kind
  pace.judgedAt = now
  pace.tried = 0
  pace.passed = 0
}

/** Takes the windows for fixed, as sure as if all that may be under way had passed already: the service itself counts so. */
export const becomeFixed = (pace: Pace, now: number): void => {
  settle(pace, 'fixed', now)
  pace.passed = pace.limit ?? 0
}

export const becomeBucket = (pace: Pace, now: number, level: number, capacity: number): void => {
  settle(pace, 'bucket', now)
  pace.level = level
  pace.levelAt = now
  pace.capacity = Math.max(1, capacity)
  pace.rate = null
  pace.emptyAt = now
}

/** Tries whether at a moment there is room for more than a bucket of that level would have. */
const tryAt = (pace: Pace, now: number, start: number, level: number): void => {
  settle(pace, 'trial', now)
  pace.boundary = start
  pace.level = level
  pace.levelAt = start
}

/** Takes it that there is room again at a moment, which tells of windows that slide only if what was sent leaves then. */
export const judge = (pace: Pace, now: number, roomAt: number): void => {
  const isSliding = roomAt >= now + firstLeaves(pace, now) - SECONDS_MS
  if (isSliding || pace.mistakes >= MOST_MISTAKES) settle(pace, 'sliding', now)
  else tryAt(pace, now, roomAt, isShort(pace, roomAt - now) ? rateOf(pace) * (roomAt - now) : 0)
}

/**
 * Where all room is used up and nothing was told of when there will be more, one request goes early, at a moment at which
 * a bucket would take it; what is said of it tells the kinds apart.
 */
export const probe = (pace: Pace, now: number): void => {
  if (pace.kind !== 'unknown' || pace.limit === null || underWay(pace) > 0) return
  const wait = slidingWait(pace, now)
  if (wait === 0) return
  const first = pace.log[0]?.[0] ?? now
  const level = pace.limit - usedOf(pace, now) + rateOf(pace) * (now - first)
  const start = now + Math.max(0, (SPARE - level) / rateOf(pace))
  const isWorthIt = pace.windowMs >= SHORTEST_WINDOW_MS && start < now + wait - SECONDS_MS
  if (isWorthIt && pace.mistakes < MOST_MISTAKES) tryAt(pace, now, start, Math.max(SPARE, level))
  else settle(pace, 'sliding', now)
}
