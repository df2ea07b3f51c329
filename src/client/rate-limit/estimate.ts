import { becomeBucket, compare, fillTo, isShort, judge, MOST_MISTAKES, passTrial, SECONDS_MS, settle } from './kinds.ts'
import type { Told } from './rate-limit-headers.ts'
import { countOf, LONGEST_WAIT_MS, note, type Pace, underWay } from './state.ts'
import { isMeasuring, levelOf, spareOf, usedOf } from './wait-time.ts'

/**
 * Sets when a measured rate is taken for too low: after so many times as long without a refusal it is raised by as
 * much.
 */
const STRETCH = 10
const RAISE = 1.05
/**
 * Bounds the requests that a measurement may have missed, as a full bucket takes no more while a refusal is waited for.
 */
const MISSED = 1
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
const LONGEST_GUARD_MS = 1000
/** Sets the shortest wait that a service can mean. */
const SHORTEST_WAIT_MS = 500

/** Takes over what the service says of its limit. */
const adopt = (pace: Pace, { limit, windowMs }: Told): void => {
  if (limit === undefined) return
  pace.capacity = pace.capacity === pace.limit ? limit : pace.capacity
  pace.limit = limit
  pace.isTold = true
  pace.windowMs = windowMs ?? pace.windowMs
}

/** Tries whether a bucket fills faster than was measured: one that is always full tells nothing. */
const raise = (pace: Pace, now: number): void => {
  const lastedMs = pace.raiseAt - pace.emptyAt
  if (pace.rate === null || pace.isTold || now < pace.raiseAt || lastedMs <= 0) return
  pace.rate *= RAISE
  pace.raiseAt = now + lastedMs
  pace.emptyAt = now
  pace.passed = 0
}

/** Notes a request that is sent. */
export const send = (pace: Pace, name: string, now: number): void => {
  pace.pending[name] = now
  if (pace.kind === 'trial') pace.tried += 1
  if (pace.kind === 'bucket') {
    raise(pace, now)
    if (isMeasuring(pace)) pace.tried += 1
    pace.level = Math.max(-spareOf(pace), levelOf(pace, now) - 1)
    pace.levelAt = now
  }
}

const end = (pace: Pace, name: string, now: number): number => {
  const sentAt = Math.min(now, pace.pending[name] ?? now)
  delete pace.pending[name]
  return sentAt
}

/** Notes a request whose answer was lost: it may count or not. */
export const lose = (pace: Pace, name: string, now: number): void => {
  end(pace, name, now)
  note(pace, pace.foreign, now)
  if (pace.kind === 'trial') pace.tried = Math.max(pace.passed, pace.tried - 1)
}

/** Notes a request that was accepted, whatever the answer was otherwise. */
export const accept = (pace: Pace, name: string, now: number, told: Told): void => {
  const sentAt = end(pace, name, now)
  pace.accepted += 1
  pace.pauses = 0
  pace.leadMs = Math.min(pace.leadMs ?? Infinity, now - sentAt)
  adopt(pace, told)
  note(pace, pace.log, now)
  const remaining = pace.isMiscounted ? undefined : told.remaining
  if (sentAt >= pace.judgedAt && pace.kind === 'trial') return passTrial(pace, sentAt, now, remaining)
  if (pace.kind === 'bucket') {
    pace.passed += 1
    if (remaining !== undefined) fillTo(pace, sentAt, now, remaining)
    return
  }
  if (pace.kind === 'fixed' || pace.kind === 'sliding') pace.passed += 1
  if (remaining === undefined || pace.limit === null) return
  compare(pace, sentAt, now, remaining)
  if (pace.kind === 'unknown' && remaining === 0 && told.resetMs !== undefined) judge(pace, now, now + told.resetMs)
}

/**
 * Notes that all room is used, though not by us; where very little was used, the window is rather another one than was
 * thought.
 */
const fill = (pace: Pace, now: number): void => {
  const used = usedOf(pace, now)
  if (!pace.isTold && pace.kind === 'fixed' && used - underWay(pace) < (pace.limit ?? 0) / 2) pace.mistakes += 1
  else if (!pace.isTold) pace.limit = Math.max(1, used - underWay(pace))
  else if (used < (pace.limit ?? 0)) note(pace, pace.foreign, now, (pace.limit ?? 0) - used)
}

