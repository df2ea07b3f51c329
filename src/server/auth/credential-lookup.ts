import { hash } from 'node:crypto'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { attemptOf, type LoginAttempt, type LoginThrottle } from '../../service/limits/login-throttle.ts'
import { createVersionedCache } from '../../service/versioned-cache.ts'
import type { Db } from '../../store/db.ts'
import type { WireRequest } from '../wire.ts'
import type { Principal } from './principal.ts'

/** Describes credentials as they were sent: the name under which wrong ones are counted, and how to look them up. */
type Shown = { readonly name: string; readonly open: () => Promise<Principal> }

/** Reads the credentials of a request in a variant; refuses missing ones. */
export type ReadCredentials = (db: Db, headers: WireRequest['headers'], now: Instant) => Shown

/**
 * Looks up credentials as far as the login throttle allows. The result is used only if it still does so afterwards.
 * Those that were right lately are looked up meanwhile: each lookup takes a turn of a database.
 */
const openBraked = async (
  open: Shown['open'],
  attempt: LoginAttempt,
  throttle: LoginThrottle | undefined,
  isRegular: boolean,
): Promise<Principal> => {
  const braking = throttle?.requireUnthrottled(attempt)
  if (isRegular) return (await Promise.all([open(), braking]))[0]
  await braking
  const principal = await open()
  await throttle?.requireUnthrottled(attempt)
  return principal
}

const isWrong = (error: unknown): boolean => error instanceof KpiError && error.code === 'unauthorized'

/** Bounds the credentials that are remembered. */
const REGULARS = 10_000

/** Creates a memory of credentials that were right: they are looked up again, but do not wait behind unknown ones. */
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
 * Creates a way for requests with the same credentials at the same time to share a lookup: one that begins after they
 * came, so that it sees whatever was written before them.
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

/** Describes credentials to look up: what stands for them, how they are counted, and how to look. */
type Unknown = { readonly key: string; readonly attempt: LoginAttempt; readonly open: Shown['open'] }

/**
 * Creates the lookup of credentials. Good ones are cached for as long as nothing is written, and their counter for as
 * long as nobody is refused; so looking them up again costs next to nothing.
 */
export const createCredentialLookup = (
  db: Db,
  openDoor: ReadCredentials,
  throttle: LoginThrottle | undefined,
): ((request: WireRequest, now: Instant) => Promise<Principal>) => {
  const known = createVersionedCache<Principal & { readonly attempt: LoginAttempt }>(db)
  const regulars = createRegulars()
  const share = createSharing<Principal>()
  /** Counts credentials that are wrong, and forgets that they were ever right. */
  const counted = async ({ key, attempt }: Unknown, look: () => Promise<Principal>): Promise<Principal> => {
    try {
      return await look()
    } catch (error) {
      if (isWrong(error)) {
        regulars.delete(key)
        await throttle?.noteWrong(attempt)
      }
      throw error
    }
  }
  const lookAtRegular = (shown: Unknown): Promise<Principal> =>
    counted(shown, () => share(shown.key, () => openBraked(shown.open, shown.attempt, throttle, true)))
  const lookAtStranger = (shown: Unknown, onStranger: WireRequest['onStranger']): Promise<Principal> => {
    const lookInTurn = async (): Promise<Principal> => {
      const end = await onStranger?.()
      try {
        return await openBraked(shown.open, shown.attempt, throttle, false)
      } finally {
        end?.()
      }
    }
    const look = (): Promise<Principal> => counted(shown, lookInTurn)
    return throttle ? throttle.inTurn(shown.attempt, look) : look()
  }
  return async ({ headers, address, onStranger }, now) => {
    // A hash, as headers may be long.
    const key = hash('sha256', `${address}\n${headers['host']}\n${headers['authorization']}`, 'base64url')
    const found = known.find(key)
    if (found && (found.until === undefined || found.until > now)) {
      await throttle?.requireUnthrottled(found.attempt)
      return found
    }
    const stamp = db.stamp()
    const { name, open } = openDoor(db, headers, now)
    const shown = { key, attempt: attemptOf(address, name), open }
    const look = regulars.has(key) ? lookAtRegular(shown) : lookAtStranger(shown, onStranger)
    const principal = { ...(await look), attempt: shown.attempt }
    known.keep(key, principal, stamp)
    regulars.add(key)
    return principal
  }
}
