import { hash } from 'node:crypto'
import type { Instant } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { attemptOf, type LoginAttempt, type LoginBrake } from '../../service/limits/login-throttle.ts'
import { createRecall } from '../../service/versioned-cache.ts'
import type { Db } from '../../store/db.ts'
import type { WireRequest } from '../wire.ts'
import type { Admitted } from './principal.ts'

/** Credentials as they were sent: the name under which wrong ones are counted, and a way to look at them. */
type Shown = { readonly name: string; readonly open: () => Promise<Admitted> }

/** How a variant reads the credentials of a request; refuses missing ones. */
export type OpenDoor = (db: Db, headers: WireRequest['headers'], now: Instant) => Shown

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

/** Credentials that have to be looked at: what stands for them, how they are counted, and how to look. */
type Unknown = { readonly key: string; readonly attempt: LoginAttempt; readonly open: Shown['open'] }

/**
 * Finds out whom a request's credentials let in. Good ones are remembered for as long as nothing is written, and their
 * pair for as long as nobody is refused; so looking at them again costs next to nothing.
 */
export const createOpening = (
  db: Db,
  openDoor: OpenDoor,
  brake: LoginBrake | undefined,
): ((request: WireRequest, now: Instant) => Promise<Admitted>) => {
  const known = createRecall<Admitted & { readonly attempt: LoginAttempt }>(db)
  const regulars = createRegulars()
  const share = createSharing<Admitted>()
  /** Counts credentials that are wrong, and forgets that they were ever right. */
  const counted = async ({ key, attempt }: Unknown, look: () => Promise<Admitted>): Promise<Admitted> => {
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
  const lookAtRegular = (shown: Unknown): Promise<Admitted> =>
    counted(shown, () => share(shown.key, () => openBraked(shown.open, shown.attempt, brake, true)))
  const lookAtStranger = (shown: Unknown, onStranger: WireRequest['onStranger']): Promise<Admitted> => {
    const lookInTurn = async (): Promise<Admitted> => {
      const end = await onStranger?.()
      try {
        return await openBraked(shown.open, shown.attempt, brake, false)
      } finally {
        end?.()
      }
    }
    const look = (): Promise<Admitted> => counted(shown, lookInTurn)
    return brake ? brake.inTurn(shown.attempt, look) : look()
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
    const shown = { key, attempt: attemptOf(address, name), open }
    const look = regulars.has(key) ? lookAtRegular(shown) : lookAtStranger(shown, onStranger)
    const admitted = { ...(await look), attempt: shown.attempt }
    known.keep(key, admitted, stamp)
    regulars.add(key)
    return admitted
  }
}
