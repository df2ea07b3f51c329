import { setImmediate } from 'node:timers'
import { createLine, type Line } from './line.ts'

/** How long requests are answered one right after the other before others get their turn. */
const STRETCH_MS = 10
/** How long one of them goes on that takes long. */
const LONG_STRETCH_MS = 2
/** So much of answers to one account may wait to be taken; its next request is answered when less does. */
const HELD_BYTES = 32 * 1024 * 1024
/** So many requests that take long are worked on at a time, and so many of one account. */
const LONG = { most: 3, ofOne: 2 }
/** Credentials that are looked at at a time, and those from one address: each takes a connection of a database. */
const STRANGERS = { most: 6, ofOne: 5 }

/** Lets accounts take turns where the requests of one would keep the service from all others. */
export type Turns = {
  /** Resolves when a request of an account may be answered; undefined where that is at once. */
  readonly take: (account: string) => Promise<void> | undefined
  /** Resolves when a request of an account that takes long may go on; undefined where that is at once. */
  readonly pause: (account: string) => Promise<void> | undefined
  /** Waits until a request of an account may be worked on that takes long; answers how to end it. */
  readonly begin: (account: string) => Promise<() => void>
  /** The same for a long list, which need not wait for work that takes longer still. */
  readonly beginList: (account: string) => Promise<() => void>
  /** Waits until the credentials of an address may be looked at; answers how to end it. */
  readonly admit: (address: string) => Promise<() => void>
  /** Takes note of an answer that has been handed over, until it is told that it was taken or its connection is gone. */
  readonly hold: (account: string, bytes: number) => () => void
}

/** How much is worked on at a time, and how much of one account or address. */
type Share = { readonly most: number; readonly ofOne: number }

/** Lets little work be done at a time: the accounts, or addresses, that wait take turns. */
const createShared = ({ most, ofOne }: Share, isFull: (account: string) => boolean = () => false) => {
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
      if (all >= most || (running.get(account) ?? 0) >= ofOne || isFull(account)) continue
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
 * take its answers. A request that takes long by itself pauses for all of that, and goes on in turn with those that are
 * new.
 */
export const createTurns = (clock: () => number, heldBytes = HELD_BYTES): Turns => {
  const [starting, lasting] = [createLine(), createLine()]
  const held = new Map<string, number>()
  let [startedAt, isServing, isNewNext]: [number | undefined, boolean, boolean] = [undefined, false, true]

  const isFull = (account: string): boolean => (held.get(account) ?? 0) >= heldBytes
  const nextNew = () => starting.next((account) => !isFull(account))
  const nextLasting = () => lasting.next(() => true)
  const [long, lists, strangers] = [createShared(LONG, isFull), createShared(LONG, isFull), createShared(STRANGERS)]
  const serveNext = (): void => {
    isServing = false
    const resolve = isNewNext ? (nextNew() ?? nextLasting()) : (nextLasting() ?? nextNew())
    isNewNext = !isNewNext
    if (!resolve) return
    resolve()
    serveLater()
  }
  const serveLater = (): void => {
    if (isServing || starting.size() + lasting.size() === 0) return
    isServing = true
    setImmediate(serveNext)
  }
  const isOver = (stretchMs: number): boolean => {
    const now = clock()
    if (startedAt === undefined) {
      startedAt = now
      setImmediate(() => (startedAt = undefined))
    }
    return now - startedAt > stretchMs
  }
  const wait = (line: Line, account: string): Promise<void> =>
    new Promise((resolve) => {
      line.add(account, resolve)
      serveLater()
    })
  return {
    take: (account) =>
      starting.size() === 0 && !isFull(account) && !isOver(STRETCH_MS) ? undefined : wait(starting, account),
    pause: (account) =>
      starting.size() + lasting.size() === 0 && !isOver(LONG_STRETCH_MS) ? undefined : wait(lasting, account),
    begin: long.begin,
    beginList: lists.begin,
    admit: strangers.begin,
    hold: (account, bytes) => {
      held.set(account, (held.get(account) ?? 0) + bytes)
      return () => {
        const left = (held.get(account) ?? 0) - bytes
        if (left > 0) held.set(account, left)
        else held.delete(account)
        serveLater()
        long.admit()
        lists.admit()
      }
    },
  }
}
