import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { KEPT_DAYS } from '../../domain/resources/entry-run.ts'
import { requireAccess } from '../../service/accounts/access.ts'
import type { LoginThrottle } from '../../service/limits/login-throttle.ts'
import { RATE_WINDOW_MS, type RateLimit, type RateLimitDecision } from '../../service/limits/rate-limit.ts'
import { afterSeconds, type Later, retryWrite } from '../../service/limits/retry-write.ts'
import type { Db } from '../../store/db.ts'
import type { WireRequest } from '../wire.ts'
import { createCredentialLookup, type ReadCredentials } from './credential-lookup.ts'
import type { Principal } from './principal.ts'

/** Sets the pause after an attempt to record the use of a key, in seconds: that attempt may still be waiting. */
const PAUSE_SECONDS = 5
/** Sets how often to retry recording the use of a key: for a minute. */
const MAX_RETRIES = 12
/** Bounds the number of keys to remember. */
const MAX_REMEMBERED = 1000

/** Records that a key was used. */
type RecordKeyUse = (principal: Pick<Principal, 'account' | 'key' | 'noteKeyUse'>, now: Instant) => void

/**
 * Creates a recorder of the use of keys. No request waits for it, and none fails if it cannot write, for example while
 * another process writes. It retries for a minute, so that it records even a job with a single request.
 */
export const createKeyUseRecorder = (later: Later = afterSeconds(PAUSE_SECONDS)): RecordKeyUse => {
  const tried = new Map<string, Instant>()
  return ({ account, key, noteKeyUse }, now) => {
    if (!noteKeyUse) return
    const name = `${account.id}/${key}`
    const last = tried.get(name)
    if (last !== undefined && Math.abs(now - last) < PAUSE_SECONDS) return
    const noting = noteKeyUse(now)
    if (!noting) return
    if (tried.size >= MAX_REMEMBERED) tried.clear()
    tried.set(name, now)
    void retryWrite(noting, () => noteKeyUse(now), { times: MAX_RETRIES, later })
  }
}

/** Describes the limits of a handler's callers. */
export type CallerLimits = {
  readonly throttle: LoginThrottle
  /** Limits requests; undefined means no limit. */
  readonly rate?: RateLimit | undefined
}

/** Describes the credentials of a variant, for the error to clients that send others. */
export type ExpectedCredentials = {
  readonly scheme: 'Basic' | 'Bearer'
  /** Names what to send with the scheme. */
  readonly what: string
  /** Explains where the credentials of the other variant belong. */
  readonly hint: string
}

/**
 * Matches the schemes that clients are known to send. Any other first word may be a secret that was sent without a
 * scheme.
 */
const KNOWN_SCHEME = /^(?:basic|bearer|digest|negotiate|ntlm|token|apikey)(?= |$)/i

const isSame = (one: string | undefined, other: string): boolean => one?.toLowerCase() === other.toLowerCase()

/** Returns what is wrong with an Authorization header that lacks the expected credentials. */
const authorizationFault = (header: string, { scheme, hint }: ExpectedCredentials): string => {
  const [sent] = KNOWN_SCHEME.exec(header) ?? []
  if (sent === undefined) return `Authorization does not begin with ${scheme}`
  if (isSame(sent, scheme)) return `Authorization has nothing behind ${scheme} that can be read`
  return `Authorization has the scheme ${sent}, and ${scheme} is expected here (${hint})`
}

/** Returns the error for a request without the expected credentials. */
export const missingCredentials = (header = '', expected: ExpectedCredentials): KpiError => {
  const fault = header.trim() === '' ? '' : `${authorizationFault(header, expected)}; `
  return new KpiError('unauthorized', `credentials are missing: ${fault}send ${expected.scheme} with ${expected.what}`)
}

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)

/** Returns the headers that describe a rate limit: our own, and those of the IETF draft. */
const headersOf = ({ limit, used, waitMs }: RateLimitDecision): Principal['headers'] => {
  const window = RATE_WINDOW_MS / 1000
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-requests': String(used),
    'x-ratelimit-duration': String(window),
    'ratelimit-policy': `"default";q=${limit};w=${window}`,
    ratelimit: `"default";r=${Math.max(0, limit - used)};t=${seconds(waitMs)}`,
  }
}

const overLimit = ({ limit, waitMs }: RateLimitDecision): KpiError =>
  new KpiError(
    'rate_limited',
    `the limit of ${limit} requests a minute is reached; the next one is accepted in ${seconds(waitMs)} s`,
    { retryAfter: seconds(waitMs) },
  )

/** Names the account, and says when its weeks and years begin, which reports go by, and for how long runs are kept. */
const accountHeaders = ({ name, week_start, fiscal_year_start }: Principal['account']): Principal['headers'] => ({
  'x-account': encodeURIComponent(name),
  'x-week-start': week_start,
  'x-fiscal-year-start': String(fiscal_year_start),
  'x-runs-kept': String(KEPT_DAYS),
})

/** Authenticates a request; `setHeaders` receives headers for any outcome. */
type Authenticate = (request: WireRequest, setHeaders: (headers: Principal['headers']) => void) => Promise<Principal>

/**
 * Creates the authentication of a handler: it accepts requests with good credentials, if their account has access and
 * their rate limit is not reached. Answers to good credentials always have the headers of the limit. An access error
 * wins over the rate limit, as waiting would not help.
 */
export const createAuthentication = (
  db: Db,
  readCredentials: ReadCredentials,
  now: () => Instant,
  limits: Partial<CallerLimits> = {},
): Authenticate => {
  const { throttle, rate } = limits
  const lookUp = createCredentialLookup(db, readCredentials, throttle)
  const note = createKeyUseRecorder()
  return async (request, setHeaders) => {
    const principal = await lookUp(request, now())
    const { account, user, key, headers } = principal
    const turn = request.onCaller?.({ account: account.name, user, key: key || undefined })
    if (turn) await turn
    const decision = await rate?.({ account: account.id, key })
    setHeaders({ ...accountHeaders(account), ...headers, ...(decision && headersOf(decision)) })
    requireAccess(account)
    if (decision?.isAccepted === false) throw overLimit(decision)
    note(principal, now())
    return principal
  }
}
