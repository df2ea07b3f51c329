import type { KpiError } from '../domain/errors.ts'
import { type Format, formats } from './format.ts'
import { classicStatus } from './status.ts'
import type { WireResponse } from './wire.ts'

/** The answer to a request that no face has seen: it could not be read, or comes too late. */
export const plainRefusal = (error: KpiError, requestId: string, format: Format = formats.json): WireResponse => ({
  status: classicStatus[error.code],
  headers: {
    'content-type': format.contentType,
    'x-request-id': requestId,
    ...(error.allow.length > 0 && { allow: error.allow.join(', ') }),
    ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
  },
  body: format.writeError(error),
})
