import manifest from '../../../package.json' with { type: 'json' }
import { KpiError } from '../../domain/errors.ts'
import type { Calendar } from '../../domain/period.ts'
import { DATED_TARGETS } from '../../domain/resources/dated-target.ts'
import { RUN_HEADER } from '../../domain/resources/entry-run.ts'
import { observed, withQuery } from '../request-observer.ts'
import { requestName, type Retry } from '../retry.ts'
import {
  createRequestCount,
  type RateLimiter,
  type TransportResponse,
  type TransportRequest,
  Aborted,
  type Transport,
} from '../transport.ts'
import { isLoopback } from './base-url.ts'
import type { Network } from './connections.ts'
import { proxyWords } from './proxy.ts'
import { authorizationOf, callerId, type KeyInfo, readKeyInfo, identifyAccount } from './credentials.ts'
import { type Exchange, networkExchange, type TextRequest } from './network-exchange.ts'
import { isSent, networkReason } from './network-errors.ts'
import { createRedaction } from './redaction.ts'
import { calendarIn, parseContent, parseError, type TextAnswer } from './response.ts'

/** Describes the answer to one request, good or refused. */
export type ProbeResult = { readonly header: TextAnswer['header']; readonly refusal?: KpiError | undefined }

/** Describes the transport over the network; `probe` also returns the headers of an answer. */
export type HttpTransport = Transport & { readonly probe: (path: string) => Promise<ProbeResult> }

/** Holds the signals that end requests early. */
export type AbortSignals = {
  /** Cancels GETs at once; requests that change something go on. */
  readonly signal: AbortSignal
  /** Cancels also the requests that change something, which may be done then. */
  readonly late?: AbortSignal | undefined
}

/** Describes a remote service and the credentials for it. */
export type Remote = {
  /** Holds the base URL, such as `https://acme.example.com/api`. */
  readonly baseUrl: URL
  /** Holds the login name of an account's token; a key of the newer variant has none. */
  readonly login?: string | undefined
  /** Holds the token or key. */
  readonly token: string
  /** Sets the timeout for the head of an answer, and for each part of its body. */
  readonly timeoutMs: number
  readonly now: () => number
  /** Limits the rate of requests; without it, a request over the limit fails. */
  readonly limiter?: RateLimiter | undefined
  /** Repeats failed requests that may be repeated; without it, they fail at once. */
  readonly retry?: Retry | undefined
  /** Ends requests early; without it, each waits for its answer until the timeout. */
  readonly stopping?: AbortSignals | undefined
  /** Describes the way there; without it, it is reached directly. */
  readonly network?: Network | undefined
  /** Replaces the network, in tests. */
  readonly exchange?: Exchange
}

const unreachable = (error: unknown, { baseUrl, network }: Remote): KpiError => {
  const message = `cannot reach ${baseUrl.origin}: ${networkReason(error)}${proxyWords(baseUrl, network)}`
  return new KpiError('unavailable', message, { cause: error, mayBeDone: isSent(error) })
}

/** Matches paths of lists, such as `/kpis`: every service has them, unless the base URL is wrong. */
const COLLECTION = /^\/[a-z]+$/

const wrongBaseError = ({ protocol, host, pathname }: URL, { message }: KpiError): KpiError =>
  new KpiError(
    'not_found',
    `${message}; check the base URL ${protocol}//${host}${pathname}, which mostly ends in /api or /v1`,
  )

/** Refuses to send credentials where they could be overheard. */
const requireHttps = (baseUrl: URL): void => {
  if (baseUrl.protocol === 'https:' || (baseUrl.protocol === 'http:' && isLoopback(baseUrl))) return
  const { protocol, host, pathname } = baseUrl
  throw new KpiError(
    'malformed',
    `${protocol}//${host}${pathname} is not HTTPS; credentials are not sent over plain HTTP`,
  )
}

const totalOf = ({ header }: TextAnswer): number | undefined => {
  const total = header('x-total-count') ?? ''
  return /^\d+$/.test(total) ? Number(total) : undefined
}

const hasNextIn = ({ header }: TextAnswer): boolean => /;\s*rel="?next\b/i.test(header('link') ?? '')

