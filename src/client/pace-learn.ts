import { countOf, LONGEST_WAIT_MS, note, type Pace, underWay } from './pace-state.ts'
import type { Told } from './pace-told.ts'
import {
  countedAfter,
  firstLeaves,
  isMeasuring,
  levelOf,
  rateOf,
  slidingWait,
  SPARE,
  spareOf,
  trialLevel,
  usedOf,
} from './pace-wait.ts'

/** What is told in whole seconds may be so much later than it is. */
const SECONDS_MS = 1500
/** In shorter windows, kinds cannot be told apart by whole seconds. */
const SHORTEST_WINDOW_MS = 10_000
/** After so many mistakes the service is taken for one of sliding windows, by which no other has more requests than it takes. */
const MOST_MISTAKES = 4
/** A rate that was measured is taken for too low if nothing is refused for so many times as long, and is raised by so much. */
const STRETCH = 10
const RAISE = 1.05
/** So many requests of a measure may have been missed, as a bucket that is full takes no more while a refusal is waited for. */
const MISSED = 1
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
const LONGEST_GUARD_MS = 1000

/** Whether a wait is as short as that for the next request into an empty bucket. */
const isShort = (pace: Pace, wait: number): boolean => wait <= Math.max(1000, Math.ceil(2 / rateOf(pace) / 1000) * 1000)

const settle = (pace: Pace, kind: Pace['kind'], now: number): void => {
  pace.kind = kind
  pace.judgedAt = now
  pace.tried = 0
  pace.passed = 0
}

/** Takes the windows for fixed, as sure as if all that may be under way had passed already: the service itself counts so. */
const becomeFixed = (pace: Pace, now: number): void => {
  settle(pace, 'fixed', now)
  pace.passed = pace.limit ?? 0
}

