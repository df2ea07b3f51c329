import { setImmediate } from 'node:timers'

/** How long requests are answered one right after the other before others get their turn. */
const STRETCH_MS = 10
/** So much of answers to one account may wait to be taken; its next request is answered when less does. */
const HELD_BYTES = 32 * 1024 * 1024
/** So many requests that take long are worked on at a time, and so many of one account. */
const LONG = 3
const LONG_OF_ONE = 2

/** Lets accounts take turns where the requests of one would keep the service from all others. */
export type Turns = {
  /** Resolves when a request of an account may be answered; undefined where that is at once. */
  readonly take: (account: string) => Promise<void> | undefined
  /** Waits until a request of an account may be worked on that takes long; answers how to end it. */
  readonly begin: (account: string) => Promise<() => void>
  /** Takes note of an answer that has been handed over, until it is told that it was taken or its connection is gone. */
  readonly hold: (account: string, bytes: number) => () => void
}

/** Lets few requests at a time be worked on that take long: the accounts that wait take turns. */
const createLongTurns = (isFull: (account: string) => boolean) => {
  const waiting = new Map<string, (() => void)[]>()
  const running = new Map<string, number>()
  let all = 0

  const count = (account: string, change: number): void => {
    all += change
    const left = (running.get(account) ?? 0) + change
    if (left > 0) running.set(account, left)
    else running.delete(account)
  }
  const admit = (): void => {
    for (const [account, queue] of waiting) {
      if (all >= LONG || (running.get(account) ?? 0) >= LONG_OF_ONE || isFull(account)) continue
      // The account goes behind the others, if it has more.
      waiting.delete(account)
      const resolve = queue.shift()
      if (queue.length > 0) waiting.set(account, queue)
      count(account, 1)
      resolve?.()
    }
  }
  const begin = (account: string): Promise<() => void> =>
    new Promise((resolve) => {
      const queue = waiting.get(account) ?? []
      waiting.set(account, queue)
      const end = (): void => {
        count(account, -1)
        admit()
      }
      queue.push(() => resolve(end))
      admit()
    })
  return { begin, admit }
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
  const long = createLongTurns(isFull)
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
    begin: long.begin,
    hold: (account, bytes) => {
      held.set(account, (held.get(account) ?? 0) + bytes)
      return () => {
        const left = (held.get(account) ?? 0) - bytes
        if (left > 0) held.set(account, left)
        else held.delete(account)
        serveLater()
        long.admit()
      }
    },
  }
}
