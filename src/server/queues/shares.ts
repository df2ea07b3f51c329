import { createFairQueue, type Take } from './fair-queue.ts'

/** Counts something by account; accounts at zero take no memory. */
type CountByAccount = {
  readonly of: (account: string) => number
  /** Returns what all accounts have together. */
  readonly total: () => number
  /** Adds to what an account has; a number below 0 takes away. */
  readonly add: (account: string, change: number) => void
}

/** Makes a tally in which no account has anything. */
export const createCountByAccount = (): CountByAccount => {
  const counts = new Map<string, number>()
  let total = 0
  const of = (account: string): number => counts.get(account) ?? 0
  return {
    of,
    total: () => total,
    add: (account, change) => {
      total += change
      const left = of(account) + change
      if (left > 0) counts.set(account, left)
      else counts.delete(account)
    },
  }
}

/** Sets how much is worked on at a time, and how much of one account or address. */
type Share = { readonly most: number; readonly ofOne: number }

/** Limits work at a time, for which accounts or addresses take turns. */
type FairSemaphore = {
  /** Waits for a place; answers how to leave it. To leave again does nothing. */
  readonly begin: (account: string) => Promise<() => void>
  /** Returns whether anybody waits. */
  readonly isAwaited: () => boolean
  /** Checks again whether somebody who waits may begin. */
  readonly look: () => void
}

/** Describes why an account has to wait besides, and which of its requests is next. */
type PlaceRules = { readonly isFull?: (account: string) => boolean; readonly take?: Take }

/** Creates a limit of work at a time, of which one account has no more than its share, whoever else waits. */
export const createFairSemaphore = (
  { most, ofOne }: Share,
  { isFull = () => false, take }: PlaceRules = {},
): FairSemaphore => {
  const line = createFairQueue(take)
  const running = createCountByAccount()
  const isReady = (account: string): boolean =>
    running.total() < most && running.of(account) < ofOne && !isFull(account)
  const look = (): void => {
    for (let next = line.next(isReady); next; next = line.next(isReady)) next()
  }
  const leaving = (account: string): (() => void) => {
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      running.add(account, -1)
      look()
    }
  }
  const begin = (account: string): Promise<() => void> =>
    new Promise((resolve) => {
      line.add(account, () => {
        // What is let in holds its place at once, or the next one would take it, too.
        running.add(account, 1)
        resolve(leaving(account))
      })
      look()
    })
  return { begin, look, isAwaited: () => line.size() > 0 }
}