const becomeBucket = (pace: Pace, now: number, level: number, capacity: number): void => {
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
const judge = (pace: Pace, now: number, roomAt: number): void => {
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

/** Takes over what the service says of its limit. */
const adopt = (pace: Pace, { limit, windowMs }: Told): void => {
  if (limit === undefined) return
  pace.capacity = pace.capacity === pace.limit ? limit : pace.capacity
  pace.limit = limit
  pace.isTold = true
  pace.windowMs = windowMs ?? pace.windowMs
}

/** Counts requests of others by how many the service says are used, where that is beyond doubt. */
const countOthers = (pace: Pace, now: number, used: number, ownAtLeast: number): void => {
  const after = countedAfter(pace, now)
  const ownAtMost = countOf(pace.log, after) + underWay(pace)
  const known = countOf(pace.foreign, after)
  if (used - ownAtMost > known) note(pace, pace.foreign, now, used - ownAtMost - known)
  let excess = known - Math.max(0, used - ownAtLeast)
  while (excess > 0) {
    const first = pace.foreign.findIndex(([at]) => at > after)
    const sent = pace.foreign[first]
    if (!sent) break
    const gone = Math.min(excess, sent[1])
    sent[1] -= gone
    excess -= gone
    if (sent[1] === 0) pace.foreign.splice(first, 1)
  }
}

/** The answer after which so many requests were answered: before it, all were forgotten. */
const windowBefore = (pace: Pace, used: number): number => {
  let count = 0
  for (let at = pace.log.length - 1; at >= 0; at -= 1) {
    const [moment, number] = pace.log[at] ?? [0, 0]
    count += number
    if (count >= used) return moment
  }
  return 0
}

/**
 * Takes over what a bucket is said to hold, as far as that is beyond doubt: what was sent or answered in the meantime may
 * have been counted before or after.
 */
const fillTo = (pace: Pace, sentAt: number, now: number, remaining: number): void => {
  const sinceThen = countOf(pace.log, sentAt) - 1 + underWay(pace)
  const atMost = remaining + rateOf(pace) * (now - sentAt)
  pace.level = Math.min(Math.max(levelOf(pace, now), remaining - sinceThen), atMost)
  pace.levelAt = now
}

/** Compares how many requests the service counts with those that it would count if its windows slid. */
const compare = (pace: Pace, sentAt: number, now: number, remaining: number): void => {
  const used = (pace.limit ?? 0) - remaining
  // What is soon to leave does not count: a clock that was set may be off by as much.
  const margin = (pace.leadMs ?? 0) + Math.max(SECONDS_MS, pace.windowMs / 8)
  const after = pace.kind === 'fixed' ? countedAfter(pace, now) : now - pace.windowMs + margin
  const ownAtLeast = countOf(pace.log, after) - countOf(pace.log, sentAt) + 1
  const forgotten = ownAtLeast - used
  if (remaining > 0 && sentAt >= pace.judgedAt && forgotten > SPARE && pace.kind !== 'fixed') {
    if (used <= ownAtLeast / 2 && forgotten > 5) {
      becomeFixed(pace, now)
      pace.boundary = windowBefore(pace, used)
    } else if (pace.kind === 'unknown') {
      becomeBucket(pace, now, 0, pace.limit ?? 1)
      fillTo(pace, sentAt, now, remaining)
    }
  } else {
    countOthers(pace, now, used, remaining > 0 ? ownAtLeast : -Infinity)
  }
}

const passTrial = (pace: Pace, sentAt: number, now: number, remaining: number | undefined): void => {
  pace.passed += 1
  const limit = pace.limit ?? 1
  if (remaining === undefined) {
    if (pace.passed >= trialLevel(pace, now) + SPARE) settle(pace, 'fixed', now)
  } else if (remaining >= Math.max(SPARE + 1, limit / 2)) {
    becomeFixed(pace, now)
  } else if (isShort(pace, pace.boundary - pace.judgedAt)) {
    becomeBucket(pace, now, 0, limit)
    fillTo(pace, sentAt, now, remaining)
  } else {
    settle(pace, 'sliding', now)
  }
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

/** A request goes. */
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

/** A request whose answer was lost: it counts as well as not. */
export const lose = (pace: Pace, name: string, now: number): void => {
  end(pace, name, now)
  note(pace, pace.foreign, now)
  if (pace.kind === 'trial') pace.tried = Math.max(pace.passed, pace.tried - 1)
}

/** A request was accepted, whatever else was said to it. */
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
  if (pace.kind === 'fixed') pace.passed += 1
  if (remaining === undefined || pace.limit === null) return
  compare(pace, sentAt, now, remaining)
  if (pace.kind === 'unknown' && remaining === 0 && told.resetMs !== undefined) judge(pace, now, now + told.resetMs)
}

/** All room is used, though not by us. */
const fill = (pace: Pace, now: number): void => {
  const used = usedOf(pace, now)
  if (!pace.isTold) pace.limit = Math.max(1, used - underWay(pace))
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

/** What a refusal tells, that says when there will be room. */
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
    else fill(pace, now)
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

/** A request was refused for the limit. */
export const refuse = (pace: Pace, name: string, now: number, told: Told): void => {
  const sentAt = end(pace, name, now)
  const isNews = sentAt >= pace.judgedAt
  const wait = told.refusal?.waitMs
  adopt(pace, told)
  if (isNews && wait === undefined) pace.pauses += 1
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, pace.pauses - 1))
  pace.notBefore = Math.max(pace.notBefore, now + Math.min(LONGEST_WAIT_MS, wait ?? pause))
  if (!isNews) return
  if ((told.remaining ?? 0) > 0) pace.isMiscounted = true
  pace.limit ??= countOf(pace.log, now - pace.windowMs) || null
  if (pace.limit === null) pace.judgedAt = now
  else if (wait !== undefined) learn(pace, now, Math.min(LONGEST_WAIT_MS, wait))
  else if (pace.kind === 'bucket') refusedBucket(pace, now)
  else settle(pace, 'sliding', now)
}
