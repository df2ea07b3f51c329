import { KpiError } from '../domain/errors.ts'
import type { Account } from '../domain/resources/account.ts'
import { type Credentials, mustHaveAccess } from '../service/access.ts'
import { type LoginBrake, type Pair, pairOf } from '../service/login-brake.ts'
import { RATE_WINDOW_MS, type RateLimit, type Verdict } from '../service/rate-limit.ts'
import { createRecall } from '../service/recall.ts'
import type { Db } from '../store/db.ts'
import { authenticate, parseBasic } from './auth.ts'
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
  brake: LoginBrake | undefined,
): Promise<Account> => {
  if (!brake) return authenticate(db, credentials, headers)
  const pair = pairOf(address, credentials.login)
  await brake.mustBeFree(pair)
  try {
    const account = await authenticate(db, credentials, headers)
    await brake.mustBeFree(pair)
    return account
  } catch (error) {
    if (error instanceof KpiError && error.code === 'unauthorized') await brake.noteWrong(pair)
    throw error
  }
}

/** Who was let in, and with which token. */
export type Admitted = { readonly account: Account; readonly token: string }

/**
 * Finds the account that a request's credentials open. Good ones are remembered for as long as nothing is written, and
 * their pair for as long as nobody is refused; so looking at them again costs next to nothing.
 */
const createOpening = (db: Db, brake: LoginBrake | undefined): ((request: WireRequest) => Promise<Admitted>) => {
  const known = createRecall<Admitted & { readonly pair: Pair }>(db)
  return async (request) => {
    const { headers, address } = request
    const key = `${address}\n${headers['host']}\n${headers['authorization']}`
    const found = known.find(key)
    if (found) {
      await brake?.mustBeFree(found.pair)
      return found
    }
    const stamp = db.stamp()
    const credentials = parseBasic(headers['authorization'])
    const admitted = { account: await openBraked(db, credentials, request, brake), token: credentials.token }
    known.keep(key, { ...admitted, pair: pairOf(address, credentials.login) }, stamp)
    return admitted
  }
}

/** Lets requests in; `tell` is given headers for the answer, whatever becomes of it. */
export type Door = (request: WireRequest, tell: (headers: Headers) => void) => Promise<Admitted>

/**
 * The door of a face: a request is let in whose credentials are right, whose account has access, and whose limit is not
 * reached. Those with good credentials are told of the limit even when they are refused. An account without access is
 * told just that, as waiting would not help it.
 */
export const createDoor = (db: Db, { brake, rate }: Partial<Limits>): Door => {
  const open = createOpening(db, brake)
  return async (request, tell) => {
    const admitted = await open(request)
    const { account } = admitted
    const turn = request.onAccount?.(account.name)
    if (turn) await turn
    const verdict = await rate?.(account.id)
    if (verdict) tell(headersOf(verdict))
    mustHaveAccess(account)
    if (verdict?.isAccepted === false) throw overLimit(verdict)
    return admitted
  }
}
