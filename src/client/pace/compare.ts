import { becomeBucket, becomeFixed, isShort, SECONDS_MS, settle } from './kind.ts'
import { countOf, note, type Pace, underWay } from './state.ts'
import { countedAfter, levelOf, rateOf, SPARE, trialLevel } from './wait.ts'

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
