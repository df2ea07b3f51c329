import type { ErrorCode } from '../../domain/errors.ts'

/** Maps errors to the statuses of the classic interface. */
export const classicStatus: Record<ErrorCode, number> = {
  malformed: 400,
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_slow: 408,
  too_large: 413,
  too_long: 414,
  head_too_large: 431,
  media_type: 415,
  not_acceptable: 406,
  key_reused: 400,
  locked: 500,
  unsupported: 404,
  rate_limited: 403,
  unavailable: 503,
  unusable: 503,
  internal: 500,
}

/** Maps errors to the statuses of the newer variant. */
export const v1Status: Record<ErrorCode, number> = {
  ...classicStatus,
  invalid: 422,
  key_reused: 422,
  rate_limited: 429,
}
