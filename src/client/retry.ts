import { KpiError } from '../domain/errors.ts'
import { type Clock, type TransportRequest, Aborted, type Waiting } from './transport.ts'

/** Describes what retrying works with. */
type Retrying = {
  readonly clock: Clock
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  /** Takes notes on a service that is waited for. */
  readonly note: (text: string) => void
}

const MOST_TRIES = 5
/** Bounds how often a request that is still in progress is asked about. */
const MOST_ASKED = 60
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** Sets the longest wait before asking again, whatever the service asks for. */
const LONGEST_ASKED_MS = 300_000

/** Sets the share of requests that may be retried, besides a few, so that a dead service is not asked for ever. */
const REQUESTS_A_RETRY = 10
const FIRST_RETRIES = 10

/**
 * Tells whether a failed request may be sent again as it is: it changes nothing, was never sent, or has an
 * Idempotency-Key.
 */
export const isRetryable = (
  { method, idempotencyKey }: TransportRequest,
  failure: KpiError,
  tries: number,
): boolean => {
  const { code, mayBeDone, retryAfter } = failure
  // Our own service is still doing what the key names.
  if (code === 'conflict') return idempotencyKey !== undefined && retryAfter !== undefined && tries < MOST_ASKED
  if (tries >= MOST_TRIES) return false
  return method === 'GET' ? code === 'unavailable' || mayBeDone : code === 'unavailable' && !mayBeDone
}

/** Returns how long to wait before the next try: twice as long each time with jitter, or what the service asks for. */
export const backoff = ({ retryAfter = 0 }: KpiError, tries: number, chance: number): number => {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, tries - 1)) * (0.5 + chance / 2)
  return Math.max(wait, Math.min(LONGEST_ASKED_MS, retryAfter * 1000))
}

/** Sends, and tries again what may be tried again. */
export type Retry = {
  readonly send: <T>(sending: TransportRequest, send: () => Promise<T>) => Promise<T>
  /** Tells since when the service has been failing without a good answer in between. */
  readonly waiting: () => Waiting | undefined
}

const WORDS = { unreachable: 'service not reachable', failing: 'service failing' } as const

/** Returns the text for a service that is unavailable or fails, and when it is asked again. */
export const outageText = (reason: keyof typeof WORDS, leftMs: number): string =>
  `${WORDS[reason]}, trying again${leftMs > 0 ? ` in ${Math.ceil(leftMs / 1000)} s` : ''}`

/**
 * Creates the retry of failed requests, as long as not too many fail. A service that has never answered is not waited
 * for: its name is probably wrong.
 */
export const createRetry = ({ clock, signal, random, note }: Retrying): Retry => {
  let left = FIRST_RETRIES
  let hasAnswered = false
  let waits: Waiting | undefined
  let hasTold = false
  const noteFailure = ({ code, mayBeDone }: KpiError): void => {
    if (code !== 'unavailable' && !mayBeDone) return
    waits = { until: clock.now(), reason: code === 'unavailable' ? 'unreachable' : 'failing' }
  }
  /** Says it once, and of a single answer that was lost not at all. */
  const tellWait = (wait: number, isSure: boolean): void => {
    if (!waits) return
    waits = { ...waits, until: clock.now() + wait }
    if (isSure && !hasTold && (waits.reason === 'unreachable' || waits.reason === 'failing')) {
      hasTold = true
      note(outageText(waits.reason, wait))
    }
  }
  const pause = async (wait: number): Promise<void> => {
    await clock.sleep(wait, signal)
    if (signal.aborted) throw new Aborted('stopped while a request that failed waited to be sent again')
  }
  const sendPatiently: Retry['send'] = async (sending, send) => {
    left += 1 / REQUESTS_A_RETRY
    for (let tries = 1; ; tries += 1) {
      try {
        const received = await send()
        hasAnswered = true
        waits = undefined
        hasTold = false
        return received
      } catch (error) {
        if (!(error instanceof KpiError)) throw error
        noteFailure(error)
        if (!hasAnswered || left < 1 || !isRetryable(sending, error, tries)) throw error
        left -= 1
        const wait = backoff(error, tries, random())
        tellWait(wait, !error.mayBeDone || tries > 1)
        await pause(wait)
      }
    }
  }
  return { send: sendPatiently, waiting: () => waits }
}
