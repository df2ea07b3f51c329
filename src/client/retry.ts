import { isRefused, KpiError } from '../domain/errors.ts'
import { isOfNetwork, mayPass } from './http/network-errors.ts'
import { type Clock, type TransportRequest, Aborted, type Waiting } from './transport.ts'
import { asUnknown, withOutcome } from './unknown-outcome.ts'

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

/** Bounds the tries of a run that somebody waits for: of reads, and of what changes something. */
const MAX_TRIES = 5
const MAX_TRIES_CHANGING = 7
/** Bounds the tries while the service still works on the same Idempotency-Key. */
const MAX_TRIES_IN_PROGRESS = 60
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** Sets the longest wait before the next try, even if the service asks for a longer one. */
const LONGEST_RETRY_AFTER_MS = 300_000

/**
 * Bounds how long a request may be repeated under its Idempotency-Key: the service keeps a key for a day, and an hour
 * is left for delays on the way.
 */
export const RELIED_ON_MS = 23 * 3_600_000

/** Lists the pauses before each later look at a list, in milliseconds, because some lists lag. */
export const LATER_LOOKS: readonly number[] = [2_000, 6_000]

/** Sets how long before its deadline a run tries for the last time. */
const LAST_TRY_MS = 1000

/** Sets the retry budget: ten, plus one for every two requests. So a dead service does not get requests for ever. */
const REQUESTS_PER_RETRY = 2
const FIRST_RETRIES = 10

/** Returns a request in words, for people. */
export const requestName = ({ method, path }: Pick<TransportRequest, 'method' | 'path'>): string => `${method} ${path}`

/** Tells whether a request does the same if it is sent once more. */
const doesTheSame = ({ method, isRepeatable = method !== 'POST' }: TransportRequest): boolean =>
  typeof isRepeatable === 'function' ? isRepeatable() : isRepeatable

/** Tells whether the service is still at work on an earlier request with the same Idempotency-Key. */
const isBusy = ({ code, retryAfter }: KpiError): boolean => code === 'conflict' && retryAfter !== undefined

/**
 * Tells whether a failed request may be sent again as it is: it does the same once more, the service surely did not do it,
 * what it did can be found, or the service is still doing it under its Idempotency-Key.
 */
export const isRetryable = (sending: TransportRequest, failure: KpiError, tries: number): boolean => {
  const { method, idempotencyKey, findAnswer } = sending
  const { code, mayBeDone } = failure
  if (isBusy(failure)) return idempotencyKey !== undefined && tries < MAX_TRIES_IN_PROGRESS
  if (tries >= (method === 'GET' ? MAX_TRIES : MAX_TRIES_CHANGING)) return false
  return findAnswer || doesTheSame(sending) ? code === 'unavailable' || mayBeDone : code === 'unavailable' && !mayBeDone
}

/** Tells whether an error is a failure of a request, or the end of all. */
const isEnd = (error: unknown): boolean => error instanceof KpiError || error instanceof Aborted

/** Tells whether a service is down, which may pass: it answers with 5xx, or nothing answers there. */
const isOutage = ({ mayBeDone, cause }: KpiError): boolean => (cause === undefined ? mayBeDone : mayPass(cause))

/** Tells whether a service that nobody watches is waited for after a failure: it is down, or its limit is used up. */
export const isWaitedFor = (failure: KpiError): boolean => failure.code === 'rate_limited' || isOutage(failure)

/** Returns how long to wait before the next try: twice as long each time with jitter, or what the service asks for. */
export const backoff = (
  { retryAfter = 0 }: { readonly retryAfter?: number | undefined },
  tries: number,
  chance: number,
): number => {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, tries - 1)) * (0.5 + chance / 2)
  return Math.max(wait, Math.min(LONGEST_RETRY_AFTER_MS, retryAfter * 1000))
}

/** Sets how many numbers of 32 bits a key is made of. */
const KEY_NUMBERS = 4

