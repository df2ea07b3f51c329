import { countRequests, type LimitState, type SentRequests, countInFlight } from './state.ts'

/** Stands for a wait that only the answer to a request in flight ends. */
const UNTIL_ANSWERED = Infinity

/** Sets the clock tolerance. */
const ROUNDING_MS = 2
/** Sets how many requests beyond a bucket's level a trial sends. */
export const SPARE = 2
/** Bounds the reserve left in a bucket whose rate was only measured. */
const MAX_RESERVE = 5

/** Returns the requests that the limit allows per millisecond. */
export const ratePerMs = ({ limit, isTold, rate, windowMs }: LimitState): number =>
  ((isTold ? limit : (rate ?? limit)) ?? 0) / windowMs

/** Returns the time after which requests count. */
export const countedAfter = (state: LimitState, now: number): number => {
  const { kind, boundary, windowMs, leadMs, guardMs } = state
  if (kind === 'fixed') return boundary + Math.floor((now - boundary) / windowMs) * windowMs - 1
  // The log holds the times of answers. The service counts a request between its sending and its answer, so the
  // shortest
  // round trip can be subtracted from the wait.
  return now - windowMs + (leadMs ?? 0) - guardMs
}

/** Returns how many requests count now, including those in flight. */
export const countUsed = (state: LimitState, now: number): number => {
  const after = countedAfter(state, now)
  return countRequests(state.log, after) + countRequests(state.foreign, after) + countInFlight(state)
}

const counted = (state: LimitState, now: number): SentRequests[] => {
  const after = countedAfter(state, now)
  return [...state.log, ...state.foreign].filter(([at]) => at > after).sort(([a], [b]) => a - b)
}

/** Returns the time until `count` requests have left a sliding window. */
const untilLeft = (state: LimitState, now: number, count: number): number => {
  let left = 0
  for (const [at, number] of counted(state, now)) {
    left += number
    if (left >= count) return Math.max(1, at - countedAfter(state, now))
  }
  return UNTIL_ANSWERED
}

/** Returns the time until a sliding window has room; 0 if it has. */
export const slidingWait = (state: LimitState, now: number): number => {
  const excess = countUsed(state, now) - (state.limit ?? Infinity)
  return excess < 0 ? 0 : untilLeft(state, now, excess + 1)
}

/** Returns the time until the first request leaves a sliding window, even if there is room. */
export const firstLeaves = (state: LimitState, now: number): number => {
  const wait = slidingWait(state, now)
  if (wait > 0 && wait < UNTIL_ANSWERED) return wait
  const first = untilLeft(state, now, 1)
  return first === UNTIL_ANSWERED ? 0 : first
}

const fixedWait = (state: LimitState, now: number): number => {
  if (countUsed(state, now) < (state.limit ?? Infinity)) return 0
  return countedAfter(state, now) + 1 + state.windowMs - now + ROUNDING_MS
}

/** Returns the level of a bucket. */
export const bucketLevel = (state: LimitState, now: number): number =>
  Math.min(state.capacity, state.level + ratePerMs(state) * Math.max(0, now - state.levelAt))

/** Tells whether the rate of a bucket is being measured, by sending until one request is refused. */
export const isMeasuring = ({ isTold, rate }: LimitState): boolean => !isTold && rate === null

/** Returns the reserve left in a measured bucket, so that a small error does not soon lead to a refusal. */
export const reserveOf = ({ isTold, capacity }: LimitState): number =>
  isTold ? 0 : Math.min(MAX_RESERVE, capacity / 2)

const bucketWait = (state: LimitState, now: number): number => {
  // Send few at a time, as the bucket refuses all in flight when it is empty; send more the longer it refuses none.
  if (isMeasuring(state)) return countInFlight(state) <= 1 + state.tried / 8 ? 0 : UNTIL_ANSWERED
  const level = bucketLevel(state, now)
  return level >= 1 ? 0 : Math.ceil((1 - level) / ratePerMs(state))
}

/** Returns the level that a bucket would have by now in a trial. */
export const trialLevel = (state: LimitState, now: number): number =>
  Math.floor(state.level + ratePerMs(state) * Math.max(0, now - state.levelAt))

const trialWait = (state: LimitState, now: number): number => {
  if (now < state.levelAt) return state.levelAt - now
  if (state.passed === 0) return state.tried === 0 ? 0 : UNTIL_ANSWERED
  if (state.tried < trialLevel(state, now) + SPARE) return 0
  const missing = state.tried - SPARE + 1 - state.level
  return Math.max(1, state.levelAt + missing / ratePerMs(state) - now)
}

const WAITS: Readonly<Record<LimitState['kind'], (state: LimitState, now: number) => number>> = {
  unknown: slidingWait,
  sliding: slidingWait,
  fixed: fixedWait,
  bucket: bucketWait,
  trial: trialWait,
}

/**
 * Returns how many requests may be in flight: few while the limit is unknown, as the service refuses all in flight
 * when it is reached.
 */
const maxInFlight = ({ limit, kind, accepted, passed, pauses, isTold }: LimitState): number => {
  // Send one at a time after a wait that was too short, until one finds room.
  if (pauses > 1) return 1
  if (kind === 'fixed' || (kind === 'sliding' && !isTold))
    return passed >= (limit ?? 0) ? Infinity : 4 + Math.floor(passed / 50)
  if (kind !== 'unknown') return Infinity
  if (accepted === 0) return 1
  // The larger the limit, the smaller the share of the requests in flight.
  return limit === null ? 3 + Math.floor(accepted / 100) : 4 + Math.floor((accepted * Math.max(200, limit)) / 10_000)
}

/** Returns how long the next request has to wait; 0 if it may be sent. */
export const waitTime = (state: LimitState, now: number): number => {
  if (state.notBefore > now) return state.notBefore - now
  if (countInFlight(state) >= maxInFlight(state)) return UNTIL_ANSWERED
  return state.limit === null ? 0 : WAITS[state.kind](state, now)
}
