import { clearInterval, setInterval } from 'node:timers'
import { KpiError } from '../domain/errors.ts'
import { createLine } from './line.ts'

const MEBIBYTE = 1024 * 1024
/** A body beyond this is large. */
export const LARGE_BYTES = MEBIBYTE
/** So many large bodies are read and worked on at a time, and so many of one account. */
const AT_A_TIME = 3
const OF_AN_ACCOUNT = 2
/** While others wait, so much of a body must come in each such time. */
const LEAST_BYTES = 131_072
const LOOK_MS = 2000

/** A large body that is being read or worked on. */
export type LargeBody = {
  /** Takes note that so much of it came. */
  readonly onChunk: (bytes: number) => void
  /** Takes note that all of it has come. */
  readonly onWhole: () => void
  /** Lets the next one in. */
  readonly leave: () => void
}

/** Admits large bodies a few at a time, so that together they do not fill the memory. */
export type LargeBodies = {
  /** Waits until a large body of an account may be read; `cut` ends the reading of one that comes too slowly. */
  readonly enter: (account: string, cut: (reason: KpiError) => void) => Promise<LargeBody>
}

type Holder = { readonly cut: (reason: KpiError) => void; isReading: boolean; bytes: number }

const tooSlow = (): KpiError =>
  new KpiError('too_slow', 'the body came too slowly while other large ones waited; send it again, or in smaller parts')

/** Ends the reading of those of which too little came since the last look. */
const cutSlow = (holders: Iterable<Holder>): void => {
  for (const holder of holders) {
    if (holder.isReading && holder.bytes < LEAST_BYTES) holder.cut(tooSlow())
    holder.bytes = 0
  }
}

/** Whoever waits is let in account by account. A sender who is slow keeps its place only as long as nobody waits for it. */
export const createLargeBodies = (lookMs = LOOK_MS): LargeBodies => {
  const line = createLine()
  const holders = new Set<Holder>()
  const ofAccount = new Map<string, number>()
  let looking: NodeJS.Timeout | undefined

  const isReady = (account: string): boolean => (ofAccount.get(account) ?? 0) < OF_AN_ACCOUNT
  const hasRoom = (account: string): boolean => holders.size < AT_A_TIME && isReady(account)
  const add = (account: string, holder: Holder): void => {
    holders.add(holder)
    ofAccount.set(account, (ofAccount.get(account) ?? 0) + 1)
  }
  const letIn = (): void => {
    if (holders.size < AT_A_TIME) line.next(isReady)?.()
    if (line.size() > 0) return
    clearInterval(looking)
    looking = undefined
  }
  const leave = (account: string, holder: Holder): void => {
    if (!holders.delete(holder)) return
    const left = (ofAccount.get(account) ?? 0) - 1
    if (left > 0) ofAccount.set(account, left)
    else ofAccount.delete(account)
    letIn()
  }
  const wait = (account: string, holder: Holder): Promise<void> =>
    new Promise((resolve) => {
      // What is let in holds its place at once, or the next one would take it, too.
      line.add(account, () => {
        add(account, holder)
        resolve()
      })
      looking ??= setInterval(() => cutSlow(holders), lookMs).unref()
    })
  return {
    enter: async (account, cut) => {
      const holder = { cut, isReading: true, bytes: 0 }
      if (hasRoom(account)) add(account, holder)
      else await wait(account, holder)
      return {
        onChunk: (bytes) => (holder.bytes += bytes),
        onWhole: () => (holder.isReading = false),
        leave: () => leave(account, holder),
      }
    },
  }
}
