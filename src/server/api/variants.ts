import type { KpiError } from '../../domain/errors.ts'
import type { Handler, TextResponse, WireRequest } from '../wire.ts'
import { classicProtocol } from './classic.ts'
import { formatRefusal, type Protocol } from './protocol.ts'
import { v1Protocol } from './v1.ts'

const V1 = /^\/v1(?:[/?]|$)/i

/** Returns the protocol for a target: the newer variant's below `/v1`, else the classic one's. */
const protocolFor = (target: string): Protocol => (V1.test(target) ? v1Protocol : classicProtocol)

/** Creates the handler of both variants side by side. */
export const createBothHandlers =
  (classic: Handler, v1: Handler): Handler =>
  (request) =>
    protocolFor(request.target) === v1Protocol ? v1(request) : classic(request)

const UNREAD = { target: '', headers: {} }

/** Returns the answer to a request that no handler sees: it is unreadable, or comes too late. */
export const plainRefusal = (
  error: KpiError,
  requestId: string,
  asked: Pick<WireRequest, 'target' | 'headers'> = UNREAD,
): TextResponse => {
  const answered = formatRefusal(protocolFor(asked.target), error, asked)
  return { ...answered, headers: { ...answered.headers, 'x-request-id': requestId } }
}
