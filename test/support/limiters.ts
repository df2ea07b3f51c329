import type { TextAnswer } from '../../src/client/http/response.ts'
import type { Exchange, TextRequest } from '../../src/client/http/network-exchange.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What a limit came to for one request. Times are in milliseconds. */
export type Verdict = {
  readonly isAccepted: boolean
  /** What the headers call used, this request included where it was accepted. */
  readonly used: number
  readonly remaining: number
  /** Until one more would be accepted. */
  readonly waitMs: number
}

/** How a service counts requests. Times only grow. */
export type Limiter = {
  readonly limit: () => number
  readonly windowMs: number
  readonly setLimit: (limit: number) => void
  /** How long one more request would have to wait. */
  readonly waitMs: (at: number) => number
  /** Counts a request, where it is accepted. */
  readonly ask: (at: number) => Verdict
}

/** What all kinds share: `room` says how much is free at a moment, `take` counts a request, `wait` is asked without room. */
type Counting = {
  readonly room: (at: number, limit: number) => number
  readonly take: (at: number) => void
  readonly wait: (at: number, limit: number) => number
  /** What a whole allowance is, where that is not the limit. */
  readonly capacity?: number | undefined
}

const limiter = (first: number, windowMs: number, { room, take, wait, capacity }: Counting): Limiter => {
  let limit = first
  const waitMs = (at: number): number => (room(at, limit) >= 1 ? 0 : wait(at, limit))
  const ask = (at: number): Verdict => {
    const isAccepted = room(at, limit) >= 1
    if (isAccepted) take(at)
    const remaining = Math.max(0, Math.floor(room(at, limit)))
    return { isAccepted, used: (capacity ?? limit) - remaining, remaining, waitMs: waitMs(at) }
  }
  return { limit: () => limit, windowMs, setLimit: (next) => void (limit = next), waitMs, ask }
}

/** Never more than the limit in any stretch of the window's length, as our own service has it. */
export const slidingLimiter = (limit: number, windowMs = 60_000): Limiter => {
  const log: number[] = []
  const forget = (at: number): void => {
    while ((log[0] ?? Infinity) <= at - windowMs) log.shift()
  }
  return limiter(limit, windowMs, {
    room: (at, most) => {
      forget(at)
      return most - log.length
    },
    take: (at) => void log.push(at),
    wait: (at, most) => (log[log.length - most] ?? at) + windowMs - at,
  })
}

/** So many in each window; the first window ends after `phaseMs`. */
export const fixedLimiter = (limit: number, phaseMs: number, windowMs = 60_000): Limiter => {
  let [window, used] = [0, 0]
  const windowOf = (at: number): number => Math.floor((at - phaseMs) / windowMs) + 1
  return limiter(limit, windowMs, {
    room: (at, most) => {
      if (windowOf(at) > window) [window, used] = [windowOf(at), 0]
      return most - used
    },
    take: () => void (used += 1),
    wait: (at) => phaseMs + windowOf(at) * windowMs - at,
  })
}

/** A bucket that fills evenly with the limit's tokens a window, up to a capacity. */
export const bucketLimiter = (limit: number, capacity = limit, windowMs = 60_000): Limiter => {
  let [tokens, filledAt] = [capacity, 0]
  const fill = (at: number, most: number): number => {
    tokens = Math.min(capacity, tokens + ((at - filledAt) * most) / windowMs)
    filledAt = at
    // Of what a sum of fractions lacks of a token no time can be told.
    return tokens + 1e-9
  }
  return limiter(limit, windowMs, {
    capacity,
    room: fill,
    take: () => void (tokens -= 1),
    wait: (_at, most) => ((1 - tokens) * windowMs) / most,
  })
}

/** What a service tells of its limit. */
export type Telling = {
  /** Which headers stand on every answer: X-RateLimit-…, with or without how many are used, those of the IETF draft, none. */
  readonly headers: 'x' | 'x-limit' | 'draft' | 'both' | 'none'
  readonly status: 403 | 429
  /** How it says when to come back: rounded up to seconds, or down, half of that, as a date, not at all, or these words. */
  readonly retryAfter: 'seconds' | 'rounded down' | 'halved' | 'date' | 'none' | { readonly words: string }
}

