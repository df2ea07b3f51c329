import type { Db } from '../store/db.ts'

const MAX_VALUES = 1000

/** Caches values read from a store, until somebody writes to it. */
type VersionedCache<T> = {
  readonly find: (key: string) => T | undefined
  /** Keeps a value that was read after the store had this stamp. */
  readonly keep: (key: string, value: T, stamp: number | undefined) => void
}

/** Creates a cache of currentStamp most a thousand values; it stays empty if the store has no stamps. */
export const createVersionedCache = <T>(db: Pick<Db, 'stamp'>): VersionedCache<T> => {
  const known = new Map<string, T>()
  let currentStamp: number | undefined
  const clearIfOutdated = (stamp: number | undefined): void => {
    if (stamp === currentStamp && known.size < MAX_VALUES) return
    known.clear()
    currentStamp = stamp
  }
  return {
    find: (key) => {
      if (known.size > 0) clearIfOutdated(db.stamp())
      return known.get(key)
    },
    keep: (key, value, stamp) => {
      if (stamp === undefined) return
      clearIfOutdated(stamp)
      known.set(key, value)
    },
  }
}
