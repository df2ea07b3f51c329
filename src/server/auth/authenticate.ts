import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { requireAccess } from '../../service/accounts/access.ts'
import type { LoginThrottle } from '../../service/limits/login-throttle.ts'
import { RATE_WINDOW_MS, type RateLimit, type RateLimitDecision } from '../../service/limits/rate-limit.ts'
import type { Db } from '../../store/db.ts'
import type { WireRequest } from '../wire.ts'
import { createCredentialLookup, type ReadCredentials } from './credential-lookup.ts'
import type { Principal } from './principal.ts'

/** Sets how long after noting a key's use it is not noted again, in seconds: the note may be waiting. */
const NOTE_PAUSE = 5
/** Sets how often a note is tried that could not be written: for a minute. */
const TRIES = 12
/** Bounds the keys that are remembered. */
const MOST_NOTES = 1000

/** Does something after a while, unless the process has nothing else left to do. */
type Later = (task: () => void) => void

const afterPause: Later = (task) => {
  setTimeout(task, NOTE_PAUSE * 1000).unref()
}

/** Takes note that a key was used at a moment. */
type Notes = (principal: Pick<Principal, 'account' | 'key' | 'noteKeyUse'>, now: Instant) => void

/**
 * Creates what notes the use of keys, after the answers: no request waits for it, nor fails where it cannot be written,
 * as while another process writes. It is tried again for a while, so that even a job with a single request is noted.
 */
export const createKeyUseNotes = (later: Later = afterPause): Notes => {
  const tried = new Map<string, Instant>()
  const attempt = (noting: Promise<void> | undefined, again: () => Promise<void> | undefined, left: number): void => {
    noting?.catch(() => {
      if (left > 0) later(() => attempt(again(), again, left - 1))
    })
  }
  return ({ account, key, noteKeyUse }, now) => {
    if (!noteKeyUse) return
    const name = `${account.id}/${key}`
    const last = tried.get(name)
    if (last !== undefined && Math.abs(now - last) < NOTE_PAUSE) return
    const noting = noteKeyUse(now)
    if (!noting) return
    if (tried.size >= MOST_NOTES) tried.clear()
    tried.set(name, now)
    attempt(noting, () => noteKeyUse(now), TRIES)
  }
}

/** Describes the limits of a handler's callers. */
export type CallerLimits = {
  readonly throttle: LoginThrottle
  /** Limits requests; undefined for any number. */
  readonly rate?: RateLimit | undefined
}

/** Describes the credentials of a variant, for clients that send something else. */
export type ExpectedCredentials = {
  readonly scheme: 'Basic' | 'Bearer'
  /** Names what is sent with the scheme. */
  readonly what: string
  /** Says where the credentials of the other variant belong. */
  readonly hint: string
}

/**
 * Matches the schemes that clients are known to send. Any other first word may be a secret that was sent without a
 * scheme.
 */
const KNOWN_SCHEME = /^(?:basic|bearer|digest|negotiate|ntlm|token|apikey)(?= |$)/i

const isSame = (one: string | undefined, other: string): boolean => one?.toLowerCase() === other.toLowerCase()

/** Says what is wrong with a header in which the expected credentials cannot be found. */
const authorizationFault = (header: string, { scheme, hint }: ExpectedCredentials): string => {
  const [sent] = KNOWN_SCHEME.exec(header) ?? []
  if (sent === undefined) return `Authorization does not begin with ${scheme}`
  if (isSame(sent, scheme)) return `Authorization has nothing behind ${scheme} that can be read`
  return `Authorization has the scheme ${sent}, and ${scheme} is expected here (${hint})`
}

/** Returns the error for a request without the credentials that are expected. */
export const missingCredentials = (header = '', expected: ExpectedCredentials): KpiError => {
  const fault = header.trim() === '' ? '' : `${authorizationFault(header, expected)}; `
  return new KpiError('unauthorized', `credentials are missing: ${fault}send ${expected.scheme} with ${expected.what}`)
}

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)

/** Returns the headers that tell of a limit: ours, and those of the IETF's draft. */
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

/** Authenticates a request; `setHeaders` takes headers for the answer, whatever becomes of it. */
type Authenticate = (request: WireRequest, setHeaders: (headers: Principal['headers']) => void) => Promise<Principal>

/**
 * Creates the authentication of a handler: it accepts requests with good credentials, whose account has access, and
 * whose limit is not reached. Those with good credentials learn of the limit even when they are refused. An account
 * without access learns just that, as waiting would not help.
 */
export const createAuthentication = (
  db: Db,
  openDoor: ReadCredentials,
  now: () => Instant,
  limits: Partial<CallerLimits> = {},
): Authenticate => {
  const { throttle, rate } = limits
  const open = createCredentialLookup(db, openDoor, throttle)
  const note = createKeyUseNotes()
  return async (request, setHeaders) => {
    const principal = await open(request, now())
    const { account, user, key, headers } = principal
    const turn = request.onCaller?.({ account: account.name, user, key: key || undefined })
    if (turn) await turn
    const verdict = await rate?.({ account: account.id, key })
    setHeaders({ 'x-account': encodeURIComponent(account.name), ...headers, ...(verdict && headersOf(verdict)) })
    requireAccess(account)
    if (verdict?.isAccepted === false) throw overLimit(verdict)
    note(principal, now())
    return principal
  }
}
