import { KpiError } from '../domain/errors.ts'
import { mayPass } from './http/network-errors.ts'
import { type Clock, type TransportRequest, Aborted, type Waiting } from './transport.ts'

/** Describes what a retry needs. */
type RetryOptions = {
  readonly clock: Clock
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  /** Prints a message about a service that does not answer well. */
  readonly note: (text: string) => void
  /**
   * Returns until when a request is sent again to a service that is down since a moment; undefined where somebody waits
   * for the run, who is told at once.
   */
  readonly giveUpAt?: ((since: number) => number | undefined) | undefined
}

const MAX_TRIES = 5
/** Bounds the tries while the service still works on the same Idempotency-Key. */
const MAX_TRIES_IN_PROGRESS = 60
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** Sets the longest wait before the next try, even if the service asks for a longer one. */
const LONGEST_RETRY_AFTER_MS = 300_000

/** Sets the retry budget: ten, plus one for every ten requests. So a dead service does not get requests for ever. */
const REQUESTS_PER_RETRY = 10
const FIRST_RETRIES = 10

/**
 * Tells whether a failed request may be sent again as it is: it does the same once more, the service surely did not do it,
 * or the service is still doing it under its Idempotency-Key.
 */
export const isRetryable = (
  { method, idempotencyKey, isRepeatable = method !== 'POST' }: TransportRequest,
  failure: KpiError,
  tries: number,
): boolean => {
  const { code, mayBeDone, retryAfter } = failure
  // The bundled service is still working on an earlier request with this key.
  if (code === 'conflict')
    return idempotencyKey !== undefined && retryAfter !== undefined && tries < MAX_TRIES_IN_PROGRESS
  if (tries >= MAX_TRIES) return false
  return isRepeatable ? code === 'unavailable' || mayBeDone : code === 'unavailable' && !mayBeDone
}

/** Tells whether a service is down, which may pass: it answers with 5xx, or nothing answers there. */
const isOutage = ({ code, mayBeDone, cause }: KpiError): boolean =>
  (code === 'unavailable' || mayBeDone) && (cause === undefined || mayPass(cause))

/** Returns how long to wait before the next try: twice as long each time with jitter, or what the service asks for. */
export const backoff = ({ retryAfter = 0 }: KpiError, tries: number, chance: number): number => {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, tries - 1)) * (0.5 + chance / 2)
  return Math.max(wait, Math.min(LONGEST_RETRY_AFTER_MS, retryAfter * 1000))
}

/** Sends requests, and sends them again if they fail and may be repeated. */
export type Retry = {
  readonly send: <T>(sending: TransportRequest, send: () => Promise<T>) => Promise<T>
  /** Returns the outage that requests wait for; undefined after a good answer. */
  readonly waiting: () => Waiting | undefined
}

const OUTAGES = { unreachable: 'service not reachable', failing: 'service failing' } as const

/** Returns the message about an outage, with the time until the next try. */
export const outageText = (reason: keyof typeof OUTAGES, leftMs: number): string =>
  `${OUTAGES[reason]}, trying again${leftMs > 0 ? ` in ${Math.ceil(leftMs / 1000)} s` : ''}`

/**
 * Creates the retry of failed requests. A run for which somebody waits keeps to the retry budget, and does not wait for a
 * service that has never answered, whose name is probably wrong; any other waits for a service that is down.
 */
export const createRetry = ({ clock, signal, random, note, giveUpAt }: RetryOptions): Retry => {
  let left = FIRST_RETRIES
  let hasAnswered = false
  let waits: Waiting | undefined
  let hasReported = false
  const noteFailure = ({ code, mayBeDone }: KpiError): void => {
    if (code !== 'unavailable' && !mayBeDone) return
    waits = { until: clock.now(), reason: code === 'unavailable' ? 'unreachable' : 'failing' }
  }
  /** Reports an outage once; ignores a single lost answer. */
  const reportOutage = (wait: number, isSure: boolean): void => {
    if (!waits) return
    waits = { ...waits, until: clock.now() + wait }
    if (isSure && !hasReported && (waits.reason === 'unreachable' || waits.reason === 'failing')) {
      hasReported = true
      note(outageText(waits.reason, wait))
    }
  }
  const pause = async (wait: number): Promise<void> => {
    await clock.sleep(wait, signal)
    if (signal.aborted) throw new Aborted('stopped while a request that failed waited to be sent again')
  }
  const sendPatiently: Retry['send'] = async (sending, send) => {
    left += 1 / REQUESTS_PER_RETRY
    let since: number | undefined
    for (let tries = 1; ; tries += 1) {
      try {
        const received = await send()
        hasAnswered = true
        waits = undefined
        hasReported = false
        return received
      } catch (error) {
        if (!(error instanceof KpiError)) throw error
        noteFailure(error)
        const wait = backoff(error, tries, random())
        since ??= clock.now()
        const end = isOutage(error) && isRetryable(sending, error, 1) ? giveUpAt?.(since) : undefined
        if (end === undefined) {
          if (!hasAnswered || left < 1 || !isRetryable(sending, error, tries)) throw error
          left -= 1
        } else if (clock.now() + wait > end) throw error
        reportOutage(wait, !error.mayBeDone || tries > 1)
        await pause(wait)
      }
    }
  }
  return { send: sendPatiently, waiting: () => waits }
}
