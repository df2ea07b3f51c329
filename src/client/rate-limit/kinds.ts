import { countOf, note, type Pace, underWay } from './state.ts'
import { countedAfter, firstLeaves, levelOf, rateOf, slidingWait, SPARE, trialLevel, usedOf } from './wait-time.ts'

/** Sets how much later a time in whole seconds may be than it says. */
export const SECONDS_MS = 1500
/** Sets the shortest window in which kinds can be told apart by whole seconds. */
const SHORTEST_WINDOW_MS = 10_000
/** Bounds the mistakes after which the service is taken for a sliding window, which never sends too many. */
export const MOST_MISTAKES = 4

/** Tells whether a wait is as short as that for the next request into an empty bucket. */
export const isShort = (pace: Pace, wait: number): boolean =>
  wait <= Math.max(1000, Math.ceil(2 / rateOf(pace) / 1000) * 1000)

export const settle = (pace: Pace, kind: Pace['kind'], now: number): void => {
  pace.kind = kind
  pace.judgedAt = now
  pace.tried = 0
  pace.passed = 0
}

/** Takes the windows for fixed, as surely as if all requests under way had passed: the service itself counts so. */
const becomeFixed = (pace: Pace, now: number): void => {
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
 * Sends one request early, where all room is used and nothing tells when there will be more: at a moment at which a
 * bucket would accept it, so that the answer tells the kinds apart.
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

/** Returns the answer after which so many requests were answered: all before it have left the window. */
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
 * Takes over the level that a service tells of its bucket, as far as it is certain: requests sent or answered meanwhile
 * may be counted or not.
 */
export const fillTo = (pace: Pace, sentAt: number, now: number, remaining: number): void => {
  const sinceThen = countOf(pace.log, sentAt) - 1 + underWay(pace)
  const atMost = remaining + rateOf(pace) * (now - sentAt)
  pace.level = Math.min(Math.max(levelOf(pace, now), remaining - sinceThen), atMost)
  pace.levelAt = now
}

/** Compares how many requests the service counts with those that it would count if its windows slid. */
export const compare = (pace: Pace, sentAt: number, now: number, remaining: number): void => {
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

export const passTrial = (pace: Pace, sentAt: number, now: number, remaining: number | undefined): void => {
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