const keyOf = (random: () => number): string =>
  Array.from({ length: KEY_NUMBERS }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')

/** Finds the answer to a request whose own was lost; undefined if it was not done. Throws if that cannot be told. */
type Find<T> = () => Promise<T | undefined>

/** Returns how long to wait before the next try, the last one just before the end; undefined where that was tried. */
export const waitUntil = (end: number, wait: number, now: number): number | undefined => {
  const room = end - LAST_TRY_MS - now
  return room > 0 ? Math.min(wait, room) : undefined
}

/** Sends requests, and sends them again if they fail and may be repeated. */
export type Retry = {
  /** Sends a request; `find` finds the answer to one whose own was lost, before it is sent again. */
  readonly send: <T>(sending: TransportRequest, send: () => Promise<T>, find?: Find<T>) => Promise<T>
  /** Makes an Idempotency-Key by chance. */
  readonly newKey: () => string
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
  /** Says what was tried in vain since the last good answer. */
  let inVain: string | undefined
  const giveUp: Retry['giveUpAt'] = (since) => giveUpAt?.(Math.min(since, downSince ?? since))
  /** Notes a failed request, whose refusals by the limit were waited for since it began. */
  const noteFailure = (failure: KpiError, begun: number): void => {
    const { code, mayBeDone, cause } = failure
    const since = code === 'rate_limited' ? begun : clock.now()
    downSince = isWaitedFor(failure) ? (downSince ?? since) : undefined
    if (code !== 'unavailable' && !mayBeDone) return
    waits = { until: clock.now(), reason: isOfNetwork(cause) ? 'unreachable' : 'failing' }
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
  /** Returns how long to wait before a failed request is sent again; undefined if it is not. */
  const nextWait = (
    sending: TransportRequest,
    error: KpiError,
    { tries, end, begun }: { readonly tries: number; readonly end: number | undefined; readonly begun: number },
  ): number | undefined => {
    const wait = backoff(error, tries, random())
    if (sending.idempotencyKey !== undefined && clock.now() + wait > begun + RELIED_ON_MS) return undefined
    if (end !== undefined && isOutage(error) && isRetryable(sending, error, 1)) {
      return waitUntil(end, wait, clock.now())
    }
    if (!isRetryable(sending, error, tries)) return undefined
    if (isBusy(error)) return wait
    if (!hasAnswered || left < 1) return undefined
    left -= 1
    return wait
  }
  /**
   * Finds the answer to a request whose own was lost; undefined if it was not done, or will be done once however often it
   * is sent. Throws the failure if that cannot be told.
   */
  const look = async <T>(sending: TransportRequest, find: Find<T>, lost: KpiError): Promise<T | undefined> => {
    for (const wait of [0, ...LATER_LOOKS]) {
      if (doesTheSame(sending)) return undefined
      if (wait > 0) await pause(wait, true)
      const found = await find().catch((error: unknown) => {
        if (doesTheSame(sending)) return undefined
        throw isEnd(error) ? lost : error
      })
      if (found !== undefined) return found
    }
    return undefined
  }
  /** Looks once more for what a request has done that is not sent again; throws its failure if that is nothing. */
  const end = async <T>(
    sending: TransportRequest,
    error: KpiError,
    lost: KpiError | undefined,
    find: Find<T> | undefined,
  ): Promise<T> => {
    if (!lost || (doesTheSame(sending) && isRefused(error))) throw error
    const unknown = withOutcome(error, !isRefused(error))
    if (!find || isBusy(error)) throw unknown
    /** Searches for good: that the service would not do it twice counts for nothing, as it is not sent again. */
    const search = async (): Promise<T | undefined> => {
      const found = doesTheSame(sending) ? undefined : await look(sending, find, unknown)
      return found ?? (doesTheSame(sending) ? find() : undefined)
    }
    const found = await search().catch((failure: unknown) => {
      throw isEnd(failure) ? unknown : failure
    })
    if (found !== undefined) return found
    throw withOutcome(error, false)
  }
  const sendAgain = async <T>(
    sending: TransportRequest,
    send: () => Promise<T>,
    find: Find<T> | undefined,
    onFailure: (failure: KpiError) => void,
  ): Promise<T> => {
    left += 1 / REQUESTS_PER_RETRY
    const begun = clock.now()
    let [giveUpBy, lost, isLost]: [number | undefined, KpiError | undefined, boolean] = [undefined, undefined, false]
    for (let tries = 1; ; tries += 1) {
      const found = lost && find && (await look(sending, find, lost))
      if (found !== undefined) return found
      try {
        const received = await send()
        hasAnswered = true
        waits = downSince = undefined
        hasReported = false
        return received
      } catch (error) {
        if (error instanceof Aborted) throw isLost ? asUnknown(error) : error
        if (!(error instanceof KpiError)) throw error
        onFailure(error)
        noteFailure(error, begun)
        if (sending.method === 'POST' && error.mayBeDone) lost = error
        if (isOutage(error)) giveUpBy ??= giveUp(clock.now())
        isLost ||= error.mayBeDone && sending.method !== 'GET'
        const wait = nextWait(sending, error, { tries, end: giveUpBy, begun })
        if (wait === undefined) {
          if (isLost && sending.method !== 'POST') throw asUnknown(error)
          return end(sending, error, lost, find)
        }
        reportOutage(wait, !error.mayBeDone || tries > 1)
        await pause(wait, isLost)
      }
    }
  }
  const sendPatiently: Retry['send'] = async (sending, send, find) => {
    let [count, last]: [number, string] = [0, '']
    const onFailure = ({ message }: KpiError): void => {
      // One that the stop itself has caused says nothing.
      if (!signal.aborted) [count, last] = [count + 1, message]
    }
    try {
      const received = await sendAgain(sending, send, find, onFailure)
      inVain = undefined
      return received
    } catch (error) {
      if (count > 0)
        inVain = `${requestName(sending)} failed ${count === 1 ? 'once' : `${count} times`}, the last time: ${last}`
      if (!(error instanceof Aborted)) throw error
      const tried = error.tried ?? inVain
      inVain = tried
      if (tried === error.tried) throw error
      throw new Aborted(error.message, { cause: error, mayBeDone: error.mayBeDone, tried })
    }
  }
  return { send: sendPatiently, newKey: () => keyOf(random), waiting: () => waits, giveUpAt: giveUp }
}