/**
 * Bounds how often one request waits for the rate limit, each time as long as the service asks. After that, its
 * refusal is final, unless the run waits for its service until a certain time.
 */
const MAX_REFUSALS = 20

/** Sets how often a request is refused at least before a run that waits for its service gives up: limits may be slow. */
const LEAST_REFUSALS = 5

/** Bypasses caches between client and service. */
const UNCACHED = { 'cache-control': 'no-cache' }

/** Matches the header `Server` of the bundled service. */
const BUNDLED = /^kpi\//

/** Tells whether an answer has the dated targets that were asked for. */
const hasDatedTargets = (answer: TextAnswer): boolean => answer.header('preference-applied') === DATED_TARGETS

/** Creates the transport over the network, in JSON: the classic interface with a login name, the newer one without. */
export const httpTransport = (remote: Remote): HttpTransport => {
  const { baseUrl, login, token, timeoutMs, now, limiter, retry, stopping } = remote
  requireHttps(baseUrl)
  const exchange = remote.exchange ?? networkExchange(baseUrl, timeoutMs, remote.network)
  const prefix = baseUrl.pathname.replace(/\/$/, '')
  const headers = {
    authorization: authorizationOf({ login, token }),
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': `kpi/${manifest.version}`,
  }
  const redaction = createRedaction(token, login)
  let key: KeyInfo | undefined
  let serviceTime: number | undefined
  let answeredAt = 0
  let [isBundled, keepsRuns, datesTargets] = [false, false, false]
  let account: string | undefined
  let calendar: Calendar | undefined
  const count = createRequestCount()
  const attempts = new WeakMap<TransportRequest, number>()
  /** Exchanges a request for its answer, before the eyes of whoever observes the network. */
  const transfer = (sending: TransportRequest, text: TextRequest): Promise<TextAnswer> => {
    const exchanged = (): Promise<TextAnswer> =>
      exchange.ask(text, text.method === 'GET' ? stopping?.signal : stopping?.late)
    const observer = remote.network?.observer
    if (!observer) return exchanged()
    const attempt = (attempts.get(sending) ?? 0) + 1
    attempts.set(sending, attempt)
    const observation = {
      request: {
        ...text,
        path: withQuery(text.path, text.query),
        body: () => text.body ?? undefined,
        attempt,
        hide: redaction.text,
      },
      endOf: ({ status, headers = {}, body }: TextAnswer) => ({ status, headers, body: () => body }),
      reasonOf: (error: unknown) => ({ reason: networkReason(error) }),
    }
    return observed(observer, observation, exchanged)
  }
  const request = async (sending: TransportRequest): Promise<TextAnswer> => {
    const { method, path, query = {}, body, idempotencyKey, run } = sending
    const text: TextRequest = {
      method,
      path: prefix + path,
      query,
      headers: {
        ...headers,
        ...(method === 'GET' && UNCACHED),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(sending.asksForDatedTargets && { prefer: DATED_TARGETS }),
        ...(run !== undefined && { [RUN_HEADER.toLowerCase()]: run }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    }
    const answer = redaction.answer(await transfer(sending, text))
    const date = Date.parse(answer.header('date') ?? '')
    if (date) [serviceTime, answeredAt] = [date, now()]
    if (answer.header('x-key-id') !== undefined) key = readKeyInfo(answer.header)
    const isOurs = BUNDLED.test(answer.header('server') ?? '')
    // A failure may be that of a proxy, and says nothing about the service behind it.
    isBundled = isOurs || (isBundled && answer.status >= 500)
    if (isOurs) account = answer.header('x-account') ?? account
    if (isOurs) keepsRuns ||= answer.header('x-runs-kept') !== undefined
    if (isOurs) datesTargets ||= hasDatedTargets(answer)
    if (isOurs) calendar = calendarIn(answer) ?? calendar
    return answer
  }
  const failed = ({ method }: TransportRequest, error: unknown): Error =>
    method === 'GET' && stopping?.signal.aborted
      ? new Aborted('stopped while an answer was waited for')
      : redaction.error(unreachable(error, remote))
  const ask = async (sending: TransportRequest): Promise<TextAnswer> => {
    const begun = now()
    const end = retry?.giveUpAt(begun) ?? Infinity
    const isFinal = (refusals: number): boolean =>
      end === Infinity ? refusals >= MAX_REFUSALS : now() >= end && (refusals >= LEAST_REFUSALS || begun >= end)
    let refused: TextAnswer | undefined
    /** Says in the error of a wait that was stopped how often the limit refused the request. */
    const withRefusals = (error: unknown, count: number): unknown => {
      const refusal = refused && refusalOf(refused, sending.path)
      if (!(error instanceof Aborted) || !refusal) return error
      const times = count === 1 ? 'once' : `${count} times`
      const tried = `${requestName(sending)} was refused ${times}, the last time: ${refusal.message}`
      return new Aborted(error.message, { cause: error, tried })
    }
    for (let refusals = 1; ; refusals += 1) {
      const turn = await limiter?.enter().catch((error: unknown) => {
        throw withRefusals(error, refusals - 1)
      })
      sending.onSend?.(serviceTime && serviceTime + now() - answeredAt)
      const answer = await request(sending).catch((error: unknown) => {
        turn?.leave()
        throw withRefusals(failed(sending, error), refusals - 1)
      })
      if (!turn?.leave(answer) || isFinal(refusals)) return answer
      refused = answer
    }
  }
  const refusalOf = (answer: TextAnswer, path: string): KpiError | undefined => {
    if (answer.status >= 200 && answer.status <= 299) return undefined
    const error = redaction.error(parseError(answer, now(), baseUrl.origin))
    return answer.status === 404 && COLLECTION.test(path) ? wrongBaseError(baseUrl, error) : error
  }
  /** Tells whether an answer reports something created; the classic interface answers 201 to every POST. */
  const isCreatedIn = ({ status }: TextAnswer): boolean | undefined =>
    login === undefined ? status === 201 : undefined
  const sendOnce = async (sending: TransportRequest): Promise<TransportResponse> => {
    const answer = await count.during(() => ask(sending))
    const refusal = refusalOf(answer, sending.path)
    if (refusal) throw refusal
    const content = { json: redaction.content(parseContent(answer), answer.body) }
    const next = hasNextIn(answer) && { hasNext: true }
    const isReplayed = answer.header('idempotent-replayed') === 'true'
    return {
      content,
      total: totalOf(answer),
      ...next,
      isCreated: isCreatedIn(answer),
      ...(isReplayed && { isReplayed }),
      ...(isBundled && hasDatedTargets(answer) && { hasDatedTargets: true }),
    }
  }
  /** Sends a request, also again; what a DELETE whose answer was lost has removed is not missed then. */
  const send: Transport['send'] = (sending) => {
    let isLost = false
    const sendAgain = async (): Promise<TransportResponse> => {
      try {
        return await sendOnce(sending)
      } catch (error) {
        const { code, mayBeDone } = error instanceof KpiError ? error : {}
        if (isLost && sending.method === 'DELETE' && code === 'not_found') return { content: { json: undefined } }
        isLost ||= mayBeDone === true
        throw error
      }
    }
    return retry ? retry.send(sending, sendAgain, sending.findAnswer) : sendOnce(sending)
  }
  const probe = async (path: string): Promise<ProbeResult> => {
    const answer = await ask({ method: 'GET', path })
    const refusal = refusalOf(answer, path)
    // Throws for an answer of 2xx that is not JSON: it does not come from a KPI service.
    if (!refusal) parseContent(answer)
    return { header: answer.header, refusal }
  }
  const close = async (): Promise<void> => {
    limiter?.close()
    await exchange.close()
  }
  return {
    send,
    probe,
    keyInfo: () => key,
    caller: callerId({ login, token }),
    identifyAccount: () => identifyAccount(account, { login, token }),
    isBundled: () => isBundled,
    keepsRuns: () => isBundled && keepsRuns,
    datesTargets: () => isBundled && datesTargets,
    serviceTime: () => serviceTime,
    calendar: () => calendar,
    requests: count.total,
    ...(limiter && { traffic: limiter.traffic, usage: limiter.usage }),
    waiting: () => retry?.waiting() ?? limiter?.waiting(),
    ...(retry && { giveUpAt: retry.giveUpAt, newKey: retry.newKey }),
    close,
  }
}
