/** Counts something account by account; those of which nothing is left take no memory. */
export type Tally = {
  readonly of: (account: string) => number
  /** Returns what all accounts have together. */
  readonly total: () => number
  /** Adds to what an account has; a number below 0 takes away. */
  readonly add: (account: string, change: number) => void
}

/** Makes a tally in which no account has anything. */
export const createTally = (): Tally => {
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
