import {
  becomeBucket,
  compareWithSliding,
  fillBucket,
  isShortWait,
  judgeKind,
  MAX_MISTAKES,
  passTrial,
  SECONDS_MS,
  settleKind,
} from './kinds.ts'
import type { RateLimitInfo } from './rate-limit-headers.ts'
import {
  countRequests,
  initialState,
  LONGEST_WAIT_MS,
  MINUTE_MS,
  noteRequest,
  type LimitState,
  countInFlight,
} from './state.ts'
import { isMeasuring, bucketLevel, reserveOf, countUsed } from './wait-time.ts'

/** Raises a measured rate by 5 % after ten times its measuring time without a refusal. */
const RAISE_AFTER = 10
const RAISE_FACTOR = 1.05
/** Adds one request to a measurement: the bucket may have refilled by one while the refusal travelled. */
const MISSED_REQUESTS = 1
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
const LONGEST_GUARD_MS = 1000
/** Sets the shortest wait to believe. */
const SHORTEST_WAIT_MS = 500

/** Takes over the limit and window that the service states. */
const adopt = (state: LimitState, { limit, windowMs }: RateLimitInfo): void => {
  if (limit === undefined) return
  state.capacity = state.capacity === state.limit ? limit : state.capacity
  state.limit = limit
  state.isTold = true
  state.windowMs = windowMs ?? state.windowMs
}

/** Raises the rate on trial, when it is time: a bucket that never empties shows nothing of its rate. */
const raise = (state: LimitState, now: number): void => {
  const lastedMs = state.raiseAt - state.emptyAt
  if (state.rate === null || state.isTold || now < state.raiseAt || lastedMs <= 0) return
  state.rate *= RAISE_FACTOR
  state.raiseAt = now + lastedMs
  state.emptyAt = now
  state.passed = 0
}

/** Notes a request that is sent. */
export const noteSent = (state: LimitState, name: string, now: number): void => {
  state.pending[name] = now
  if (state.kind === 'trial') state.tried += 1
  if (state.kind === 'bucket') {
    raise(state, now)
    if (isMeasuring(state)) state.tried += 1
    state.level = Math.max(-reserveOf(state), bucketLevel(state, now) - 1)
    state.levelAt = now
  }
}

const endPending = (state: LimitState, name: string, now: number): number => {
  const sentAt = Math.min(now, state.pending[name] ?? now)
  delete state.pending[name]
  return sentAt
}

/** Notes a request whose answer was lost. It may count at the service, so it counts here. */
export const noteLost = (state: LimitState, name: string, now: number): void => {
  endPending(state, name, now)
  noteRequest(state, state.foreign, now)
  if (state.kind === 'trial') state.tried = Math.max(state.passed, state.tried - 1)
}

/** Sets after how many answers that do not state it a limit that the service stated is forgotten: some answers lack it. */
const FORGET_AFTER = 3

/** Forgets a limit that the service stated once and does not any more, as one that is served without a limit now. */
const forgetUntold = (state: LimitState, { limit, remaining }: RateLimitInfo): void => {
  state.untold = state.isTold && limit === undefined && remaining === undefined ? state.untold + 1 : 0
  if (state.untold < FORGET_AFTER) return
  const { log, pending, accepted, leadMs, guardMs } = state
  Object.assign(state, { ...initialState(), log, pending, accepted, leadMs, guardMs })
}

/** Sets below how many requests a minute an estimate is doubtful: services allow 200, which a few clients share. */
const DOUBTFUL_RATE = 10
/** Sets how many times shorter a doubtful estimate holds. */
const DOUBTFUL_SHARE = 30

/** Returns how many times shorter an estimate holds, as it is so low that the refusals it is from rather had other reasons. */
const shareHeld = ({ kind, rate, limit, windowMs }: LimitState): number => {
  const allowed = (kind === 'bucket' ? rate : limit) ?? Infinity
  return (allowed / windowMs) * MINUTE_MS < DOUBTFUL_RATE ? DOUBTFUL_SHARE : 1
}

/**
 * Forgets an estimated limit that has held for long, so that it is found out again: the refusals that it was estimated
 * from may have had other reasons. The next estimate holds twice as long.
 */
export const forgetEstimate = (state: LimitState, now: number): void => {
  const { limit, isTold, forgetAt, heldMs, log, foreign, pending, leadMs, guardMs, notBefore, pauses, judgedAt } = state
  if (limit === null || isTold || now < forgetAt - heldMs * (1 - 1 / shareHeld(state))) return
  const next = Math.min(LONGEST_WAIT_MS, heldMs * 2)
  const kept = { log, foreign, pending, leadMs, guardMs, notBefore, pauses, judgedAt }
  Object.assign(state, { ...initialState(), ...kept, heldMs: next })
}

/** Notes a request that the rate limit accepted, whatever else its answer says. */
export const noteAccepted = (state: LimitState, name: string, now: number, info: RateLimitInfo): void => {
  const sentAt = endPending(state, name, now)
  state.accepted += 1
  state.pauses = 0
  state.leadMs = Math.min(state.leadMs ?? Infinity, now - sentAt)
  adopt(state, info)
  forgetUntold(state, info)
  noteRequest(state, state.log, now)
  const remaining = state.isMiscounted ? undefined : info.remaining
  if (sentAt >= state.judgedAt && state.kind === 'trial') return passTrial(state, sentAt, now, remaining)
  if (state.kind === 'bucket') {
    state.passed += 1
    if (remaining !== undefined) fillBucket(state, sentAt, now, remaining)
    return
  }
  if (state.kind === 'fixed' || state.kind === 'sliding') state.passed += 1
  if (remaining === undefined || state.limit === null) return
  compareWithSliding(state, sentAt, now, remaining)
  if (state.kind === 'unknown' && remaining === 0 && info.resetMs !== undefined)
    judgeKind(state, now, now + info.resetMs)
}

