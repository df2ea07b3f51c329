import { KpiError } from '../domain/errors.ts'
import { type Clock, type Sending, Stopped, type Waiting } from './transport.ts'

/** What trying again works with. */
type Retrying = {
  readonly clock: Clock
  /** Ends all waiting. */
  readonly signal: AbortSignal
  /** A number from 0 to 1. */
  readonly random: () => number
  /** Takes what there is to say of a service that is waited for. */
  readonly note: (text: string) => void
}

const MOST_TRIES = 5
/** So often it is asked whether a request that is still being done has been done. */
const MOST_ASKED = 60
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** However long a service asks to wait before it is asked again. */
const LONGEST_ASKED_MS = 300_000

/** Of so many requests one may be tried again, and a few more, so that what is dead is not asked for ever. */
const REQUESTS_A_RETRY = 10
const FIRST_RETRIES = 10

/** Whether a request that failed may be sent again as it is: it changes nothing, was never sent, or is done only once. */
export const mayTryAgain = ({ method, idempotencyKey }: Sending, failure: KpiError, tries: number): boolean => {
  const { code, mayBeDone, retryAfter } = failure
  // Our own service is still doing what the key names.
  if (code === 'conflict') return idempotencyKey !== undefined && retryAfter !== undefined && tries < MOST_ASKED
  if (tries >= MOST_TRIES) return false
  return method === 'GET' ? code === 'unavailable' || mayBeDone : code === 'unavailable' && !mayBeDone
}

/** How long to wait before the next try: twice as long each time, spread by chance, or what the service asks for. */
export const waitBefore = ({ retryAfter = 0 }: KpiError, tries: number, chance: number): number => {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(20, tries - 1)) * (0.5 + chance / 2)
  return Math.max(wait, Math.min(LONGEST_ASKED_MS, retryAfter * 1000))
}

/** Sends, and tries again what may be tried again. */
export type Retry = {
  readonly send: <T>(sending: Sending, send: () => Promise<T>) => Promise<T>
  /** The service, since it last failed, as long as nothing was answered well. */
  readonly waiting: () => Waiting | undefined
}

const WORDS = { unreachable: 'service not reachable', failing: 'service failing' } as const

/** A service that is not there, or fails, and when it is asked again. */
export const outageText = (reason: keyof typeof WORDS, leftMs: number): string =>
  `${WORDS[reason]}, trying again${leftMs > 0 ? ` in ${Math.ceil(leftMs / 1000)} s` : ''}`

/**
 * Tries again what failed, as long as not too much of all fails. A service that has never answered is not waited for: it is
 * likelier that its name is wrong.
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
    if (signal.aborted) throw new Stopped('stopped while a request that failed waited to be sent again')
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
        if (!hasAnswered || left < 1 || !mayTryAgain(sending, error, tries)) throw error
        left -= 1
        const wait = waitBefore(error, tries, random())
        tellWait(wait, !error.mayBeDone || tries > 1)
        await pause(wait)
      }
    }
  }
  return { send: sendPatiently, waiting: () => waits }
}
