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
const isOutage = ({ mayBeDone, cause }: KpiError): boolean => (cause === undefined ? mayBeDone : mayPass(cause))

/** Tells whether a service that nobody watches is waited for after a failure: it is down, or its limit is used up. */
export const isWaitedFor = (failure: KpiError): boolean => failure.code === 'rate_limited' || isOutage(failure)

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
  /**
   * Returns until when the run waits for a service that has failed since a moment, or since before: one outage is waited
   * for once, whatever is sent meanwhile. Undefined where somebody waits for the run.
   */
  readonly giveUpAt: (since: number) => number | undefined
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
  let downSince: number | undefined
  const giveUp: Retry['giveUpAt'] = (since) => giveUpAt?.(Math.min(since, downSince ?? since))
  /** Notes a failed request, whose refusals by the limit were waited for since it began. */
  const noteFailure = (failure: KpiError, begun: number): void => {
    const { code, mayBeDone } = failure
    const since = code === 'rate_limited' ? begun : clock.now()
    downSince = isWaitedFor(failure) ? (downSince ?? since) : undefined
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
  const pause = async (wait: number, mayBeDone: boolean): Promise<void> => {
    await clock.sleep(wait, signal)
    if (signal.aborted) throw new Aborted('stopped while a request that failed waited to be sent again', { mayBeDone })
  }
  const sendPatiently: Retry['send'] = async (sending, send) => {
    left += 1 / REQUESTS_PER_RETRY
    const begun = clock.now()
    let end: number | undefined
    let isLost = false
    for (let tries = 1; ; tries += 1) {
      try {
        const received = await send()
        hasAnswered = true
        waits = downSince = undefined
        hasReported = false
        return received
      } catch (error) {
        if (!(error instanceof KpiError)) throw error
        noteFailure(error, begun)
        const wait = backoff(error, tries, random())
        if (isOutage(error)) end ??= giveUp(clock.now())
        if (end === undefined || !isOutage(error) || !isRetryable(sending, error, 1)) {
          if (!hasAnswered || left < 1 || !isRetryable(sending, error, tries)) throw error
          left -= 1
        } else if (clock.now() + wait > end) throw error
        reportOutage(wait, !error.mayBeDone || tries > 1)
        isLost ||= error.mayBeDone && sending.method !== 'GET'
        await pause(wait, isLost)
      }
    }
  }
  return { send: sendPatiently, waiting: () => waits, giveUpAt: giveUp }
}
