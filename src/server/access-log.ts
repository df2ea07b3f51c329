import type { Exchange } from './exchange.ts'
import { shownTarget } from './shown-target.ts'

/** Whatever looks like a token or key of ours, wherever it stands. */
const SECRET = /kpi_[a-z]+_[0-9a-z]+(?:_[0-9a-z]+)?/gi

const toLine = (nowMs: number, fields: object): string =>
  `${JSON.stringify({ time: new Date(nowMs).toISOString(), ...fields }).replaceAll(SECRET, 'kpi_…')}\n`

/** The line of the log for a request that is over: JSON, and nothing of its headers and bodies. */
export const requestLine = (exchange: Exchange, nowMs: number): string => {
  const { requestId, address, method, target, account, status, bytesIn, bytesOut, milliseconds, isCut } = exchange
  return toLine(nowMs, {
    event: 'request',
    id: requestId,
    address,
    method,
    ...(target !== undefined && shownTarget(target)),
    status,
    account,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    ms: Math.round(milliseconds * 1000) / 1000,
    ...(isCut && { cut: true }),
  })
}

/** The line of the log for what went wrong inside, in full. */
export const errorLine = (error: unknown, requestId: string, nowMs: number): string => {
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.stack : undefined
  return toLine(nowMs, { event: 'error', id: requestId, error: told, cause })
}
