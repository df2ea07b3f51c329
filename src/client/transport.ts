import type { Json } from '../codec/json.ts'
import { KpiError } from '../domain/errors.ts'
import type { Calendar } from '../domain/period.ts'
import type { CalculatedKpi } from '../domain/resources/calculated-kpi.ts'
import type { AnyRecord, Resource } from '../domain/schema.ts'
import type { KeyInfo, AccountIdentity } from './http/credentials.ts'
import type { TextAnswer } from './http/response.ts'

/** Reports that work ended early, because the user asked to stop or the time was over. */
export class Aborted extends Error {
  override readonly name = 'Aborted'
  /** Tells that a change was sent whose answer was lost. */
  readonly mayBeDone: boolean
  /** Says what was tried in vain until then, and why it failed last. */
  readonly tried: string | undefined

  constructor(
    message: string,
    {
      mayBeDone = false,
      tried,
      ...options
    }: ErrorOptions & { readonly mayBeDone?: boolean; readonly tried?: string | undefined } = {},
  ) {
    super(tried === undefined ? message : `${message}; ${tried}`, options)
    this.mayBeDone = mayBeDone
    this.tried = tried ?? (options.cause instanceof Aborted ? options.cause.tried : undefined)
  }
}

/** Tells whether a request may have taken effect although it failed, or the run was stopped while it was sent again. */
export const mayBeDone = (error: unknown): boolean =>
  (error instanceof Aborted || error instanceof KpiError) && error.mayBeDone

/** Counts completed requests. */
type RequestCount = {
  /** Sends a request, and counts it when it is answered or fails. */
  readonly during: <T>(send: () => Promise<T>) => Promise<T>
  readonly total: () => number
}

/** Creates a counter of requests. Requests that end as `Aborted` do not count. */
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
  /** Identifies a POST, so that the bundled service does it only once, even if it is sent again. */
  readonly idempotencyKey?: string
  /** Names the run that a batch is of, so that the bundled service keeps what it replaces. */
  readonly run?: string
  /** Asks for the dated targets of KPIs or assignments, which only the bundled service has. */
  readonly asksForDatedTargets?: true
  /** Tells whether it does the same once more; a GET, PUT or DELETE does unless this says otherwise, and a POST does not. */
  readonly isRepeatable?: boolean | (() => boolean)
  /** Is called each time it is sent, once its turn has come, with the time by the clock of the service as far as it is known. */
  readonly onSend?: (time: number | undefined) => void
  /**
   * Finds the answer to a request whose own answer was lost in what the service has now; undefined if it was not done.
   * Throws if that cannot be told.
   */
  readonly findAnswer?: () => Promise<TransportResponse | undefined>
}

/** Describes an answer: JSON that is not read yet, or records of a resource from a service in this process. */
export type TransportResponse = {
  readonly content:
    | { readonly json: Json }
    | { readonly of: Resource; readonly record: AnyRecord }
    | { readonly of: Resource; readonly records: readonly AnyRecord[] }
  /** Counts all records, if the service sends the number. */
  readonly total?: number | undefined
  /** Tells that it is the first answer to a request with the same Idempotency-Key, which was done before. */
  readonly isReplayed?: boolean
  /** Tells whether there is a next page, if the service says so. */
  readonly hasNext?: boolean
  /** Tells that the records hold their dated targets, as was asked for. */
  readonly hasDatedTargets?: boolean
  /** Tells whether a record was created rather than updated, if the service says so. */
  readonly isCreated?: boolean | undefined
  /** Holds the status that the answer would have over HTTP, of a service in this process. */
  readonly status?: number
}

/** Describes what the rate limit cost the requests. */
export type Traffic = {
  /** Counts refusals by the rate limit, after which the request was sent again. */
  readonly refused: number
  /** Sums the milliseconds in which requests waited for the limit while none was in flight. */
  readonly waitedMs: number
}

/** Describes how much of a service's rate limit is used. */
export type Usage = { readonly used: number; readonly limit: number; readonly windowMs: number }

