import { createFairQueue, createTakeNewestAndOldest, type FairQueue } from './fair-queue.ts'
import { createFairSemaphore, createCountByAccount } from './shares.ts'
import { createSliceRunner, createTurnTimer } from './time-slices.ts'

/** Sets the time in one turn of the event loop after which new requests queue by account. */
const BUSY_MS = 10
/** Sets the time after which a long request pauses. */
const LONG_BUSY_MS = 2
/**
 * Bounds the unread bytes of answers to one account; above it, further requests of the account wait.
 */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024
/** Sets how many long requests run at a time, and how many of one account. */
const LONG_SLOTS = { max: 3, maxPerAccount: 2 }
/**
 * Sets how many lookups of unknown credentials run at a time, and how many from one network: each takes a database
 * connection.
 */
const LOOKUP_SLOTS = { max: 6, maxPerAccount: 5 }

/** Lets accounts take turns, so that the requests of one do not block those of others. */
export type RequestScheduler = {
  /** Waits until a request of an account may start; returns undefined if it may at once. */
  readonly take: (account: string) => Promise<void> | undefined
  /** Waits until a long request of an account may continue; returns undefined if it may at once. */
  readonly pause: (account: string) => Promise<void> | undefined
  /** Waits for a slot for long work, such as a report; resolves to a function that frees it. */
  readonly begin: (account: string) => Promise<() => void>
  /** Waits for a slot for a long list, apart from other long work; resolves to a function that frees it. */
  readonly beginList: (account: string) => Promise<() => void>
  /** Waits for a slot for a lookup of unknown credentials; resolves to a function that frees it. */
  readonly admit: (address: string) => Promise<() => void>
  /** Counts the unread bytes of an answer, until the returned function is called. */
  readonly hold: (account: string, bytes: number) => () => void
}

/**
 * Creates the scheduler of requests. It starts requests at once while that is quick; else they queue, and start
 * round-robin by account, one per turn of the event loop. Requests of accounts with too many unread bytes wait, too.
 * Long requests pause in between; new and paused requests alternate.
 */
export const createRequestScheduler = (clock: () => number, maxUnreadBytes = MAX_UNREAD_BYTES): RequestScheduler => {
  const [starting, paused] = [createFairQueue(), createFairQueue()]
  const unread = createCountByAccount()
  const isOver = createTurnTimer(clock)
  let isNewNext = true

  const isFull = (account: string): boolean => unread.of(account) >= maxUnreadBytes
  const nextNew = () => starting.next((account) => !isFull(account))
  const nextPaused = () => paused.next(() => true)
  const [long, lists] = [createFairSemaphore(LONG_SLOTS, { isFull }), createFairSemaphore(LONG_SLOTS, { isFull })]
  const lookupSlots = createFairSemaphore(LOOKUP_SLOTS, { take: createTakeNewestAndOldest() })
  const serve = createSliceRunner(() => {
    const isNewFirst = isNewNext
    isNewNext = !isNewNext
    return isNewFirst ? (nextNew() ?? nextPaused()) : (nextPaused() ?? nextNew())
  })
  const wait = (queue: FairQueue, account: string): Promise<void> =>
    new Promise((resolve) => {
      queue.add(account, resolve)
      serve()
    })
  return {
    take: (account) =>
      starting.size() === 0 && !isFull(account) && !isOver(BUSY_MS) ? undefined : wait(starting, account),
    pause: (account) =>
      starting.size() + paused.size() === 0 && !isOver(LONG_BUSY_MS) ? undefined : wait(paused, account),
    begin: long.begin,
    beginList: lists.begin,
    admit: lookupSlots.begin,
    hold: (account, bytes) => {
      unread.add(account, bytes)
      return () => {
        unread.add(account, -bytes)
        serve()
        long.recheck()
        lists.recheck()
      }
    },
  }
}
