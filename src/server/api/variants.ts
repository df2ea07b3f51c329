import type { KpiError } from '../../domain/errors.ts'
import type { Face, TextResponse, WireRequest } from '../wire.ts'
import { classicStyle } from './classic.ts'
import { refuseAtOnce, type Style } from './protocol.ts'
import { v1Style } from './v1.ts'

const V1 = /^\/v1(?:[/?]|$)/i

/** Returns the protocol for a target: below `/v1` the newer variant's, everywhere else the classic one's. */
const styleFor = (target: string): Style => (V1.test(target) ? v1Style : classicStyle)

/** Creates the handler of both variants side by side. */
export const bothFaces =
  (classic: Face, v1: Face): Face =>
  (request) =>
    styleFor(request.target) === v1Style ? v1(request) : classic(request)

const UNREAD = { target: '', headers: {} }

/** Returns the answer to a request that no handler has seen: it could not be read, or comes too late. */
export const plainRefusal = (
  error: KpiError,
  requestId: string,
  asked: Pick<WireRequest, 'target' | 'headers'> = UNREAD,
): TextResponse => {
  const answered = refuseAtOnce(styleFor(asked.target), error, asked)
  return { ...answered, headers: { ...answered.headers, 'x-request-id': requestId } }
}
