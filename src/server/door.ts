import { hash } from 'node:crypto'
import type { Instant } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import { mustHaveAccess } from '../service/access.ts'
import { attemptOf, type LoginAttempt, type LoginBrake } from '../service/login-brake.ts'
import { RATE_WINDOW_MS, type RateLimit, type Verdict } from '../service/rate-limit.ts'
import { createRecall } from '../service/recall.ts'
import type { Db } from '../store/db.ts'
import type { Admitted } from './admitted.ts'
import { createNotes } from './notes.ts'
import type { WireRequest } from './wire.ts'

/** What a face holds its callers to. */
export type Limits = {
  readonly brake: LoginBrake
  /** Not there where any number of requests may be made. */
  readonly rate?: RateLimit | undefined
}

/** Credentials as they were sent: the name under which wrong ones are counted, and a way to look at them. */
export type Shown = { readonly name: string; readonly open: () => Promise<Admitted> }

/** How a variant reads the credentials of a request; refuses missing ones. */
export type OpenDoor = (db: Db, headers: WireRequest['headers'], now: Instant) => Shown

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

/**
 * Looks at credentials as far as the brake allows. What they are is told only if it still does so afterwards. Those that
 * were right lately are looked at meanwhile: each look is a turn of a database.
 */
const openBraked = async (
  open: Shown['open'],
  attempt: LoginAttempt,
  brake: LoginBrake | undefined,
  isRegular: boolean,
): Promise<Admitted> => {
  const braking = brake?.mustBeFree(attempt)
  if (isRegular) return (await Promise.all([open(), braking]))[0]
  await braking
  const admitted = await open()
  await brake?.mustBeFree(attempt)
  return admitted
}

const isWrong = (error: unknown): boolean => error instanceof KpiError && error.code === 'unauthorized'

/** So many are remembered. */
const REGULARS = 10_000

/** Remembers credentials that were right: they are looked at again, but need not wait behind those of strangers. */
const createRegulars = (): Pick<Set<string>, 'has' | 'delete'> & { readonly add: (key: string) => void } => {
  const keys = new Set<string>()
  return {
    has: (key) => keys.has(key),
    delete: (key) => keys.delete(key),
    add: (key) => {
      const [oldest] = keys
      if (keys.size >= REGULARS && oldest !== undefined && !keys.has(key)) keys.delete(oldest)
      keys.add(key)
    },
  }
}

/**
 * Lets requests that show the same credentials at the same time share a look at them: one that begins after they came, so
 * that what was written before a request is seen by it.
 */
const createSharing = <T>(): ((key: string, look: () => Promise<T>) => Promise<T>) => {
  const underWay = new Map<string, Promise<T>>()
  const following = new Map<string, Promise<T>>()
  const begin = (key: string, look: () => Promise<T>): Promise<T> => {
    following.delete(key)
    const looking = look().finally(() => {
      if (underWay.get(key) === looking) underWay.delete(key)
    })
    underWay.set(key, looking)
    return looking
  }
  return (key, look) => {
    const [now, next] = [underWay.get(key), following.get(key)]
    if (!now) return begin(key, look)
    if (next) return next
    const shared = now.then(
      () => begin(key, look),
      () => begin(key, look),
    )
    following.set(key, shared)
    return shared
  }
}

/**
 * Finds out whom a request's credentials let in. Good ones are remembered for as long as nothing is written, and their
 * pair for as long as nobody is refused; so looking at them again costs next to nothing.
 */
const createOpening = (
  db: Db,
  openDoor: OpenDoor,
  brake: LoginBrake | undefined,
): ((request: WireRequest, now: Instant) => Promise<Admitted>) => {
  const known = createRecall<Admitted & { readonly attempt: LoginAttempt }>(db)
  const regulars = createRegulars()
  const share = createSharing<Admitted>()
  const lookInTurn = async (
    open: () => Promise<Admitted>,
    onStranger: WireRequest['onStranger'],
  ): Promise<Admitted> => {
    const end = await onStranger?.()
    try {
      return await open()
    } finally {
      end?.()
    }
  }
  const counted = async (
    key: string,
    attempt: LoginAttempt,
    isRegular: boolean,
    look: () => Promise<Admitted>,
  ): Promise<Admitted> => {
    const lookAndCount = async (): Promise<Admitted> => {
      try {
        return await look()
      } catch (error) {
        if (isWrong(error)) {
          regulars.delete(key)
          await brake?.noteWrong(attempt)
        }
        throw error
      }
    }
    return isRegular || !brake ? lookAndCount() : brake.inTurn(attempt, lookAndCount)
  }
  return async ({ headers, address, onStranger }, now) => {
    // A hash, as headers may be long.
    const key = hash('sha256', `${address}\n${headers['host']}\n${headers['authorization']}`, 'base64url')
    const found = known.find(key)
    if (found && (found.until === undefined || found.until > now)) {
      await brake?.mustBeFree(found.attempt)
      return found
    }
    const stamp = db.stamp()
    const { name, open } = openDoor(db, headers, now)
    const attempt = attemptOf(address, name)
    const isRegular = regulars.has(key)
    const look = (): Promise<Admitted> => openBraked(open, attempt, brake, isRegular)
    const lookAt = (): Promise<Admitted> => (isRegular ? share(key, look) : lookInTurn(look, onStranger))
    const admitted = { ...(await counted(key, attempt, isRegular, lookAt)), attempt }
    known.keep(key, admitted, stamp)
    regulars.add(key)
    return admitted
  }
}

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
