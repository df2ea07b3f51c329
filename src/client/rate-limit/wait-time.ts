import { countRequests, type LimitState, type SentRequests, countUnderWay } from './state.ts'

/** Says that only an answer to a request under way makes room. */
const UNTIL_ANSWERED = Infinity

/** Sets what the rounding of a clock may hide. */
const ROUNDING_MS = 2
/** Sets by how much a trial exceeds what a bucket would hold. */
export const SPARE = 2
/** Bounds what is left in a bucket whose rate is only measured. */
const MOST_SPARE = 5

/** Returns the requests that fit into a millisecond. */
export const ratePerMs = ({ limit, isTold, rate, windowMs }: LimitState): number =>
  ((isTold ? limit : (rate ?? limit)) ?? 0) / windowMs

/** Returns the moment from which requests count. */
export const countedAfter = (state: LimitState, now: number): number => {
  const { kind, boundary, windowMs, leadMs, guardMs } = state
  if (kind === 'fixed') return boundary + Math.floor((now - boundary) / windowMs) * windowMs - 1
  // A request was counted after it was sent and before it was answered, and the next is counted after it was sent: of the
  // time that an answer takes at least, nothing need be waited for.
  return now - windowMs + (leadMs ?? 0) - guardMs
}

/** Returns how many requests count now, including those under way. */
export const countUsed = (state: LimitState, now: number): number => {
  const after = countedAfter(state, now)
  return countRequests(state.log, after) + countRequests(state.foreign, after) + countUnderWay(state)
}

const counted = (state: LimitState, now: number): SentRequests[] => {
  const after = countedAfter(state, now)
  return [...state.log, ...state.foreign].filter(([at]) => at > after).sort(([a], [b]) => a - b)
}

/** Returns how long until so many requests have left a sliding window. */
const untilLeft = (state: LimitState, now: number, count: number): number => {
  let left = 0
  for (const [at, number] of counted(state, now)) {
    left += number
    if (left >= count) return Math.max(1, at - countedAfter(state, now))
  }
  return UNTIL_ANSWERED
}

/** Returns how long until a sliding window has room; 0 where it has. */
export const slidingWait = (state: LimitState, now: number): number => {
  const excess = countUsed(state, now) - (state.limit ?? Infinity)
  return excess < 0 ? 0 : untilLeft(state, now, excess + 1)
}

/** Returns how long until the first request leaves a sliding window, whether there is room or not. */
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

/** Returns what is left in a bucket of unknown rate after a refusal, so that a small error is not refused soon. */
export const spareLevel = ({ isTold, capacity }: LimitState): number =>
  isTold ? 0 : Math.min(MOST_SPARE, capacity / 2)

const bucketWait = (state: LimitState, now: number): number => {
  // Few at a time, as all that are under way then are refused; more the longer none is.
  if (isMeasuring(state)) return countUnderWay(state) <= 1 + state.tried / 8 ? 0 : UNTIL_ANSWERED
  const level = bucketLevel(state, now)
  return level >= 1 ? 0 : Math.ceil((1 - level) / ratePerMs(state))
}

/** Returns the level that a trial would find in a bucket. */
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
 * Returns how many requests may be under way: few while an unknown limit may be met, as all of them are refused then.
 */
const mostUnderWay = ({ limit, kind, accepted, passed, pauses, isTold }: LimitState): number => {
  // Send one at a time after a wait that was too short, until one finds room.
  if (pauses > 1) return 1
  if (kind === 'fixed' || (kind === 'sliding' && !isTold))
    return passed >= (limit ?? 0) ? Infinity : 4 + Math.floor(passed / 50)
  if (kind !== 'unknown') return Infinity
  if (accepted === 0) return 1
  // The larger a limit, the more requests there are of which those are a small share.
  return limit === null ? 3 + Math.floor(accepted / 100) : 4 + Math.floor((accepted * Math.max(200, limit)) / 10_000)
}

/** Returns how long the next request has to wait; 0 where it may go. */
export const waitTime = (state: LimitState, now: number): number => {
  if (state.notBefore > now) return state.notBefore - now
  if (countUnderWay(state) >= mostUnderWay(state)) return UNTIL_ANSWERED
  return state.limit === null ? 0 : WAITS[state.kind](state, now)
}
