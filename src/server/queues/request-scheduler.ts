import { createFairQueue, createTakeNewestAndOldest, type FairQueue } from './fair-queue.ts'
import { createFairSemaphore, createCountByAccount } from './shares.ts'
import { createSliceRunner, createTurnTimer } from './time-slices.ts'

/** Sets how long requests are answered one right after the other before others get their turn. */
const STRETCH_MS = 10
/** Sets how long a long request runs before others get their turn. */
const LONG_STRETCH_MS = 2
/**
 * Bounds the bytes of answers to one account that wait to be taken; its next request is answered when there are fewer.
 */
const HELD_BYTES = 32 * 1024 * 1024
/** Sets how many long requests are worked on at a time, and how many of one account. */
const LONG = { most: 3, ofOne: 2 }
/**
 * Sets how many credentials are looked up at a time, and how many from one address: each takes a connection of a
 * database.
 */
const STRANGERS = { most: 6, ofOne: 5 }

/** Lets accounts take turns where the requests of one would keep the service from all others. */
export type RequestScheduler = {
  /** Resolves when a request of an account may be answered; undefined where that is at once. */
  readonly take: (account: string) => Promise<void> | undefined
  /** Resolves when a request of an account that takes long may go on; undefined where that is at once. */
  readonly pause: (account: string) => Promise<void> | undefined
  /** Waits until a request of an account may be worked on that takes long; answers how to end it. */
  readonly begin: (account: string) => Promise<() => void>
  /** Starts a long list, which need not wait for work that takes longer still. */
  readonly beginList: (account: string) => Promise<() => void>
  /** Waits until the credentials of an address may be looked at; answers how to end it. */
  readonly admit: (address: string) => Promise<() => void>
  /** Counts an answer until it is taken or its connection is gone. */
  readonly hold: (account: string, bytes: number) => () => void
}

/**
 * Creates the scheduler of requests. They are answered as they come, as long as that is quick. Where it takes long,
 * those that follow wait, and are taken account by account, with what else the process has to do in between; also those
 * of an account that does not take its answers. A long request pauses for all of that, and goes on in turn with new
 * ones.
 */
export const createRequestScheduler = (clock: () => number, heldBytes = HELD_BYTES): RequestScheduler => {
  const [starting, lasting] = [createFairQueue(), createFairQueue()]
  const held = createCountByAccount()
  const isOver = createTurnTimer(clock)
  let isNewNext = true

  const isFull = (account: string): boolean => held.of(account) >= heldBytes
  const nextNew = () => starting.next((account) => !isFull(account))
  const nextLasting = () => lasting.next(() => true)
  const [long, lists] = [createFairSemaphore(LONG, { isFull }), createFairSemaphore(LONG, { isFull })]
  const strangers = createFairSemaphore(STRANGERS, { take: createTakeNewestAndOldest() })
  const serve = createSliceRunner(() => {
    const isNewFirst = isNewNext
    isNewNext = !isNewNext
    return isNewFirst ? (nextNew() ?? nextLasting()) : (nextLasting() ?? nextNew())
  })
  const wait = (line: FairQueue, account: string): Promise<void> =>
    new Promise((resolve) => {
      line.add(account, resolve)
      serve()
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
      held.add(account, bytes)
      return () => {
        held.add(account, -bytes)
        serve()
        long.look()
        lists.look()
      }
    },
  }
}
