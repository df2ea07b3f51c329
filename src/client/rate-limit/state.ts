/** Describes so many requests at a moment. */
export type SentRequests = [at: number, count: number]

/**
 * Names how a service counts: not known yet; sliding windows; fixed windows; a bucket that fills evenly; or a trial
 * that tells the latter two apart.
 */
export type WindowKind = 'unknown' | 'sliding' | 'fixed' | 'bucket' | 'trial'

/** Describes what is known of a limit, and the requests that count: plain values, as processes share them as JSON. */
export type LimitState = {
  /** Counts the requests in a window; null while that is not known. */
  limit: number | null
  /** Tells whether the service tells its limit, so that it need not be estimated. */
  isTold: boolean
  windowMs: number
  kind: WindowKind
  /** Says when the kind was last judged: answers to requests sent before are not used to judge it. */
  judgedAt: number
  /** Counts how often the kind was judged wrongly. */
  mistakes: number
  /** Holds a moment at which a fixed window began, or will begin. */
  boundary: number
  /** Counts the requests in a bucket at `levelAt`, and the most that it holds. */
  level: number
  levelAt: number
  capacity: number
  /** Counts the requests sent and accepted in a trial, or since a bucket was found empty. */
  tried: number
  passed: number
  /** Holds a bucket's requests a window, where it had to be estimated; and when to test whether it is more. */
  rate: number | null
  emptyAt: number
  raiseAt: number
  /** Forbids requests before this moment. */
  notBefore: number
  /** Counts refusals in a row, except of requests that were under way at the first. */
  pauses: number
  /** Lists accepted requests by the time of their answer. */
  log: SentRequests[]
  /** Counts what else is used: requests of others, and those whose answer was lost. */
  foreign: SentRequests[]
  /** Lists requests under way by their names, with when they were sent. */
  pending: Record<string, number>
  accepted: number
  /** Holds the shortest time that an answer took; null before the first. */
  leadMs: number | null
  /**
   * Tells that the service's count of used requests cannot be compared with its limit, as it refused with some left.
   */
  isMiscounted: boolean
  /** Holds what is waited in addition, as the service's clock is not ours. */
  guardMs: number
}

/** Sets the window of `--rate`: however short the service's window, the log reaches so far back. */
export const MINUTE_MS = 60_000
const WINDOW_MS = MINUTE_MS
const GUARD_MS = 5
/** Sets the age at which an unanswered request is taken for sent then. */
const PENDING_MS = 30_000
/** Bounds how far ahead a noted time may be: beyond it, a clock was set back since. */
const AHEAD_MS = 2000
/** Sets the longest single wait, whatever a service asks for. */
export const LONGEST_WAIT_MS = 3_600_000

/** Returns the state before anything is known or sent. */
export const initialState = (): LimitState => ({
  limit: null,
  isTold: false,
  windowMs: WINDOW_MS,
  kind: 'unknown',
  judgedAt: 0,
  mistakes: 0,
  boundary: 0,
  level: 0,
  levelAt: 0,
  capacity: 0,
  tried: 0,
  passed: 0,
  rate: null,
  emptyAt: 0,
  raiseAt: 0,
  notBefore: 0,
  pauses: 0,
  log: [],
  foreign: [],
  pending: {},
  accepted: 0,
  leadMs: null,
  isMiscounted: false,
  guardMs: GUARD_MS,
})

export const countRequests = (sent: readonly SentRequests[], after = -Infinity): number => {
  let count = 0
  for (let at = sent.length - 1; at >= 0; at -= 1) {
    const [moment, number] = sent[at] ?? [0, 0]
    if (moment <= after) break
    count += number
  }
  return count
}

/** Returns how many requests are under way. */
export const countUnderWay = ({ pending }: LimitState): number => {
  let count = 0
  for (const _ in pending) count += 1
  return count
}

/** Notes a request. Many are noted together, as if all had been sent with the last, so that the log stays small. */
export const noteRequest = (state: LimitState, sent: SentRequests[], now: number, count = 1): void => {
  const last = sent.at(-1)
  const grain = state.limit === null || state.limit > 1000 ? state.windowMs / 1000 : 0
  const at = grain > 0 ? Math.ceil(now / grain) * grain : now
  if (last && last[0] >= at) last[1] += count
  else sent.push([at, count])
}

const prune = (sent: SentRequests[], from: number, until: number): void => {
  while (sent.length > 0 && (sent[0]?.[0] ?? 0) < from) sent.shift()
  while (sent.length > 0 && (sent.at(-1)?.[0] ?? 0) > until) sent.pop()
}

/** Forgets what no longer counts, and what only a clock that was set back could have noted. */
export const forgetOldRequests = (state: LimitState, now: number): void => {
  const until = now + AHEAD_MS
  prune(state.log, now - Math.max(MINUTE_MS, 2 * state.windowMs), until)
  prune(state.foreign, now - 2 * state.windowMs, until)
  for (const [name, at] of Object.entries(state.pending)) {
    if (at <= now - PENDING_MS || at > until) {
      delete state.pending[name]
      noteRequest(state, state.foreign, now)
      // Its answer will not tell what was tried.
      if (state.kind === 'trial') state.tried = Math.max(state.passed, state.tried - 1)
    }
  }
  if (state.notBefore > now + LONGEST_WAIT_MS) state.notBefore = now
  if (state.levelAt > now + LONGEST_WAIT_MS) state.levelAt = now
  if (state.judgedAt > until) state.judgedAt = now
}