const refusedBucket = (pace: Pace, now: number): void => {
  const tookMs = now - pace.emptyAt
  if (pace.passed < 10 && pace.isTold) pace.mistakes += 1
  if (!pace.isTold && pace.passed > 0 && tookMs > 0) {
    const lastedMs = pace.rate === null ? 0 : pace.raiseAt - pace.emptyAt
    pace.rate = Math.min(pace.rate ?? Infinity, ((pace.passed + MISSED) / tookMs) * pace.windowMs)
    pace.raiseAt = now + Math.max(STRETCH * tookMs, lastedMs)
  }
  ;[pace.level, pace.levelAt, pace.emptyAt, pace.passed, pace.tried] = [-spareOf(pace), now, now, 0, 0]
  pace.judgedAt = now
  if (pace.mistakes >= MOST_MISTAKES) settle(pace, 'sliding', now)
}

/** Learns from a refusal that says when there will be room. */
const learn = (pace: Pace, now: number, wait: number): void => {
  const { kind, windowMs, isTold } = pace
  const roomAt = now + wait
  const own = countOf(pace.log, now - windowMs)
  const isNext = isShort(pace, wait)
  if (kind === 'unknown' && isNext && (!isTold || own < (pace.limit ?? 0) * 0.9)) {
    becomeBucket(pace, now, 0, own)
  } else if (kind === 'trial' && isNext) {
    becomeBucket(pace, now, 0, pace.limit ?? 1)
  } else if (kind === 'bucket' && (isNext || wait < SECONDS_MS * 2)) {
    refusedBucket(pace, now)
  } else if (kind === 'sliding') {
    pace.judgedAt = now
    if (isNext) pace.guardMs = Math.min(LONGEST_GUARD_MS, pace.guardMs * 2)
    else {
      fill(pace, now)
      pace.passed = 0
    }
  } else if (kind === 'fixed') {
    const off = Math.abs(roomAt - pace.boundary) % windowMs
    pace.judgedAt = now
    fill(pace, now)
    pace.boundary = roomAt
    if (Math.min(off, windowMs - off) > SECONDS_MS) pace.mistakes += 1
    if (pace.mistakes >= MOST_MISTAKES) settle(pace, 'sliding', now)
  } else {
    if (kind !== 'unknown') pace.mistakes += 1
    else fill(pace, now)
    judge(pace, now, roomAt)
  }
}

/** Learns from a refusal that does not say when there will be room. */
const refusedSilently = (pace: Pace, now: number): void => {
  const { kind, isTold, limit, mistakes, windowMs } = pace
  const own = countOf(pace.log, now - windowMs)
  if (kind === 'bucket' && (pace.rate !== null || isTold)) refusedBucket(pace, now)
  else if (isTold && mistakes < MOST_MISTAKES && own < (limit ?? 0) * 0.9) becomeBucket(pace, now, 0, own)
  else {
    if (kind === 'sliding') fill(pace, now)
    settle(pace, 'sliding', now)
  }
}

/**
 * Returns the wait that a refusal asks for, in milliseconds; undefined where that cannot be true: no time at all, or
 * one as short as an earlier one that was waited for and was too short.
 */
const believed = (pace: Pace, waitMs: number | undefined): number | undefined => {
  if (waitMs === undefined || waitMs < SHORTEST_WAIT_MS) return undefined
  if (pace.kind === 'trial' && !pace.isTold && pace.pauses > 1) return undefined
  return pace.pauses > (pace.isTold ? 2 : 1) && isShort(pace, waitMs) ? undefined : waitMs
}

/** Notes a request that was refused for the limit. */
export const refuse = (pace: Pace, name: string, now: number, told: Told): void => {
  const sentAt = end(pace, name, now)
  const isNews = sentAt >= pace.judgedAt
  adopt(pace, told)
  // Count refusals of what was under way at the first one as one with it.
  if (pace.pauses === 0 || sentAt >= pace.notBefore) pace.pauses += 1
  const wait = believed(pace, told.refusal?.waitMs)
  const doublings = Math.max(0, pace.pauses - (wait === undefined ? 1 : 2))
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** doublings)
  const least = wait === undefined || pace.pauses > 1 ? pause : 0
  pace.notBefore = Math.max(pace.notBefore, now + Math.min(LONGEST_WAIT_MS, Math.max(wait ?? 0, least)))
  if (!isNews) return
  if ((told.remaining ?? 0) > 0) pace.isMiscounted = true
  pace.limit ??= countOf(pace.log, now - pace.windowMs) || null
  if (pace.limit === null) pace.judgedAt = now
  else if (wait !== undefined) learn(pace, now, Math.min(LONGEST_WAIT_MS, wait))
  else refusedSilently(pace, now)
}
