import type { Json } from '../codec/json.ts'
import type { Calendar } from '../domain/period.ts'
import type { AnyRecord } from '../domain/schema.ts'
import type { KeyInfo, AccountIdentity } from './http/credentials.ts'
import type { TextAnswer } from './http/response.ts'

/** Thrown where work was given up because the user asked to stop, or its time was over. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
}

/** Counts completed requests. */
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
        if (!(error instanceof Aborted)) total += 1
        throw error
      }
    },
    total: () => total,
  }
}

/** Describes a request to the service, over any transport. */
export type TransportRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Holds the path below the base URL, such as `/kpis/7`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Json
  /** Names what a POST does, so that the bundled service recognizes it when it comes again. */
  readonly idempotencyKey?: string
}

/** Describes what came back: JSON that is still to be read, or records from a service in this process. */
export type TransportResponse = {
  readonly content:
    { readonly json: Json } | { readonly record: AnyRecord } | { readonly records: readonly AnyRecord[] }
  /** Counts all that there are, where the service tells. */
  readonly total?: number | undefined
  /** Tells whether there is a next page, where the service tells. */
  readonly hasNext?: boolean
  /** Tells whether something was created rather than updated, where the service tells. */
  readonly isCreated?: boolean | undefined
}

/** Describes what requests went through before they were answered. */
export type Traffic = {
  /** Counts requests that were refused for the limit, and sent again. */
  readonly refused: number
  /** Holds the milliseconds in which a request waited for the limit while none was under way. */
  readonly waitedMs: number
}

/** Describes how much of a service's limit is used. */
export type Usage = { readonly used: number; readonly limit: number; readonly windowMs: number }

/** Describes what requests wait for, and until when. */
export type Waiting = {
  readonly until: number
  /** Names the reason: the service's limit, the user's rate, or a service that is unavailable or fails. */
  readonly reason: 'limit' | 'rate' | 'unreachable' | 'failing'
  /** Counts the requests that are allowed in a window, where that is waited for. */
  readonly allowed?: { readonly requests: number; readonly windowMs: number } | undefined
}

/** Describes a way to send requests to the service. A refusal is the same `KpiError` over every transport. */
export type Transport = {
  readonly send: (sending: TransportRequest) => Promise<TransportResponse>
  /** Returns what the last answer told of the key, where there is one. */
  readonly keyInfo?: () => KeyInfo | undefined
  /** Names the credentials: different ones differently, and none by itself. */
  readonly caller: string
  /** Says when weeks and years begin, where that is known. */
  readonly calendar?: Calendar
  /** Tells whose entries are worked with, as far as answers have told. */
  readonly identifyAccount: () => AccountIdentity
  /** Tells whether answers have shown that it is the bundled service; only there an Idempotency-Key is relied on. */
  readonly isBundled: () => boolean
  /** Counts each time that a request was answered or failed, but not its refusals for the limit. */
  readonly requests?: () => number
  readonly traffic?: () => Traffic
  /** Tells how much of the limit is used; undefined where that is not known. */
  readonly usage?: () => Usage | undefined
  /** Tells what requests are waiting for right now, where they are. */
  readonly waiting?: () => Waiting | undefined
  readonly close: () => Promise<void>
}

/** Describes the permit of one request. */
export type Permit = {
  /**
   * Ends the permit, with the answer where one came; tells whether the request was only put off for the limit, and is
   * to be sent again with another permit.
   */
  readonly leave: (answer?: TextAnswer) => boolean
}

/** Says when the next request to a service may go. */
export type RateLimiter = {
  /** Waits for a turn; throws `Aborted` where the wait is given up. */
  readonly enter: () => Promise<Permit>
  readonly traffic: () => Traffic
  /** Tells how much of the limit is used; undefined where that is not known. */
  readonly usage: () => Usage | undefined
  /** Tells what the next request waits for, where it does. */
  readonly waiting: () => Waiting | undefined
  readonly close: () => void
}

/** Describes the clock of whatever waits. */
export type Clock = {
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Returns milliseconds on a monotonic clock. */
  readonly uptime: () => number
  /** Resolves after so many milliseconds, or at once where `signal` is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}
