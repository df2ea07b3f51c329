import { createFairQueue, type Take } from './fair-queue.ts'

/** Counts something by account; accounts at zero take no memory. */
type CountByAccount = {
  readonly of: (account: string) => number
  /** Returns the sum over all accounts. */
  readonly total: () => number
  /** Adds to the count of an account; a negative number subtracts. */
  readonly add: (account: string, change: number) => void
}

/** Creates a count in which every account is at zero. */
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

/** Sets how many slots there are, and how many one account or address may use. */
type Slots = { readonly max: number; readonly maxPerAccount: number }

/** Limits concurrent work. Accounts or addresses take turns for its slots. */
type FairSemaphore = {
  /** Waits for a slot; resolves to a function that frees it. Calling that again does nothing. */
  readonly begin: (account: string) => Promise<() => void>
  /** Tells whether anybody waits. */
  readonly isAwaited: () => boolean
  /** Checks again whether waiting work may begin, after `isFull` may have changed. */
  readonly recheck: () => void
}

/** Describes which accounts have to wait all the same, and which request of an account is next. */
type SlotRules = { readonly isFull?: (account: string) => boolean; readonly take?: Take }

/** Creates a limit of concurrent work. One account never uses more than its share, even if no other waits. */
export const createFairSemaphore = (
  { max, maxPerAccount }: Slots,
  { isFull = () => false, take }: SlotRules = {},
): FairSemaphore => {
  const queue = createFairQueue(take)
  const running = createCountByAccount()
  const isReady = (account: string): boolean =>
    running.total() < max && running.of(account) < maxPerAccount && !isFull(account)
  const recheck = (): void => {
    for (let next = queue.next(isReady); next; next = queue.next(isReady)) next()
  }
  const freeing = (account: string): (() => void) => {
    let isFreed = false
    return () => {
      if (isFreed) return
      isFreed = true
      running.add(account, -1)
      recheck()
    }
  }
  const begin = (account: string): Promise<() => void> =>
    new Promise((resolve) => {
      queue.add(account, () => {
        // Take the slot at once: otherwise the next one would take it, too.
        running.add(account, 1)
        resolve(freeing(account))
      })
      recheck()
    })
  return { begin, recheck, isAwaited: () => queue.size() > 0 }
}
