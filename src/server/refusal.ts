import type { KpiError } from '../domain/errors.ts'
import { styleFor } from './faces.ts'
import { refuseAtOnce } from './variant.ts'
import type { TextResponse, WireRequest } from './wire.ts'

const UNREAD = { target: '', headers: {} }

/** The answer to a request that no face has seen: it could not be read, or comes too late. */
export const plainRefusal = (
  error: KpiError,
  requestId: string,
  asked: Pick<WireRequest, 'target' | 'headers'> = UNREAD,
): TextResponse => {
  const answered = refuseAtOnce(styleFor(asked.target), error, asked)
  return { ...answered, headers: { ...answered.headers, 'x-request-id': requestId } }
}
