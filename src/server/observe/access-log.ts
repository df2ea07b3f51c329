import { KpiError } from '../../domain/errors.ts'
import type { FinishedRequest } from '../http/connections.ts'
import { shownTarget, withoutSecrets } from '../request-target.ts'

const toLine = (nowMs: number, fields: object): string =>
  `${withoutSecrets(JSON.stringify({ time: new Date(nowMs).toISOString(), ...fields }))}\n`

/** Returns the log line of a finished request: JSON, without its headers and bodies. */
export const requestLine = (exchange: FinishedRequest, nowMs: number): string => {
  const { requestId, address, method, target, caller, status, bytesIn, bytesOut, milliseconds, isCut } = exchange
  return toLine(nowMs, {
    event: 'request',
    id: requestId,
    address,
    method,
    ...(target !== undefined && shownTarget(target)),
    status,
    ...caller,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    ms: Math.round(milliseconds * 1000) / 1000,
    ...(isCut && { cut: true }),
  })
}

/** Returns the message of an error, or its stack if the error is unexpected. */
const detailOf = (error: unknown, isExpected: boolean): string => {
  if (!(error instanceof Error)) return String(error)
  if (!isExpected) return error.stack ?? error.message
  // For a host with several addresses, the error has one error per address, and no message of its own.
  return error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message
}

/** Returns the log line of an internal error: with its stack, unless the store was just not available. */
export const errorLine = (error: unknown, requestId: string, nowMs: number): string => {
  const isExpected = error instanceof KpiError && error.code === 'unavailable'
  const cause = error instanceof Error && error.cause instanceof Error ? detailOf(error.cause, isExpected) : undefined
  return toLine(nowMs, { event: 'error', id: requestId, error: detailOf(error, isExpected), cause })
}
