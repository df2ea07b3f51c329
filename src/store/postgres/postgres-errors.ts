import { KpiError } from '../../domain/errors.ts'

/** Returns the SQLSTATE of an error from PostgreSQL, or the code of a network error. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

/** Tells whether the database aborted a transaction because of a conflict; it may succeed if run again. */
export const isConflict = (error: unknown): boolean => [SERIALIZATION_FAILURE, DEADLOCK].includes(codeOf(error))

const UNDEFINED_OBJECT = '42704'
const FEATURE_NOT_SUPPORTED = '0A000'

/** Tells whether the database does not know a setting, or whatever else a statement names. */
export const isUnknownSetting = (error: unknown): boolean =>
  error instanceof KpiError && [UNDEFINED_OBJECT, FEATURE_NOT_SUPPORTED].includes(codeOf(error.cause))

/** Describes a failure: what the database does, and the next step. */
type Failure = readonly [what: string, next: string]

const LOGIN: Failure = ['refuses the user or the password', 'check both in KPI_POSTGRES_URL, or in ~/.pgpass']
const DATABASE: Failure = ['does not have that database', 'create it, or name another one in KPI_POSTGRES_URL']
const SETTING: Failure = ['does not take a setting', 'change it in KPI_POSTGRES_URL']
const CERTIFICATE: Failure = [
  'has a certificate that is not trusted',
  'name the certificate of its authority: ?sslrootcert=FILE',
]
const PLAIN: Failure = [
  'does not offer TLS',
  'turn it on there, or add ?sslmode=disable to KPI_POSTGRES_URL where the network in between is safe',
]

const STANDBY: Failure = ['is read-only, a standby perhaps', 'connect to the primary']

/** Maps codes, or their first two characters, to failures that an operator must fix. */
const UNUSABLE: Readonly<Record<string, Failure>> = {
  '28': LOGIN,
  '3D': DATABASE,
  '3F': ['does not have that schema', 'create it, or name another one in KPI_POSTGRES_URL'],
  '42501': ['does not give the user the right to do that', 'grant it to that user'],
  [UNDEFINED_OBJECT]: SETTING,
  '22023': SETTING,
  '55P02': SETTING,
  '25006': STANDBY,
  ENOTFOUND: ['cannot be found by that name', 'check the host in KPI_POSTGRES_URL'],
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for another name',
    'use the name of the certificate in KPI_POSTGRES_URL',
  ],
}

const NOT_THERE = 'does not run, as nothing listens there; start it, or check the host and the port in KPI_POSTGRES_URL'

/** Maps codes, or their first two characters, to messages: errors that may pass without a fix. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  '40': 'aborted the request repeatedly because of conflicts',
  '53': 'is out of memory, disk or connections',
  '55P03': 'could not get a lock in time',
  '57014': 'took too long for a statement',
  '57': 'is starting or stopping',
  '08': 'lost the connection',
  '08P01': 'refuses for now',
  '25P03': 'ended a transaction that took too long',
  ECONNREFUSED: NOT_THERE,
  ECONNRESET: 'lost the connection',
  EPIPE: 'lost the connection',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
}

/**
 * Lists what poolers refuse for good, by their words: most of them give every error the same code, that of a broken
 * protocol or of a fault of their own.
 */
const POOLERS: readonly (readonly [RegExp, Failure])[] = [
  [/authentication failed|no such user|login rejected/i, LOGIN],
  [/no such database|database .* does not exist|not found|no pool configured/i, DATABASE],
  [/startup parameter/i, ['refuses what the connection asks for', 'change it in KPI_POSTGRES_URL']],
  [/\b(?:SSL|TLS)\b/, ['refuses a connection without TLS', 'add ?sslmode=verify-full to KPI_POSTGRES_URL']],
  [
    /statement pooling/i,
    ['gives each statement another session', 'use a pooler in transaction mode (pool_mode = transaction)'],
  ],
]
const POOLER_CODES = new Set(['08P01', 'XX000', '58000'])

