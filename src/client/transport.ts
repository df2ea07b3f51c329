import type { Json } from '../codec/json.ts'
import type { Calendar } from '../domain/period.ts'
import type { AnyRecord } from '../domain/schema.ts'
import type { KeySaid, Working } from './http/credentials.ts'
import type { TextAnswer } from './http/response.ts'

/** Thrown where work was given up because somebody asked to stop, or its time was over. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/** Counts requests that have come to an end. */
type RequestCount = {
  /** Sends a request, and counts it once it was answered or has failed. */
  readonly during: <T>(send: () => Promise<T>) => Promise<T>
  readonly total: () => number
}

/** Makes a count of requests; one that still waited for its turn when all was stopped has not been sent, and does not count. */
export const createRequestCount = (): RequestCount => {
  let total = 0
  return {
    during: async (send) => {
      try {
        const answer = await send()
        total += 1
        return answer
      } catch (error) {
        if (!(error instanceof Stopped)) total += 1
        throw error
      }
    },
    total: () => total,
  }
}

/** A request to the service, whichever way it goes. */
export type Sending = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base URL, such as `/kpis/7`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
  /** A name for what a POST does, by which our own service knows it again (decisions, section 5). */
  readonly idempotencyKey?: string
}

/** What came back: JSON that still has to be read, or records from a service in the same process. */
export type Received = {
  readonly content:
    { readonly json: Json } | { readonly record: AnyRecord } | { readonly records: readonly AnyRecord[] }
  /** How many there are, where the service says so. */
  readonly total?: number | undefined
  /** Whether the service says that there is a next page. */
  readonly hasNext?: boolean
  /** Whether something was made rather than changed, where the service tells the two apart. */
  readonly isCreated?: boolean | undefined
}

/** What requests went through besides being answered. */
export type Traffic = {
  /** Those that were refused for the limit, and sent again. */
  readonly refused: number
  /** How long all was held up, in milliseconds: that a request waited for its turn, and none was under way. */
  readonly waitedMs: number
}

/** How much of a service's limit is used. */
export type Usage = { readonly used: number; readonly limit: number; readonly windowMs: number }

/** What requests wait for, and until when. */
export type Waiting = {
  readonly until: number
  /** The service's limit, the rate that was asked for, or a service that is not there or fails. */
  readonly reason: 'limit' | 'rate' | 'unreachable' | 'failing'
  /** So many requests may go in a window, where that is waited for. */
  readonly allowed?: { readonly requests: number; readonly windowMs: number } | undefined
}

/** A way to the service. A refusal is thrown as the same `KpiError` whichever way is taken. */
export type Transport = {
  readonly send: (sending: Sending) => Promise<Received>
  /** What the service last said of the key, where one goes this way. */
  readonly keySaid?: () => KeySaid | undefined
  /** Who asks: different for different credentials, and never one of them. */
  readonly caller: string
  /** When weeks and years begin, where that is known. */
  readonly calendar?: Calendar
  /** Whose entries are worked with, by what the service has answered so far. */
  readonly workingFor: () => Working
  /** Whether the service is ours, by what it has answered so far; only there an Idempotency-Key is relied on. */
  readonly isOurs: () => boolean
  /** Counts each time that a request was answered or failed, but not its refusals for the limit. */
  readonly requests?: () => number
  readonly traffic?: () => Traffic
  /** How much of the limit is used; undefined where none is known. */
  readonly usage?: () => Usage | undefined
  /** What requests wait for at this moment, where they do. */
  readonly waiting?: () => Waiting | undefined
  readonly close: () => Promise<void>
}

/** One request's turn at a gate. */
export type Turn = {
  /**
   * To be called once there is an answer, or none will come; says whether the request was only put off for the limit, and
   * is to be sent again after another turn.
   */
  readonly leave: (answer?: TextAnswer) => boolean
}

/** Says when the next request to a service may go. */
export type Gate = {
  /** Waits for a turn; throws `Stopped` where the wait is given up. */
  readonly enter: () => Promise<Turn>
  readonly traffic: () => Traffic
  /** How much of the limit is used; undefined where none is known. */
  readonly usage: () => Usage | undefined
  /** What the next request waits for, where it does. */
  readonly waiting: () => Waiting | undefined
  readonly close: () => void
}

/** Time as whoever waits needs it. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds since some moment, which go on evenly whatever the clock is set to. */
  readonly uptime: () => number
  /** Resolves after so many milliseconds, or at once where `signal` is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}
