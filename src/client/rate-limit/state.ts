/** So many requests at a moment. */
export type Sent = [at: number, count: number]

/**
 * How a service counts, as far as that is known: not yet; by sliding or by fixed windows; as a bucket that fills evenly; or
 * something is tried to tell the latter two apart.
 */
export type Kind = 'unknown' | 'sliding' | 'fixed' | 'bucket' | 'trial'

/** What is known of a limit, and of the requests that count: plain values, as processes share them as JSON. */
export type Pace = {
  /** The requests in a window; null while none is known. */
  limit: number | null
  /** Whether the service tells its limit, so that it need not be found out. */
  isTold: boolean
  windowMs: number
  kind: Kind
  /** When what is known of the kind was learned: answers to what was sent before are not asked about it. */
  judgedAt: number
  /** How often the kind was found to be wrong. */
  mistakes: number
  /** A moment at which a fixed window began, or will begin. */
  boundary: number
  /** How many requests a bucket held at `levelAt`, and the most that it holds. */
  level: number
  levelAt: number
  capacity: number
  /** Of a trial, or since a bucket was found empty: requests sent, and accepted. */
  tried: number
  passed: number
  /** A bucket's requests a window, where the service does not tell it; and when to try whether it is more. */
  rate: number | null
  emptyAt: number
  raiseAt: number
  /** No request goes before this. */
  notBefore: number
  /** Refusals in a row, but for those of requests that were under way at the first of them. */
  pauses: number
  /** Requests that were accepted, by the time of their answer. */
  log: Sent[]
  /** What counts besides: requests of others, and those whose answer was lost. */
  foreign: Sent[]
  /** Requests under way, by the names that whoever sent them gave them, and when that was. */
  pending: Record<string, number>
  accepted: number
  /** The shortest time that an answer took; null before the first. */
  leadMs: number | null
  /** Whether what the service calls used cannot be held against its limit, as it refused with some left. */
  isMiscounted: boolean
  /** What is waited in addition, as a service's clock is not ours. */
  guardMs: number
}

/** What a rate is said by: however short a window, the log reaches so far back. */
export const MINUTE_MS = 60_000
const WINDOW_MS = MINUTE_MS
const GUARD_MS = 5
/** What was not answered for so long is taken for sent then. */
const PENDING_MS = 30_000
/** Whatever a clock says that was set back: what is further ahead was not noted by it. */
const AHEAD_MS = 2000
/** No single wait is longer, whatever a service asks for. */
export const LONGEST_WAIT_MS = 3_600_000

/** Nothing is known, nothing was sent. */
export const freshPace = (): Pace => ({
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

export const countOf = (sent: readonly Sent[], after = -Infinity): number => {
  let count = 0
  for (let at = sent.length - 1; at >= 0; at -= 1) {
    const [moment, number] = sent[at] ?? [0, 0]
    if (moment <= after) break
    count += number
  }
  return count
}

/** How many are under way. */
export const underWay = ({ pending }: Pace): number => {
  let count = 0
  for (const _ in pending) count += 1
  return count
}

/** Notes a request. Many are noted together, as if they had all been sent with the last, so that the log stays small. */
export const note = (pace: Pace, sent: Sent[], now: number, count = 1): void => {
  const last = sent.at(-1)
  const grain = pace.limit === null || pace.limit > 1000 ? pace.windowMs / 1000 : 0
  const at = grain > 0 ? Math.ceil(now / grain) * grain : now
  if (last && last[0] >= at) last[1] += count
  else sent.push([at, count])
}

const prune = (sent: Sent[], from: number, until: number): void => {
  while (sent.length > 0 && (sent[0]?.[0] ?? 0) < from) sent.shift()
  while (sent.length > 0 && (sent.at(-1)?.[0] ?? 0) > until) sent.pop()
}

/** Forgets what no longer counts, and what only a clock that was set back could have noted. */
export const forget = (pace: Pace, now: number): void => {
  const until = now + AHEAD_MS
  prune(pace.log, now - Math.max(MINUTE_MS, 2 * pace.windowMs), until)
  prune(pace.foreign, now - 2 * pace.windowMs, until)
  for (const [name, at] of Object.entries(pace.pending)) {
    if (at <= now - PENDING_MS || at > until) {
      delete pace.pending[name]
      note(pace, pace.foreign, now)
      // Its answer will not tell what was tried.
      if (pace.kind === 'trial') pace.tried = Math.max(pace.passed, pace.tried - 1)
    }
  }
  if (pace.notBefore > now + LONGEST_WAIT_MS) pace.notBefore = now
  if (pace.levelAt > now + LONGEST_WAIT_MS) pace.levelAt = now
  if (pace.judgedAt > until) pace.judgedAt = now
}
