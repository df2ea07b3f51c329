import { countRequests, noteRequest, type LimitState, countUnderWay } from './state.ts'
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

/** Sets how much later a time in whole seconds may be than it says. */
export const SECONDS_MS = 1500
/** Sets the shortest window in which kinds can be told apart by whole seconds. */
const SHORTEST_WINDOW_MS = 10_000
/** Bounds the mistakes after which the service is taken for a sliding window, which never sends too many. */
export const MOST_MISTAKES = 4

/** Tells whether a wait is as short as that for the next request into an empty bucket. */
export const isShortWait = (state: LimitState, wait: number): boolean =>
  wait <= Math.max(1000, Math.ceil(2 / ratePerMs(state) / 1000) * 1000)

export const settleKind = (state: LimitState, kind: LimitState['kind'], now: number): void => {
  state.kind = kind
  state.judgedAt = now
  state.tried = 0
  state.passed = 0
}

/** Takes the windows for fixed, as surely as if all requests under way had passed: the service itself counts so. */
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

/** Tries whether at a moment there is room for more than a bucket of that level would have. */
const tryAt = (state: LimitState, now: number, start: number, level: number): void => {
  settleKind(state, 'trial', now)
  state.boundary = start
  state.level = level
  state.levelAt = start
}

/** Takes it that there is room again at a moment, which tells of windows that slide only if what was sent leaves then. */
export const judgeKind = (state: LimitState, now: number, roomAt: number): void => {
  const isSliding = roomAt >= now + firstLeaves(state, now) - SECONDS_MS
  if (isSliding || state.mistakes >= MOST_MISTAKES) settleKind(state, 'sliding', now)
  else tryAt(state, now, roomAt, isShortWait(state, roomAt - now) ? ratePerMs(state) * (roomAt - now) : 0)
}

/**
 * Sends one request early, where all room is used and nothing tells when there will be more: at a moment at which a
 * bucket would accept it, so that the answer tells the kinds apart.
 */
export const probeKind = (state: LimitState, now: number): void => {
  if (state.kind !== 'unknown' || state.limit === null || countUnderWay(state) > 0) return
  const wait = slidingWait(state, now)
  if (wait === 0) return
  const first = state.log[0]?.[0] ?? now
  const level = state.limit - countUsed(state, now) + ratePerMs(state) * (now - first)
  const start = now + Math.max(0, (SPARE - level) / ratePerMs(state))
  const isWorthIt = state.windowMs >= SHORTEST_WINDOW_MS && start < now + wait - SECONDS_MS
  if (isWorthIt && state.mistakes < MOST_MISTAKES) tryAt(state, now, start, Math.max(SPARE, level))
  else settleKind(state, 'sliding', now)
}

/** Counts requests of others by how many the service says are used, where that is beyond doubt. */
const countOthers = (state: LimitState, now: number, used: number, ownAtLeast: number): void => {
  const after = countedAfter(state, now)
  const ownAtMost = countRequests(state.log, after) + countUnderWay(state)
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

/** Returns the answer after which so many requests were answered: all before it have left the window. */
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
 * Takes over the level that a service tells of its bucket, as far as it is certain: requests sent or answered meanwhile
 * may be counted or not.
 */
export const fillBucket = (state: LimitState, sentAt: number, now: number, remaining: number): void => {
  const sinceThen = countRequests(state.log, sentAt) - 1 + countUnderWay(state)
  const atMost = remaining + ratePerMs(state) * (now - sentAt)
  state.level = Math.min(Math.max(bucketLevel(state, now), remaining - sinceThen), atMost)
  state.levelAt = now
}

/** Compares how many requests the service counts with those that it would count if its windows slid. */
export const compareWithBucket = (state: LimitState, sentAt: number, now: number, remaining: number): void => {
  const used = (state.limit ?? 0) - remaining
  // What is soon to leave does not count: a clock that was set may be off by as much.
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