/** As our own service tells it through the classic interface. */
export const CLASSIC_TELLING: Telling = { headers: 'both', status: 403, retryAfter: 'seconds' }

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)

const limitHeaders = ({ headers }: Telling, { limit, windowMs }: Limiter, verdict: Verdict): [string, string][] => {
  const { used, remaining, waitMs } = verdict
  const window = String(seconds(windowMs))
  return [
    ...(headers === 'x' || headers === 'x-limit' || headers === 'both'
      ? ([
          ['x-ratelimit-limit', String(limit())],
          ['x-ratelimit-duration', window],
          ...(headers === 'x-limit' ? [] : [['x-ratelimit-requests', String(used)]]),
        ] as [string, string][])
      : []),
    ...(headers === 'draft' || headers === 'both'
      ? ([
          ['ratelimit-policy', `"default";q=${limit()};w=${window}`],
          ['ratelimit', `"default";r=${remaining};t=${seconds(waitMs)}`],
        ] as [string, string][])
      : []),
  ]
}

const retryAfterOf = ({ retryAfter }: Telling, now: number, waitMs: number): string | undefined => {
  if (retryAfter === 'none') return undefined
  if (retryAfter === 'seconds') return String(seconds(waitMs))
  if (retryAfter === 'halved') return String(Math.ceil(waitMs / 2000))
  if (retryAfter === 'rounded down') return String(Math.floor(waitMs / 1000))
  return retryAfter === 'date' ? new Date(Math.ceil((now + waitMs) / 1000) * 1000).toUTCString() : retryAfter.words
}

/** The headers by which a service tells of its limit on an answer to a request that it has judged. */
export const headersOf = (telling: Telling, limiter: Limiter, verdict: Verdict, now: number): Map<string, string> => {
  const headers = new Map(limitHeaders(telling, limiter, verdict))
  const retryAfter = verdict.isAccepted ? undefined : retryAfterOf(telling, now, verdict.waitMs)
  if (retryAfter !== undefined) headers.set('retry-after', retryAfter)
  return headers
}

/** What a service in front of which a limit stands was asked. */
export type Tally = {
  accepted: number
  refused: number
  /** When the last request was accepted, since the clock's beginning. */
  lastAt: number
}

/** A service behind a limit, on a clock of its own that nobody sets. */
export type Limited = Exchange & { readonly tally: Tally; readonly limiter: Limiter }

export type LimitedBy = {
  readonly clock: VirtualClock
  readonly limiter: Limiter
  readonly telling: Telling
  /** How long a request is on its way there, and how long its answer is on its way back. */
  readonly wayMs: () => number
}

/** Puts a limit in front of a service, and a way there and back. */
export const behindLimit = (
  { clock, limiter, telling, wayMs }: LimitedBy,
  service: (request: TextRequest) => TextAnswer | Promise<TextAnswer>,
): Limited => {
  const tally: Tally = { accepted: 0, refused: 0, lastAt: 0 }
  const judge = async (request: TextRequest): Promise<TextAnswer> => {
    const verdict = limiter.ask(clock.elapsed())
    const headers = headersOf(telling, limiter, verdict, clock.now())
    const header = (name: string): string | undefined => headers.get(name)
    if (!verdict.isAccepted) {
      tally.refused += 1
      return { status: telling.status, header, body: '{"message":"too many requests"}' }
    }
    tally.accepted += 1
    tally.lastAt = clock.elapsed()
    const answer = await service(request)
    return { ...answer, header: (name) => header(name) ?? answer.header(name) }
  }
  const ask = async (request: TextRequest): Promise<TextAnswer> => {
    await clock.sleep(wayMs())
    const answer = await judge(request)
    await clock.sleep(wayMs())
    return answer
  }
  return { ask, close: () => Promise.resolve(), tally, limiter }
}
