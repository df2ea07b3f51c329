import { KpiError } from '../../domain/errors.ts'

/** Returns the SQLSTATE of an error from PostgreSQL, or the code of a network error. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** Tells whether the database aborted a transaction because of a conflict; it may succeed if run again. */
export const isConflict = (error: unknown): boolean => [SERIALIZATION_FAILURE, DEADLOCK].includes(codeOf(error))

/** Maps codes, or their first two characters, to messages: errors that an operator must fix. */
const UNUSABLE: Readonly<Record<string, string>> = {
  '28': 'refuses the user or the password',
  '3D': 'does not have that database',
  '42501': 'does not give the user the right to do that',
  '25006': 'is read-only, a standby perhaps',
  ENOTFOUND: 'cannot be found by that name',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that is not trusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
}

/** Maps codes, or their first two characters, to messages: errors that may pass without a fix. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  '40': 'aborted the request repeatedly because of conflicts',
  '53': 'is out of memory, disk or connections',
  '55P03': 'could not get a lock in time',
  '57014': 'took too long for a statement',
  '57': 'is starting or stopping',
  '08': 'lost the connection',
  '25P03': 'ended a transaction that took too long',
  ECONNREFUSED: 'does not answer',
  ECONNRESET: 'lost the connection',
  EPIPE: 'lost the connection',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
}

const lookUp = (table: Readonly<Record<string, string>>, code: string): string | undefined =>
  table[code] ?? table[code.slice(0, 2)]

const TIMED_OUT = /query read timeout/i

/** Tells whether the database did not answer in time, so that its connection must be closed. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && TIMED_OUT.test(error.message)

/** Lists the errors of pg that have no code, by their messages. */
const MESSAGES_WITHOUT_CODE: readonly (readonly [RegExp, string])[] = [
  [TIMED_OUT, 'does not answer'],
  [/timeout exceeded when trying to connect|connection timeout/i, 'does not answer, or has no connection free'],
  [/connection terminated|connection ended|not queryable/i, 'lost the connection'],
]

/** Converts an error from PostgreSQL to one of ours; any other passes through. */
export const postgresError = (error: unknown, where: string): unknown => {
  if (error instanceof KpiError || !(error instanceof Error)) return error
  const [cause, code] = [error, codeOf(error)]
  const lasting = lookUp(UNUSABLE, code)
  if (lasting !== undefined) return new KpiError('unusable', `PostgreSQL at ${where} ${lasting}`, { cause })
  const passing =
    lookUp(UNAVAILABLE, code) ?? MESSAGES_WITHOUT_CODE.find(([pattern]) => pattern.test(error.message))?.[1]
  if (passing !== undefined) {
    return new KpiError('unavailable', `PostgreSQL at ${where} ${passing}; try again`, { retryAfter: 1, cause })
  }
  const isSql = /^[0-9A-Z]{5}$/.test(code)
  return isSql ? new KpiError('internal', 'the database refused a statement', { cause }) : error
}
