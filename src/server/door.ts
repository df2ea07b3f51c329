import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import { mustHaveAccess } from '../service/access.ts'
import type { LoginBrake } from '../service/login-brake.ts'
import { RATE_WINDOW_MS, type RateLimit, type Verdict } from '../service/rate-limit.ts'
import type { Db } from '../store/db.ts'
import type { Admitted } from './admitted.ts'
import { createNotes } from './notes.ts'
import { createOpening, type OpenDoor } from './opening.ts'
import type { WireRequest } from './wire.ts'

/** What a face holds its callers to. */
export type Limits = {
  readonly brake: LoginBrake
  /** Not there where any number of requests may be made. */
  readonly rate?: RateLimit | undefined
}

/** What a variant takes as credentials, for whoever sends something else. */
export type ExpectedCredentials = {
  readonly scheme: 'Basic' | 'Bearer'
  /** What is sent with the scheme. */
  readonly what: string
  /** Where the credentials of the other variant belong. */
  readonly hint: string
}

/** The schemes that clients are known to send. Any other first word may be a secret that was sent without a scheme. */
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

/** What the headers tell of a limit: ours, and those of the IETF's draft. */
const headersOf = ({ limit, used, waitMs }: Verdict): Admitted['headers'] => {
  const window = RATE_WINDOW_MS / 1000
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-requests': String(used),
    'x-ratelimit-duration': String(window),
    'ratelimit-policy': `"default";q=${limit};w=${window}`,
    ratelimit: `"default";r=${Math.max(0, limit - used)};t=${seconds(waitMs)}`,
  }
}

const overLimit = ({ limit, waitMs }: Verdict): KpiError =>
  new KpiError(
    'rate_limited',
    `the limit of ${limit} requests a minute is reached; the next one is accepted in ${seconds(waitMs)} s`,
    { retryAfter: seconds(waitMs) },
  )

/** Lets requests in; `tell` is given headers for the answer, whatever becomes of it. */
export type Door = (request: WireRequest, tell: (headers: Admitted['headers']) => void) => Promise<Admitted>

/**
 * The door of a face: a request is let in whose credentials are right, whose account has access, and whose limit is not
 * reached. Those with good credentials are told of the limit even when they are refused. An account without access is
 * told just that, as waiting would not help it.
 */
export const createDoor = (db: Db, openDoor: OpenDoor, now: () => Instant, limits: Partial<Limits> = {}): Door => {
  const { brake, rate } = limits
  const open = createOpening(db, openDoor, brake)
  const note = createNotes()
  return async (request, tell) => {
    const admitted = await open(request, now())
    const { account, user, key, headers } = admitted
    const turn = request.onCaller?.({ account: account.name, user, key: key || undefined })
    if (turn) await turn
    const verdict = await rate?.({ account: account.id, key })
    tell({ 'x-account': encodeURIComponent(account.name), ...headers, ...(verdict && headersOf(verdict)) })
    mustHaveAccess(account)
    if (verdict?.isAccepted === false) throw overLimit(verdict)
    note(admitted, now())
    return admitted
  }
}