const lookUp = <T>(table: Readonly<Record<string, T>>, code: string): T | undefined =>
  table[code] ?? table[code.slice(0, 2)]

const TIMED_OUT = /query read timeout/i

/** Tells whether the database did not answer in time, so that its connection must be closed. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && TIMED_OUT.test(error.message)

/** Lists the errors of pg that have no code and need a fix, by their messages. */
const UNUSABLE_WITHOUT_CODE: readonly (readonly [RegExp, Failure])[] = [
  [/^SASL:/, LOGIN],
  [/does not support SSL|establishing an SSL connection/, PLAIN],
]

/** Lists the errors of pg that have no code and may pass, by their messages. */
const UNAVAILABLE_WITHOUT_CODE: readonly (readonly [RegExp, string])[] = [
  [TIMED_OUT, 'does not answer'],
  [
    /timeout exceeded when trying to connect|connection timeout|timeout expired/i,
    'does not answer, or has no connection free',
  ],
  [/connection terminated|connection ended|not queryable/i, 'lost the connection'],
]

const matching = <T>(table: readonly (readonly [RegExp, T])[], { message }: Error): T | undefined =>
  table.find(([pattern]) => pattern.test(message))?.[1]

/** Tells whether the database or a pooler sent an error, and not the network or the driver. */
const isSent = (error: Error): boolean => 'severity' in error

/** Tells whether a pooler refuses or ends a session with a code that says nothing. */
const endsSession = (error: Error): boolean =>
  'severity' in error && error.severity === 'FATAL' && POOLER_CODES.has(codeOf(error))

const lastingFailure = (error: Error): Failure | undefined => {
  const code = codeOf(error)
  // A standby takes no transaction that writes: the code of that is the one of anything that is not supported.
  if (code === FEATURE_NOT_SUPPORTED && /during recovery/.test(error.message)) return STANDBY
  const ofPooler = isSent(error) && POOLER_CODES.has(code) ? matching(POOLERS, error) : undefined
  const withoutCode = code === '' ? matching(UNUSABLE_WITHOUT_CODE, error) : undefined
  return ofPooler ?? withoutCode ?? lookUp(UNUSABLE, code)
}

/** Tells whether a socket in the file system is not there, as its server does not run. */
const isNoSocket = (error: Error): boolean =>
  codeOf(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect'

/** Returns the code by which an error that may pass is told. */
const passingCode = (error: Error): string => {
  if (endsSession(error)) return '08P01'
  return isNoSocket(error) ? 'ECONNREFUSED' : codeOf(error)
}

/** Tells whether a login is refused. */
export const isRefusedLogin = (error: unknown): error is KpiError =>
  error instanceof KpiError && error.cause instanceof Error && lastingFailure(error.cause) === LOGIN

/** Converts an error from PostgreSQL, or from a pooler before it, to one of ours; any other passes through. */
export const postgresError = (error: unknown, where: string): unknown => {
  if (error instanceof KpiError || !(error instanceof Error)) return error
  const [cause, code] = [error, codeOf(error)]
  const words = isSent(error) ? `: ${error.message}` : ''
  const lasting = lastingFailure(error)
  if (lasting !== undefined) {
    const [what, next] = lasting
    return new KpiError('unusable', `PostgreSQL at ${where} ${what}${words}; ${next}`, { cause })
  }
  const passing = lookUp(UNAVAILABLE, passingCode(error)) ?? matching(UNAVAILABLE_WITHOUT_CODE, error)
  if (passing !== undefined) {
    const message = `PostgreSQL at ${where} ${passing}${words}; try again`
    return new KpiError('unavailable', message, { retryAfter: 1, cause })
  }
  const isSql = /^[0-9A-Z]{5}$/.test(code)
  return isSql ? new KpiError('internal', `the database refused a statement${words}`, { cause }) : error
}
