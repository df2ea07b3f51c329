/** Describes a queue in which accounts take turns (round-robin). */
export type FairQueue = {
  /** Returns the number of accounts with waiting requests. */
  readonly size: () => number
  readonly add: (account: string, resolve: () => void) => void
  /** Removes and returns the next request of an account that is ready; undefined if there is none. */
  readonly next: (isReady: (account: string) => boolean) => (() => void) | undefined
}

/** Removes and returns one of the requests of an account, which are in the order of their arrival. */
export type Take = (queue: (() => void)[]) => (() => void) | undefined

const takeOldest: Take = (queue) => queue.shift()

/**
 * Creates a choice that alternates between the newest and the oldest. So newcomers need not wait behind a crowd, while
 * the worst wait only doubles.
 */
export const createTakeNewestAndOldest = (): Take => {
  let isNewestNext = false
  return (queue) => {
    isNewestNext = !isNewestNext
    return isNewestNext ? queue.pop() : queue.shift()
  }
}

/** Creates a queue in which accounts take turns, however many requests each has. */
export const createFairQueue = (take: Take = takeOldest): FairQueue => {
  const waiting = new Map<string, (() => void)[]>()
  return {
    size: () => waiting.size,
    add: (account, resolve) => {
      const queue = waiting.get(account)
      if (queue) queue.push(resolve)
      else waiting.set(account, [resolve])
    },
    next: (isReady) => {
      for (const [account, queue] of waiting) {
        if (!isReady(account)) continue
        // If the account has more requests, it moves behind the others.
        waiting.delete(account)
        const resolve = take(queue)
        if (queue.length > 0) waiting.set(account, queue)
        return resolve
      }
      return undefined
    },
  }
}
