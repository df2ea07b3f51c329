import { hash } from 'node:crypto'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { attemptOf, type LoginAttempt, type LoginThrottle } from '../../service/limits/login-throttle.ts'
import { createVersionedCache } from '../../service/versioned-cache.ts'
import type { Db } from '../../store/db.ts'
import type { WireRequest } from '../wire.ts'
import type { Principal } from './principal.ts'

/** Describes credentials as they were sent: the name under which to count wrong ones, and how to look them up. */
type SentCredentials = { readonly name: string; readonly lookUp: () => Promise<Principal> }

/** Reads the credentials of a request in a variant; refuses missing ones. */
export type ReadCredentials = (db: Db, headers: WireRequest['headers'], now: Instant) => SentCredentials

/**
 * Looks up credentials, and checks the login throttle before and after. For credentials that were recently valid,
 * checks it once, in parallel with the lookup, as each of the two takes a round trip to the database.
 */
const lookUpThrottled = async (
  lookUp: SentCredentials['lookUp'],
  attempt: LoginAttempt,
  throttle: LoginThrottle | undefined,
  isRecentlyValid: boolean,
): Promise<Principal> => {
  const throttled = throttle?.requireUnthrottled(attempt)
  if (isRecentlyValid) return (await Promise.all([lookUp(), throttled]))[0]
  await throttled
  const principal = await lookUp()
  await throttle?.requireUnthrottled(attempt)
  return principal
}

const isWrong = (error: unknown): boolean => error instanceof KpiError && error.code === 'unauthorized'

/** Bounds the number of credentials to remember. */
const MAX_REMEMBERED = 10_000

/** Creates a memory of recently valid credentials: their lookups do not wait behind those of unknown ones. */
const createRecentlyValid = (): Pick<Set<string>, 'has' | 'delete'> & { readonly add: (key: string) => void } => {
  const keys = new Set<string>()
  return {
    has: (key) => keys.has(key),
    delete: (key) => keys.delete(key),
    add: (key) => {
      const [oldest] = keys
      if (keys.size >= MAX_REMEMBERED && oldest !== undefined && !keys.has(key)) keys.delete(oldest)
      keys.add(key)
    },
  }
}

/**
 * Creates a way for concurrent requests with the same credentials to share a lookup, but never one that began before
 * the request: it might miss what was written since.
 */
const createSharedLookups = <T>(): ((key: string, look: () => Promise<T>) => Promise<T>) => {
  const inFlight = new Map<string, Promise<T>>()
  const following = new Map<string, Promise<T>>()
  const begin = (key: string, look: () => Promise<T>): Promise<T> => {
    following.delete(key)
    const looking = look().finally(() => {
      if (inFlight.get(key) === looking) inFlight.delete(key)
    })
    inFlight.set(key, looking)
    return looking
  }
  return (key, look) => {
    const [now, next] = [inFlight.get(key), following.get(key)]
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

/** Describes a pending lookup: a hash of the credentials, the counters for wrong ones, and the lookup itself. */
type PendingLookup = {
  readonly key: string
  readonly attempt: LoginAttempt
  readonly lookUp: SentCredentials['lookUp']
}

/**
 * Creates the lookup of credentials. It caches valid credentials until the next write to the store, and their counters
 * of wrong logins until a login is refused, so most lookups cost next to nothing.
 */
export const createCredentialLookup = (
  db: Db,
  readCredentials: ReadCredentials,
  throttle: LoginThrottle | undefined,
): ((request: WireRequest, now: Instant) => Promise<Principal>) => {
  const known = createVersionedCache<Principal & { readonly attempt: LoginAttempt }>(db)
  const recentlyValid = createRecentlyValid()
  const share = createSharedLookups<Principal>()
  /** Counts wrong credentials, and forgets that they were valid before. */
  const counted = async ({ key, attempt }: PendingLookup, look: () => Promise<Principal>): Promise<Principal> => {
    try {
      return await look()
    } catch (error) {
      if (isWrong(error)) {
        recentlyValid.delete(key)
        await throttle?.noteWrong(attempt)
      }
      throw error
    }
  }
  const lookUpRecentlyValid = (pending: PendingLookup): Promise<Principal> =>
    counted(pending, () => share(pending.key, () => lookUpThrottled(pending.lookUp, pending.attempt, throttle, true)))
  const lookUpUnknown = (
    pending: PendingLookup,
    onUnknownCredentials: WireRequest['onUnknownCredentials'],
  ): Promise<Principal> => {
    const lookInTurn = async (): Promise<Principal> => {
      const end = await onUnknownCredentials?.()
      try {
        return await lookUpThrottled(pending.lookUp, pending.attempt, throttle, false)
      } finally {
        end?.()
      }
    }
    const look = (): Promise<Principal> => counted(pending, lookInTurn)
    return throttle ? throttle.inTurn(pending.attempt, look) : look()
  }
  return async ({ headers, address, onUnknownCredentials }, now) => {
    // Hash the headers, as they may be long.
    const key = hash('sha256', `${address}\n${headers['host']}\n${headers['authorization']}`, 'base64url')
    const found = known.find(key)
    if (found && (found.until === undefined || found.until > now)) {
      await throttle?.requireUnthrottled(found.attempt)
      return found
    }
    const stamp = db.stamp()
    const { name, lookUp } = readCredentials(db, headers, now)
    const pending = { key, attempt: attemptOf(address, name), lookUp }
    const look = recentlyValid.has(key) ? lookUpRecentlyValid(pending) : lookUpUnknown(pending, onUnknownCredentials)
    const principal = { ...(await look), attempt: pending.attempt }
    known.keep(key, principal, stamp)
    recentlyValid.add(key)
    return principal
  }
}
