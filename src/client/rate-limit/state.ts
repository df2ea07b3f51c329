/** Holds the number of requests at a time. */
export type SentRequests = [at: number, count: number]

/**
 * Names how a service counts: not known yet; sliding windows; fixed windows; a bucket that fills evenly; or on trial,
 * while the client finds out which.
 */
export type WindowKind = 'unknown' | 'sliding' | 'fixed' | 'bucket' | 'trial'

/** Describes what is known of a limit, and the requests that count. Processes share it as JSON. */
export type LimitState = {
  /** Holds the requests allowed in a window; null while unknown. */
  limit: number | null
  /** Tells whether the service states its limit; if not, the client estimates it. */
  isTold: boolean
  /** Counts the answers in a row that do not state it any more. */
  untold: number
  windowMs: number
  kind: WindowKind
  /** Holds when the kind was last judged; answers to requests sent before do not count for the next judgement. */
  judgedAt: number
  /** Counts wrong judgements of the kind. */
  mistakes: number
  /** Holds a time at which a fixed window began, or will begin. */
  boundary: number
  /** Holds the requests that a bucket would accept at `levelAt`, and the most that it holds. */
  level: number
  levelAt: number
  capacity: number
  /** Counts the requests sent and accepted in a trial, or since a bucket was found empty. */
  tried: number
  passed: number
  /** Holds a bucket's requests per window, if measured; when the measurement began; and when to raise it on trial. */
  rate: number | null
  emptyAt: number
  raiseAt: number
  /** Holds from when on an estimate is forgotten, and how long the next one holds. */
  forgetAt: number
  heldMs: number
  /** Forbids requests before this time. */
  notBefore: number
  /** Counts refusals in a row, except of requests that were in flight at the first. */
  pauses: number
  /** Lists accepted requests by the time of their answer. */
  log: SentRequests[]
  /** Lists other requests that count: those of other clients, and those whose answer was lost. */
  foreign: SentRequests[]
  /** Maps the names of requests in flight to when they were sent. */
  pending: Record<string, number>
  accepted: number
  /** Holds the shortest round trip; null before the first answer. */
  leadMs: number | null
  /** Tells that the remaining count is unreliable: the service refused a request although some remained. */
  isMiscounted: boolean
  /** Holds an addition to each wait, as the service's clock may differ from ours. */
  guardMs: number
}

/** Sets the window of `--rate`. The log reaches back so far even if the service's window is shorter. */
export const MINUTE_MS = 60_000
const WINDOW_MS = MINUTE_MS
const GUARD_MS = 5
/** Sets how long the first estimate of a limit holds. */
const HELD_MS = 30 * MINUTE_MS
/** Sets the age at which a request without an answer is given up; from then on it counts as sent at that time. */
const PENDING_MS = 30_000
/** Bounds how far in the future a noted time may be; a later one shows that the clock was set back. */
const AHEAD_MS = 2000
/** Sets the longest single wait, whatever a service asks for. */
export const LONGEST_WAIT_MS = 3_600_000

/** Returns the state before anything is known or sent. */
export const initialState = (): LimitState => ({
  limit: null,
  isTold: false,
  untold: 0,
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
  forgetAt: Infinity,
  heldMs: HELD_MS,
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

/** Returns how many requests are in flight. */
export const countInFlight = ({ pending }: LimitState): number => {
  let count = 0
  for (const _ in pending) count += 1
  return count
}

/**
 * Notes requests. If the limit is large or unknown, merges them into coarse time steps, so that the log stays small.
 */
export const noteRequest = (state: LimitState, sent: SentRequests[], now: number, count = 1): void => {
  const last = sent.at(-1)
  const step = state.limit === null || state.limit > 1000 ? state.windowMs / 1000 : 0
  const at = step > 0 ? Math.ceil(now / step) * step : now
  if (last && last[0] >= at) last[1] += count
  else sent.push([at, count])
}

const prune = (sent: SentRequests[], from: number, until: number): void => {
  while (sent.length > 0 && (sent[0]?.[0] ?? 0) < from) sent.shift()
  while (sent.length > 0 && (sent.at(-1)?.[0] ?? 0) > until) sent.pop()
}

/** Drops what no longer counts, and times in the future, which were noted before the clock was set back. */
export const dropOldRequests = (state: LimitState, now: number): void => {
  const until = now + AHEAD_MS
  prune(state.log, now - Math.max(MINUTE_MS, 2 * state.windowMs), until)
  prune(state.foreign, now - 2 * state.windowMs, until)
  for (const [name, at] of Object.entries(state.pending)) {
    if (at <= now - PENDING_MS || at > until) {
      delete state.pending[name]
      noteRequest(state, state.foreign, now)
      // Its answer will no longer count for the trial.
      if (state.kind === 'trial') state.tried = Math.max(state.passed, state.tried - 1)
    }
  }
  if (state.notBefore > now + LONGEST_WAIT_MS) state.notBefore = now
  if (state.levelAt > now + LONGEST_WAIT_MS) state.levelAt = now
  if (state.judgedAt > until) state.judgedAt = now
  if (state.forgetAt > now + LONGEST_WAIT_MS) state.forgetAt = now + state.heldMs
}
