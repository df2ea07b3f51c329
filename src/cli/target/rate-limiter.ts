import { join } from 'node:path'
import { rateLimitIdentity, type Credentials } from '../../client/http/credentials.ts'
import { createRateLimiter, localState, type SharedState } from '../../client/rate-limit/limiter.ts'
import { fileState } from '../../client/rate-limit/shared-state.ts'
import { createRetry, type Retry } from '../../client/retry.ts'
import type { RateLimiter, Waiting } from '../../client/transport.ts'
import type { Io } from '../io.ts'
import { waitingText } from '../output/progress-text.ts'
import { type OnWait, announceEachWait, announcingClock, announceLongWaits } from '../output/wait-notices.ts'
import { makeFolder, stateFolder } from './folders.ts'

/** Describes a run of many requests, which wait for the rate limit and are retried. */
export type BulkRun = {
  /** Cancels waiting for the rate limit, and for a request to be sent again. */
  readonly signal: AbortSignal
  /** Sets the most requests in a minute, where that is less than the service allows. */
  readonly rate?: number | undefined
  /** Returns until when the run waits for a service that is down since a moment; undefined where it does not. */
  readonly giveUpAt?: ((since: number) => number | undefined) | undefined
  /** Takes notes. */
  readonly note: (text: string) => void
  /** Takes what requests wait for; if missing, long waits are noted. */
  readonly onWait?: OnWait | undefined
  /** Takes each wait in words, however short it is; then long waits are not noted. */
  readonly tellWait?: ((text: string) => void) | undefined
}

/** Returns the file that shares the use of a limit between all processes of a user. */
const openShare = (io: Io, name: string, { note, rate }: BulkRun): SharedState => {
  const alone = (reason: string): void =>
    note(`the use of the rate limit is not shared with other processes: ${reason}`)
  try {
    const folder = join(stateFolder(io), 'pace')
    makeFolder(folder, 'state folder')
    return fileState(join(folder, `${name}.db`), alone, rate !== undefined)
  } catch (error) {
    alone(error instanceof Error ? error.message : String(error))
    return localState()
  }
}

/** Describes what the requests of a run go through. */
type PacedSending = { readonly limiter: RateLimiter; readonly retry: Retry }

/** Notes each long wait. */
const notesOf = ({ now }: Io, note: BulkRun['note']): OnWait =>
  announceLongWaits(now, (waiting) => note(waitingText(waiting, now()) ?? ''))

/** Returns what takes the waits of a run: what the run gives, and whoever is told each of them. */
const waitsOf = (io: Io, { note, onWait, tellWait }: BulkRun): OnWait => {
  if (!tellWait) return onWait ?? notesOf(io, note)
  const tell = announceEachWait((waiting) => tellWait(waitingText(waiting, io.now()) ?? ''))
  return (waiting) => {
    onWait?.(waiting)
    tell(waiting)
  }
}

/** Creates the retry, which announces its first wait by itself. */
const openRetry = (
  io: Io,
  { signal, note, onWait, giveUpAt }: Pick<BulkRun, 'signal' | 'note' | 'giveUpAt'> & { onWait: OnWait },
  random: () => number,
): Retry => {
  let isTold = false
  const waiting = (): Waiting | undefined => {
    const waits = isTold ? undefined : retry.waiting()
    isTold = false
    return waits
  }
  const noteText = (text: string): void => {
    isTold = true
    note(text)
  }
  const clock = announcingClock(io, waiting, onWait)
  const retry: Retry = createRetry({ clock, signal, random, note: noteText, giveUpAt })
  return retry
}

/** Opens the rate limiter and retry for a bulk run. */
export const openRateLimiter = (io: Io, baseUrl: URL, credentials: Credentials, bulk: BulkRun): PacedSending => {
  const { signal, rate, note, giveUpAt } = bulk
  const onWait = waitsOf(io, bulk)
  const random = (): number => Buffer.from(io.random(4)).readUInt32BE() / 2 ** 32
  const share = openShare(io, rateLimitIdentity(baseUrl, credentials), bulk)
  const name = `${Buffer.from(io.random(6)).toString('hex')}-`
  const gateClock = announcingClock(io, () => limiter.waiting(), onWait)
  const limiter: RateLimiter = createRateLimiter({ clock: gateClock, signal, rate, note, share, name, random })
  return { limiter, retry: openRetry(io, { signal, note, onWait, giveUpAt }, random) }
}
