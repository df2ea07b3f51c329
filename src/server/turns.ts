import { setImmediate } from 'node:timers'

/** How long requests are answered one right after the other before others get their turn. */
const STRETCH_MS = 10
/** So much of answers to one account may wait to be taken; its next request is answered when less does. */
const HELD_BYTES = 32 * 1024 * 1024

/** Lets accounts take turns where the requests of one would keep the service from all others. */
export type Turns = {
  /** Resolves when a request of an account may be answered; undefined where that is at once. */
  readonly take: (account: string) => Promise<void> | undefined
  /** Takes note of an answer that has been handed over, until it is told that it was taken or its connection is gone. */
  readonly hold: (account: string, bytes: number) => () => void
}

/**
 * Requests are answered as they come, as long as that is quick. Where it takes long, those that follow wait, and are
 * taken account by account, with what else the process has to do in between; also those of an account that does not
 * take its answers.
 */
export const createTurns = (clock: () => number, heldBytes = HELD_BYTES): Turns => {
  const waiting = new Map<string, (() => void)[]>()
  const held = new Map<string, number>()
  let [startedAt, isServing]: [number | undefined, boolean] = [undefined, false]

  const isFull = (account: string): boolean => (held.get(account) ?? 0) >= heldBytes
  const serveNext = (): void => {
    isServing = false
    for (const [account, queue] of waiting) {
      if (isFull(account)) continue
      // The account goes behind the others, if it has more.
      waiting.delete(account)
      const resolve = queue.shift()
      if (queue.length > 0) waiting.set(account, queue)
      resolve?.()
      return serveLater()
    }
  }
  const serveLater = (): void => {
    if (isServing || waiting.size === 0) return
    isServing = true
    setImmediate(serveNext)
  }
  const isStretchOver = (): boolean => {
    const now = clock()
    if (startedAt === undefined) {
      startedAt = now
      setImmediate(() => (startedAt = undefined))
    }
    return now - startedAt > STRETCH_MS
  }
  return {
    take: (account) => {
      if (waiting.size === 0 && !isFull(account) && !isStretchOver()) return undefined
      const queue = waiting.get(account) ?? []
      waiting.set(account, queue)
      return new Promise((resolve) => {
        queue.push(resolve)
        serveLater()
      })
    },
    hold: (account, bytes) => {
      held.set(account, (held.get(account) ?? 0) + bytes)
      return () => {
        const left = (held.get(account) ?? 0) - bytes
        if (left > 0) held.set(account, left)
        else held.delete(account)
        serveLater()
      }
    },
  }
}
