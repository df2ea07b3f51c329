import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { type Credentials, mustHaveAccess } from '../service/access.ts'
import { type LoginBrake, pairOf } from '../service/login-brake.ts'
import { RATE_WINDOW_MS, type RateLimit, type Verdict } from '../service/rate-limit.ts'
import type { Db } from '../store/db.ts'
import { authenticate } from './auth.ts'
import type { WireRequest } from './wire.ts'

/** What a face holds its callers to. */
export type Limits = {
  readonly brake: LoginBrake
  /** Not there where any number of requests may be made. */
  readonly rate?: RateLimit | undefined
}

type Headers = Readonly<Record<string, string>>

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000)

/** What the headers tell of a limit: ours, and those of the IETF's draft. */
const headersOf = ({ limit, used, waitMs }: Verdict): Headers => {
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

/** Looks at credentials as far as the brake allows. What they are is told only if it still does so afterwards. */
const openBraked = async (
  db: Db,
  credentials: Credentials,
  { headers, address }: WireRequest,
  { mustBeFree, noteWrong }: LoginBrake,
): Promise<Account> => {
  const pair = pairOf(address, credentials.login)
  await mustBeFree(pair)
  try {
    const account = await authenticate(db, credentials, headers)
    await mustBeFree(pair)
    return account
  } catch (error) {
    if (error instanceof KpiError && error.code === 'unauthorized') await noteWrong(pair)
    throw error
  }
}

/**
 * Lets a request in: its credentials are right, its account has access, and its limit is not reached. `tell` is given
 * the headers for the answer, which those with good credentials get even when they are refused. An account without
 * access is told just that, as waiting would not help it.
 */
export const admit = async (
  db: Db,
  request: WireRequest,
  credentials: Credentials,
  { brake, rate }: Partial<Limits>,
  tell: (headers: Headers) => void,
): Promise<Account> => {
  const account = brake
    ? await openBraked(db, credentials, request, brake)
    : await authenticate(db, credentials, request.headers)
  request.onAccount?.(account.name)
  const verdict = await rate?.(account.id)
  if (verdict) tell(headersOf(verdict))
  mustHaveAccess(account)
  if (verdict?.isAccepted === false) throw overLimit(verdict)
  return account
}
