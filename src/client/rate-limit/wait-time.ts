import { countOf, type Pace, type Sent, underWay } from './state.ts'

/** Says that only an answer to a request under way makes room. */
const UNTIL_ANSWERED = Infinity

/** Sets what the rounding of a clock may hide. */
const ROUNDING_MS = 2
/** Sets by how much a trial exceeds what a bucket would hold. */
export const SPARE = 2
/** Bounds what is left in a bucket whose rate is only measured. */
const MOST_SPARE = 5

/** Returns the requests that fit into a millisecond. */
export const rateOf = ({ limit, isTold, rate, windowMs }: Pace): number =>
  ((isTold ? limit : (rate ?? limit)) ?? 0) / windowMs

/** Returns the moment from which requests count. */
export const countedAfter = (pace: Pace, now: number): number => {
  const { kind, boundary, windowMs, leadMs, guardMs } = pace
  if (kind === 'fixed') return boundary + Math.floor((now - boundary) / windowMs) * windowMs - 1
  // A request was counted after it was sent and before it was answered, and the next is counted after it was sent: of the
  // time that an answer takes at least, nothing need be waited for.
  return now - windowMs + (leadMs ?? 0) - guardMs
}

/** Returns how many requests count now, including those under way. */
export const usedOf = (pace: Pace, now: number): number => {
  const after = countedAfter(pace, now)
  return countOf(pace.log, after) + countOf(pace.foreign, after) + underWay(pace)
}

const counted = (pace: Pace, now: number): Sent[] => {
  const after = countedAfter(pace, now)
  return [...pace.log, ...pace.foreign].filter(([at]) => at > after).sort(([a], [b]) => a - b)
}

/** Returns how long until so many requests have left a sliding window. */
const untilLeft = (pace: Pace, now: number, count: number): number => {
  let left = 0
  for (const [at, number] of counted(pace, now)) {
    left += number
    if (left >= count) return Math.max(1, at - countedAfter(pace, now))
  }
  return UNTIL_ANSWERED
}

/** Returns how long until a sliding window has room; 0 where it has. */
export const slidingWait = (pace: Pace, now: number): number => {
  const excess = usedOf(pace, now) - (pace.limit ?? Infinity)
  return excess < 0 ? 0 : untilLeft(pace, now, excess + 1)
}

/** Returns how long until the first request leaves a sliding window, whether there is room or not. */
export const firstLeaves = (pace: Pace, now: number): number => {
  const wait = slidingWait(pace, now)
  if (wait > 0 && wait < UNTIL_ANSWERED) return wait
  const first = untilLeft(pace, now, 1)
  return first === UNTIL_ANSWERED ? 0 : first
}

const fixedWait = (pace: Pace, now: number): number => {
  if (usedOf(pace, now) < (pace.limit ?? Infinity)) return 0
  return countedAfter(pace, now) + 1 + pace.windowMs - now + ROUNDING_MS
}

/** Returns the level of a bucket. */
export const levelOf = (pace: Pace, now: number): number =>
  Math.min(pace.capacity, pace.level + rateOf(pace) * Math.max(0, now - pace.levelAt))

/** Tells whether the rate of a bucket is being measured, by sending until one request is refused. */
export const isMeasuring = ({ isTold, rate }: Pace): boolean => !isTold && rate === null

/** Returns what is left in a bucket of unknown rate after a refusal, so that a small error is not refused soon. */
export const spareOf = ({ isTold, capacity }: Pace): number => (isTold ? 0 : Math.min(MOST_SPARE, capacity / 2))

const bucketWait = (pace: Pace, now: number): number => {
  // Few at a time, as all that are under way then are refused; more the longer none is.
  if (isMeasuring(pace)) return underWay(pace) <= 1 + pace.tried / 8 ? 0 : UNTIL_ANSWERED
  const level = levelOf(pace, now)
  return level >= 1 ? 0 : Math.ceil((1 - level) / rateOf(pace))
}

/** Returns the level that a trial would find in a bucket. */
export const trialLevel = (pace: Pace, now: number): number =>
  Math.floor(pace.level + rateOf(pace) * Math.max(0, now - pace.levelAt))

const trialWait = (pace: Pace, now: number): number => {
  if (now < pace.levelAt) return pace.levelAt - now
  if (pace.passed === 0) return pace.tried === 0 ? 0 : UNTIL_ANSWERED
  if (pace.tried < trialLevel(pace, now) + SPARE) return 0
  const missing = pace.tried - SPARE + 1 - pace.level
  return Math.max(1, pace.levelAt + missing / rateOf(pace) - now)
}

const WAITS: Readonly<Record<Pace['kind'], (pace: Pace, now: number) => number>> = {
  unknown: slidingWait,
  sliding: slidingWait,
  fixed: fixedWait,
  bucket: bucketWait,
  trial: trialWait,
}

/**
 * Returns how many requests may be under way: few while an unknown limit may be met, as all of them are refused then.
 */
const mostUnderWay = ({ limit, kind, accepted, passed, pauses, isTold }: Pace): number => {
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
export const waitOf = (pace: Pace, now: number): number => {
  if (pace.notBefore > now) return pace.notBefore - now
  if (underWay(pace) >= mostUnderWay(pace)) return UNTIL_ANSWERED
  return pace.limit === null ? 0 : WAITS[pace.kind](pace, now)
}