/** Describes what requests wait for, and until when. */
export type Waiting = {
  readonly until: number
  /** Names the reason: the service's limit, the user's rate, or a service that is unavailable or fails. */
  readonly reason: 'limit' | 'rate' | 'unreachable' | 'failing'
  /** Counts the requests allowed in a window, if a limit or rate is the reason. */
  readonly allowed?: { readonly requests: number; readonly windowMs: number } | undefined
}

/** Describes a way to send requests to the service. Every transport throws the same `KpiError` for a refusal. */
export type Transport = {
  readonly send: (sending: TransportRequest) => Promise<TransportResponse>
  /** Sends many requests that are done all or none, one after another; undefined where each is sent by itself. */
  readonly sendTogether?: (sendings: readonly TransportRequest[]) => Promise<readonly TransportResponse[]>
  /** Returns what the last answer said about the key; undefined if there is none. */
  readonly keyInfo?: () => KeyInfo | undefined
  /** Holds a fingerprint of the credentials, which does not reveal them. */
  readonly caller: string
  /** Returns when weeks and years begin; undefined while no answer has told it. */
  readonly calendar?: () => Calendar | undefined
  /** Says when weeks and years begin where no answer tells it. */
  readonly usualCalendar?: Calendar
  /** Returns the account, as far as it is known. */
  readonly identifyAccount: () => AccountIdentity
  /** Returns when the service answered last, by its own clock, in milliseconds; undefined where it does not say. */
  readonly serviceTime?: () => number | undefined
  /**
   * Tells whether the answers so far come from the bundled service; only there the client relies on an Idempotency-Key.
   */
  readonly isBundled: () => boolean
  /** Tells whether the answers so far come from a service that keeps what runs replace, so that they can be taken back. */
  readonly keepsRuns?: () => boolean
  /** Tells whether the answers so far come from a service that has dated targets. */
  readonly datesTargets?: () => boolean
  /** Tells that the service runs in this process, so that a request costs next to nothing. */
  readonly isInProcess?: true
  /** Returns the calculated KPIs with their formulas, which only a service in this process shows. */
  readonly formulas?: () => Promise<readonly CalculatedKpi[]>
  /** Bounds the entries on a page, if that is more than usual. */
  readonly entriesPage?: number
  /** Bounds the rows of a report in one answer, if that is more than usual. */
  readonly reportRows?: number
  /** Counts requests that were answered or failed; refusals by the rate limit do not count. */
  readonly requests?: () => number
  readonly traffic?: () => Traffic
  /** Returns how much of the rate limit is used; undefined if unknown. */
  readonly usage?: () => Usage | undefined
  /** Returns what requests are waiting for now; undefined if none waits. */
  readonly waiting?: () => Waiting | undefined
  /** Makes an Idempotency-Key; missing where no request is sent again. */
  readonly newKey?: () => string
  /** Returns until when the run waits for a service that has failed since a moment; undefined where it does not. */
  readonly giveUpAt?: (since: number) => number | undefined
  readonly close: () => Promise<void>
}

/** Describes the permit of one request. */
export type Permit = {
  /**
   * Ends the permit, with the answer if one came. Returns true if the rate limit refused the request, which is then to
   * be sent again with another permit.
   */
  readonly leave: (answer?: TextAnswer) => boolean
}

/** Decides when the next request to a service may be sent. */
export type RateLimiter = {
  /** Waits for permission to send; throws `Aborted` if the user stops the wait. */
  readonly enter: () => Promise<Permit>
  readonly traffic: () => Traffic
  /** Returns how much of the rate limit is used; undefined if unknown. */
  readonly usage: () => Usage | undefined
  /** Returns what the next request waits for; undefined if it does not wait. */
  readonly waiting: () => Waiting | undefined
  readonly close: () => void
}

/** Describes a clock, and a way to wait by it. */
export type Clock = {
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Returns milliseconds on a monotonic clock. */
  readonly uptime: () => number
  /** Resolves after so many milliseconds, or as soon as `signal` is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}
