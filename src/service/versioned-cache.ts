import type { Db } from '../store/db.ts'

const MOST = 1000

/** Caches what was read from a store for as long as nobody has written to it since. */
type VersionedCache<T> = {
  readonly find: (key: string) => T | undefined
  /** Keeps what was found out when the store had the stamp. */
  readonly keep: (key: string, value: T, stamp: number | undefined) => void
}

/** Remembers at most a thousand findings from a store; none where the store cannot tell that nothing was written. */
export const createVersionedCache = <T>(db: Pick<Db, 'stamp'>): VersionedCache<T> => {
  const known = new Map<string, T>()
  let at: number | undefined
  const settle = (stamp: number | undefined): void => {
    if (stamp === at && known.size < MOST) return
    known.clear()
    at = stamp
  }
  return {
    find: (key) => {
      if (known.size > 0) settle(db.stamp())
      return known.get(key)
    },
    keep: (key, value, stamp) => {
      if (stamp === undefined) return
      settle(stamp)
      known.set(key, value)
    },
  }
}
