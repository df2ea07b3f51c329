import { recordToJson } from '../codec/json.ts'
import { type ErrorCode, KpiError } from '../domain/errors.ts'
import { observed, type RequestEnd, type RequestObserver, withQuery } from './request-observer.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'

/** Bounds how many records of an answer become text for an observer, who shows the first few only. */
const MOST_RECORDS = 1000

const OK = 200

/** Returns the content of an answer as the text that it would be over HTTP. */
const textOf = ({ content }: TransportResponse): string | undefined => {
  if ('json' in content) return content.json === undefined ? undefined : JSON.stringify(content.json)
  const { of } = content
  if ('record' in content) return JSON.stringify(recordToJson(of, content.record))
  return JSON.stringify(content.records.slice(0, MOST_RECORDS).map((one) => recordToJson(of, one)))
}

/** Returns a transport within this process whose requests are observed as if they went over HTTP. */
export const observedTransport = (
  transport: Transport,
  observer: RequestObserver,
  statuses: Readonly<Record<ErrorCode, number>>,
): Transport => {
  const endOf = (response: TransportResponse): RequestEnd => ({
    status: response.status ?? OK,
    headers: {},
    body: () => textOf(response),
  })
  const reasonOf = (error: unknown): RequestEnd => {
    if (!(error instanceof KpiError)) return { reason: String(error) }
    const { code, message, issues } = error
    return { status: statuses[code], headers: {}, body: () => JSON.stringify({ message, errors: issues }) }
  }
  const observe = <T>(
    { method, path, query, body, idempotencyKey }: TransportRequest,
    send: () => Promise<T>,
    answerOf: (answer: T) => RequestEnd,
  ): Promise<T> => {
    const request = {
      method,
      path: withQuery(path, query),
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      body: () => (body === undefined ? undefined : JSON.stringify(body)),
      attempt: 1,
      hide: String,
    }
    return observed(observer, { request, endOf: answerOf, reasonOf }, send)
  }
  /** Observes requests that are sent together, each with its own answer. */
  const observeAll = (
    sendings: readonly TransportRequest[],
    send: () => Promise<readonly TransportResponse[]>,
    at = 0,
  ): Promise<readonly TransportResponse[]> => {
    const sending = sendings[at]
    if (!sending) return send()
    const endOfThis = (answers: readonly TransportResponse[]): RequestEnd =>
      endOf(answers[at] ?? { content: { json: undefined } })
    return observe(sending, () => observeAll(sendings, send, at + 1), endOfThis)
  }
  const { sendTogether } = transport
  return {
    ...transport,
    send: (sending) => observe(sending, () => transport.send(sending), endOf),
    ...(sendTogether && { sendTogether: (sendings) => observeAll(sendings, () => sendTogether(sendings)) }),
  }
}
