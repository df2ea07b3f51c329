/** Describes a queue in which accounts take turns. */
export type FairQueue = {
  /** Returns the number of accounts with somebody waiting. */
  readonly size: () => number
  readonly add: (account: string, resolve: () => void) => void
  /** Takes out who is next of the accounts that are ready; undefined where there is none. */
  readonly next: (isReady: (account: string) => boolean) => (() => void) | undefined
}

/** Takes the next one out of those of one account, which are in the order in which they came. */
export type Take = (queue: (() => void)[]) => (() => void) | undefined

const takeOldest: Take = (queue) => queue.shift()

/**
 * Takes the last and the first by turns: a newcomer need not wait behind a crowd, and nobody waits more than twice as
 * long as in order.
 */
export const createTakeNewestAndOldest = (): Take => {
  let isNewestNext = false
  return (queue) => {
    isNewestNext = !isNewestNext
    return isNewestNext ? queue.pop() : queue.shift()
  }
}

/** Makes a line in which accounts take turns, however many of one wait. */
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
        // The account goes behind the others, if it has more.
        waiting.delete(account)
        const resolve = take(queue)
        if (queue.length > 0) waiting.set(account, queue)
        return resolve
      }
      return undefined
    },
  }
}
