import { countRequests, noteRequest, type LimitState, countInFlight } from './state.ts'
import {
  countedAfter,
  firstLeaves,
  bucketLevel,
  ratePerMs,
  slidingWait,
  SPARE,
  trialLevel,
  countUsed,
} from './wait-time.ts'

/** Sets the tolerance for times that the service gives in whole seconds. */
export const SECONDS_MS = 1500
/** Sets the shortest window in which times in whole seconds tell the kinds apart. */
const SHORTEST_WINDOW_MS = 10_000
/** Bounds the wrong judgements; then a sliding window is assumed, which never sends too many requests. */
export const MAX_MISTAKES = 4

/** Tells whether a wait is as short as that for the next request in an empty bucket. */
export const isShortWait = (state: LimitState, wait: number): boolean =>
  wait <= Math.max(1000, Math.ceil(2 / ratePerMs(state) / 1000) * 1000)

export const settleKind = (state: LimitState, kind: LimitState['kind'], now: number): void => {
  state.kind = kind
  state.judgedAt = now
  state.tried = 0
  state.passed = 0
}

/** Assumes fixed windows, as certain: the service's own count shows them. */
const becomeFixed = (state: LimitState, now: number): void => {
  settleKind(state, 'fixed', now)
  state.passed = state.limit ?? 0
}

export const becomeBucket = (state: LimitState, now: number, level: number, capacity: number): void => {
  settleKind(state, 'bucket', now)
  state.level = level
  state.levelAt = now
  state.capacity = Math.max(1, capacity)
  state.rate = null
  state.emptyAt = now
}

/** Plans a trial: from `start` on, it sends slightly more requests than a bucket of this level would accept. */
const planTrial = (state: LimitState, now: number, start: number, level: number): void => {
  settleKind(state, 'trial', now)
  state.boundary = start
  state.level = level
  state.levelAt = start
}

/**
 * Judges the kind from the announced time of new room. In a sliding window, that is when the first request leaves it.
 */
export const judgeKind = (state: LimitState, now: number, roomAt: number): void => {
  const isSliding = roomAt >= now + firstLeaves(state, now) - SECONDS_MS
  if (isSliding || state.mistakes >= MAX_MISTAKES) settleKind(state, 'sliding', now)
  else planTrial(state, now, roomAt, isShortWait(state, roomAt - now) ? ratePerMs(state) * (roomAt - now) : 0)
}

/**
 * Plans a trial if the limit is used up and the kind is unknown: it begins when a bucket would accept a request, but a
 * sliding window would not yet. So its answer tells the kinds apart.
 */
export const probeKind = (state: LimitState, now: number): void => {
  if (state.kind !== 'unknown' || state.limit === null || countInFlight(state) > 0) return
  const wait = slidingWait(state, now)
  if (wait === 0) return
  const first = state.log[0]?.[0] ?? now
  const level = state.limit - countUsed(state, now) + ratePerMs(state) * (now - first)
  const start = now + Math.max(0, (SPARE - level) / ratePerMs(state))
  const isWorthIt = state.windowMs >= SHORTEST_WINDOW_MS && start < now + wait - SECONDS_MS
  if (isWorthIt && state.mistakes < MAX_MISTAKES) planTrial(state, now, start, Math.max(SPARE, level))
  else settleKind(state, 'sliding', now)
}

/** Counts other clients' requests, by the service's count of used ones, as far as certain. */
const countOthers = (state: LimitState, now: number, used: number, ownAtLeast: number): void => {
  const after = countedAfter(state, now)
  const ownAtMost = countRequests(state.log, after) + countInFlight(state)
  const known = countRequests(state.foreign, after)
  if (used - ownAtMost > known) noteRequest(state, state.foreign, now, used - ownAtMost - known)
  let excess = known - Math.max(0, used - ownAtLeast)
  while (excess > 0) {
    const first = state.foreign.findIndex(([at]) => at > after)
    const sent = state.foreign[first]
    if (!sent) break
    const gone = Math.min(excess, sent[1])
    sent[1] -= gone
    excess -= gone
    if (sent[1] === 0) state.foreign.splice(first, 1)
  }
}

/** Returns when the window must have begun: since then, `used` of our requests were answered. */
const windowBefore = (state: LimitState, used: number): number => {
  let count = 0
  for (let at = state.log.length - 1; at >= 0; at -= 1) {
    const [moment, number] = state.log[at] ?? [0, 0]
    count += number
    if (count >= used) return moment
  }
  return 0
}

/**
 * Takes over the level of the bucket that the service reports, within bounds: the level may or may not include
 * requests that were in flight.
 */
export const fillBucket = (state: LimitState, sentAt: number, now: number, remaining: number): void => {
  const sinceThen = countRequests(state.log, sentAt) - 1 + countInFlight(state)
  const atMost = remaining + ratePerMs(state) * (now - sentAt)
  state.level = Math.min(Math.max(bucketLevel(state, now), remaining - sinceThen), atMost)
  state.levelAt = now
}

/** Compares the requests that the service counts with those that it would count in a sliding window. */
export const compareWithSliding = (state: LimitState, sentAt: number, now: number, remaining: number): void => {
  const used = (state.limit ?? 0) - remaining
  // Ignore requests that leave the window soon: if a clock was changed, it may be off by as much.
  const margin = (state.leadMs ?? 0) + Math.max(SECONDS_MS, state.windowMs / 8)
  const after = state.kind === 'fixed' ? countedAfter(state, now) : now - state.windowMs + margin
  const ownAtLeast = countRequests(state.log, after) - countRequests(state.log, sentAt) + 1
  const forgotten = ownAtLeast - used
  if (remaining > 0 && sentAt >= state.judgedAt && forgotten > SPARE && state.kind !== 'fixed') {
    if (used <= ownAtLeast / 2 && forgotten > 5) {
      becomeFixed(state, now)
      state.boundary = windowBefore(state, used)
    } else if (state.kind === 'unknown') {
      becomeBucket(state, now, 0, state.limit ?? 1)
      fillBucket(state, sentAt, now, remaining)
    }
  } else {
    countOthers(state, now, used, remaining > 0 ? ownAtLeast : -Infinity)
  }
}

export const passTrial = (state: LimitState, sentAt: number, now: number, remaining: number | undefined): void => {
  state.passed += 1
  const limit = state.limit ?? 1
  if (remaining === undefined) {
    if (state.passed >= trialLevel(state, now) + SPARE) settleKind(state, 'fixed', now)
  } else if (remaining >= Math.max(SPARE + 1, limit / 2)) {
    becomeFixed(state, now)
  } else if (isShortWait(state, state.boundary - state.judgedAt)) {
    becomeBucket(state, now, 0, limit)
    fillBucket(state, sentAt, now, remaining)
  } else {
    settleKind(state, 'sliding', now)
  }
}
