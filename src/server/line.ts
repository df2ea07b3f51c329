/** Those who wait, account by account. */
export type Line = {
  /** How many accounts have somebody who waits. */
  readonly size: () => number
  readonly add: (account: string, resolve: () => void) => void
  /** Takes out who is next of the accounts that are ready; undefined where there is none. */
  readonly next: (isReady: (account: string) => boolean) => (() => void) | undefined
}

/** Makes a line in which accounts take turns, however many of one wait. */
export const createLine = (): Line => {
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
        const resolve = queue.shift()
        if (queue.length > 0) waiting.set(account, queue)
        return resolve
      }
      return undefined
    },
  }
}