/**
 * Notes that the limit is used up. If the service states its limit, other clients used the rest. If not, our own use
 * is the new estimate; but if that is far below the old one, the assumed window is wrong.
 */
const noteUsedUp = (state: LimitState, now: number): void => {
  const used = countUsed(state, now)
  if (!state.isTold && state.kind === 'fixed' && used - countInFlight(state) < (state.limit ?? 0) / 2)
    state.mistakes += 1
  else if (!state.isTold) state.limit = Math.max(1, used - countInFlight(state))
  else if (used < (state.limit ?? 0)) noteRequest(state, state.foreign, now, (state.limit ?? 0) - used)
}

const refusedBucket = (state: LimitState, now: number): void => {
  const tookMs = now - state.emptyAt
  if (state.passed < 10 && state.isTold) state.mistakes += 1
  if (!state.isTold && state.passed > 0 && tookMs > 0) {
    const lastedMs = state.rate === null ? 0 : state.raiseAt - state.emptyAt
    state.rate = Math.min(state.rate ?? Infinity, ((state.passed + MISSED_REQUESTS) / tookMs) * state.windowMs)
    state.raiseAt = now + Math.max(RAISE_AFTER * tookMs, lastedMs)
  }
  ;[state.level, state.levelAt, state.emptyAt, state.passed, state.tried] = [-reserveOf(state), now, now, 0, 0]
  state.judgedAt = now
  if (state.mistakes >= MAX_MISTAKES) settleKind(state, 'sliding', now)
}

/** Learns from a refusal that says how long to wait. */
const learn = (state: LimitState, now: number, wait: number): void => {
  const { kind, windowMs, isTold } = state
  const roomAt = now + wait
  const own = countRequests(state.log, now - windowMs)
  const isNext = isShortWait(state, wait)
  if (kind === 'unknown' && isNext && (!isTold || own < (state.limit ?? 0) * 0.9)) {
    becomeBucket(state, now, 0, own)
  } else if (kind === 'trial' && isNext) {
    becomeBucket(state, now, 0, state.limit ?? 1)
  } else if (kind === 'bucket' && (isNext || wait < SECONDS_MS * 2)) {
    refusedBucket(state, now)
  } else if (kind === 'sliding') {
    state.judgedAt = now
    if (isNext) state.guardMs = Math.min(LONGEST_GUARD_MS, state.guardMs * 2)
    else {
      noteUsedUp(state, now)
      state.passed = 0
    }
  } else if (kind === 'fixed') {
    const off = Math.abs(roomAt - state.boundary) % windowMs
    state.judgedAt = now
    noteUsedUp(state, now)
    state.boundary = roomAt
    if (Math.min(off, windowMs - off) > SECONDS_MS) state.mistakes += 1
    if (state.mistakes >= MAX_MISTAKES) settleKind(state, 'sliding', now)
  } else {
    if (kind !== 'unknown') state.mistakes += 1
    else noteUsedUp(state, now)
    judgeKind(state, now, roomAt)
  }
}

/** Learns from a refusal that does not say how long to wait. */
const refusedSilently = (state: LimitState, now: number): void => {
  const { kind, isTold, limit, mistakes, windowMs } = state
  const own = countRequests(state.log, now - windowMs)
  if (kind === 'bucket' && (state.rate !== null || isTold)) refusedBucket(state, now)
  else if (isTold && mistakes < MAX_MISTAKES && own < (limit ?? 0) * 0.9) becomeBucket(state, now, 0, own)
  else {
    if (kind === 'sliding') noteUsedUp(state, now)
    settleKind(state, 'sliding', now)
  }
}

/**
 * Returns the wait that a refusal asks for, in milliseconds; undefined if it is near zero, or as short as an earlier
 * one that proved too short.
 */
const believableWait = (state: LimitState, waitMs: number | undefined): number | undefined => {
  if (waitMs === undefined || waitMs < SHORTEST_WAIT_MS) return undefined
  if (state.kind === 'trial' && !state.isTold && state.pauses > 1) return undefined
  return state.pauses > (state.isTold ? 2 : 1) && isShortWait(state, waitMs) ? undefined : waitMs
}

/** Notes a request that the rate limit refused. */
export const noteRefused = (state: LimitState, name: string, now: number, info: RateLimitInfo): void => {
  const sentAt = endPending(state, name, now)
  const isNews = sentAt >= state.judgedAt
  adopt(state, info)
  // Count refusals of requests that were already in flight as part of the first refusal.
  if (state.pauses === 0 || sentAt >= state.notBefore) state.pauses += 1
  const wait = believableWait(state, info.refusal?.waitMs)
  const doublings = Math.max(0, state.pauses - (wait === undefined ? 1 : 2))
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** doublings)
  const least = wait === undefined || state.pauses > 1 ? pause : 0
  state.notBefore = Math.max(state.notBefore, now + Math.min(LONGEST_WAIT_MS, Math.max(wait ?? 0, least)))
  if (!isNews) return
  if ((info.remaining ?? 0) > 0) state.isMiscounted = true
  if (state.limit === null) state.forgetAt = now + state.heldMs
  state.limit ??= countRequests(state.log, now - state.windowMs) || null
  if (state.limit === null) state.judgedAt = now
  else if (wait !== undefined) learn(state, now, Math.min(LONGEST_WAIT_MS, wait))
  else refusedSilently(state, now)
}
